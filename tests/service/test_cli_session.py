"""A command finds its way: to the server that owns the data directory, or to its own pipeline."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli import main
from service.ownership import own
from tests.support.served import Served, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def test_a_command_goes_through_the_server_that_owns_its_directory_and_says_so(
    server: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = tmp_path / "books" / "part" / "lamp.md"
    book.parent.mkdir(parents=True)
    book.write_text("# Lamp\n\nThe lamp was lit by Maren.\n")
    data = ["--data-dir", str(tmp_path / "data"), "--collection", "lamps"]
    with own(tmp_path / "data", url=server.url):
        assert main(["ingest", str(tmp_path / "books"), *data]) == 0
        out, err = capsys.readouterr()
        assert err == f"sawyer: using the server at {server.url}\n"
        assert "part/lamp.md" in out
        assert main(["ask", "Who lit the lamp, Maren?", *data]) == 0
        out, _ = capsys.readouterr()
        assert out.startswith("The lamp was lit by Maren.\n")
    (record,) = server.sawyer.documents(collection="lamps")
    assert record.source == "part/lamp.md", "the same source as in process"


def test_a_failure_over_http_ends_like_one_in_process(
    server: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.md").write_text(" \n")
    assert main(["ingest", "--url", server.url, "--collection", "odd", str(tmp_path / "empty.md")]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("failed ")
    assert "1 of 1 failed" in err
    assert main(["delete", "--url", server.url, "unknown"]) == 4


def test_nobody_at_the_url_is_its_own_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["documents", "--url", "http://127.0.0.1:9"]) == 11
    assert "http://127.0.0.1:9" in capsys.readouterr().err


def test_an_empty_url_is_refused_rather_than_replaced_by_the_local_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["documents", "--url", "", "--data-dir", str(tmp_path)]) == 2
    assert "url must be such as" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_waiting_command_goes_to_the_server_as_soon_as_it_serves(
    server: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with own(tmp_path, server=True) as ownership:
        starting = threading.Timer(0.8, ownership.announce, [server.url])
        starting.start()
        started = time.monotonic()
        assert main(["documents", "--data-dir", str(tmp_path), "--lock-wait", "30"]) == 0
        assert time.monotonic() - started < 10
        starting.join()
    out, err = capsys.readouterr()
    assert "tale.md" in out
    assert [line.split()[1] for line in err.splitlines()] == ["waiting", "using"]
