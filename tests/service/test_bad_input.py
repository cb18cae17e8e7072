"""Bad input, by command line and by HTTP over one real pipeline: the outcome of each is decided.

Elsewhere: a second server (test_serving.py, test_cli_process.py), a foreign Host or Origin
(test_api_guard.py), a text that looks like markup (tests/browser), a hundred megabytes
(test_hundred_megabytes.py), and what no single row can show of decoding (test_reading.py) and of
requests (test_api_errors.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from core.errors import Outcome, error_class
from service.api.app import create_app
from service.cli import main
from service.cli.session import Session
from service.jobs import Jobs
from service.ownership import Notify
from service.pipeline import Pipeline
from service.settings import Settings
from tests.support.live_server import live_server
from tests.support.pipelines import HARBOUR, pipeline, tell

QUESTION = "Who lit the lamp at dusk?"
PROSE = "Der König saß müde über den Büchern, während draußen die Vögel schwiegen. "
ENGLISH = "The sea was calm, and nobody spoke. "
TWO_MEGABYTES = 2 * 1024 * 1024


class Sent(NamedTuple):
    """A document and what becomes of it: an error's code, or the notices of one that is ready."""

    name: str
    data: bytes
    code: str = ""
    notices: tuple[str, ...] = ()


def with_bad_bytes(count: int) -> bytes:
    """Two megabytes of UTF-8 with this many bytes in the middle that are none."""
    page = ENGLISH.encode() + b"\n" * 4_000  # much of it empty, so that few windows are to be embedded
    half = page * (TWO_MEGABYTES // 2 // len(page) + 1)
    return half + b"\xff" * count + half


DOCUMENTS = {
    "empty": Sent("a.txt", b"", "empty_document"),
    "white space": Sent("a.md", " \r\n\t\n\u00a0\u3000".encode(), "empty_document"),
    "a byte-order mark alone": Sent("a.txt", b"\xef\xbb\xbf", "empty_document"),
    "a picture": Sent("a.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "unsupported_format"),
    "a picture that says it is text": Sent("a.txt", b"\x89PNG\r\n\x1a\n\x00\x00", "unsupported_format"),
    "a program": Sent("a", b"\x7fELF\x02\x01\x01\x00", "unsupported_format"),
    "every byte there is": Sent("a.txt", bytes(range(256)) * 20, "unsupported_format"),
    "a text with one NUL": Sent("a.txt", PROSE.encode() + b"\x00" + PROSE.encode(), "unsupported_format"),
    "a web page": Sent("a.html", b"<!doctype html><p>Words.", "unsupported_format"),
    "UTF-16 with its mark": Sent("a.txt", PROSE.encode("utf-16")),
    "UTF-16, the other order": Sent("a.txt", b"\xfe\xff" + PROSE.encode("utf-16-be")),
    "UTF-16 without a mark": Sent("a.txt", PROSE.encode("utf-16-le"), notices=("encoding_guess",)),
    "the other order without": Sent("a.txt", PROSE.encode("utf-16-be"), notices=("encoding_guess",)),
    "cp1252": Sent("a.txt", (PROSE * 9).encode("cp1252"), notices=("encoding_guess",)),
    "one bad byte in 2 MB": Sent("a.txt", with_bad_bytes(1), notices=("replaced_bytes",)),
    "over 0.1 % bad": Sent("a.txt", PROSE.encode() * 9 + b"\xff" * 2, "undecodable_text"),
    "lone surrogates in UTF-8": Sent("a.txt", PROSE.encode() * 9 + b"\xed\xa0\x80", "undecodable_text"),
    "over the limit": Sent("a.txt", b"x" * (3 * 1024 * 1024 + 1), "too_large"),
}


def outcome(code: str) -> Outcome:
    """What an error of this code becomes outside."""
    return error_class(code)("").outcome


@dataclass(frozen=True)
class Surfaces:
    """One pipeline with the harbour in it, and the two ways to it."""

    sawyer: Pipeline
    http: httpx.Client

    def command(self, *argv: str) -> int:
        """Run the command line here, over this pipeline."""

        @contextmanager
        def connect(settings: Settings, url: str | None, notify: Notify) -> Iterator[Session]:
            yield Session(self.sawyer)

        return main(argv, connect=connect)

    def unharmed(self) -> None:
        """What was there before is there still."""
        best = self.sawyer.ask(QUESTION).decision.answer
        assert best is not None
        assert best.candidate.text == "The lamp was lit by Maren at dusk."


@pytest.fixture(scope="module")
def surfaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surfaces]:
    with pipeline(tmp_path_factory.mktemp("data"), size=1300) as sawyer:
        tell(sawyer, HARBOUR)
        jobs = Jobs(sawyer)
        app = create_app(sawyer, jobs, max_document_bytes=3 * 1024 * 1024)
        with live_server(app) as url, httpx.Client(base_url=url, trust_env=False, timeout=60) as http:
            yield Surfaces(sawyer, http)
        assert jobs.close()


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAWYER_MAX_UPLOAD_MB", "3")


# -- documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_by_command_line(
    surfaces: Surfaces, sent: Sent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / sent.name).write_bytes(sent.data)
    exit_code = surfaces.command("ingest", "--json", "--collection", "shelf", str(tmp_path / sent.name))
    out, err = capsys.readouterr()
    assert exit_code == (outcome(sent.code).exit_code if sent.code else 0), err
    if sent.code == "too_large":  # told before anything is read, so there is no record
        assert (out, "has more" in err) == ("", True)
    else:
        report = json.loads(out)
        assert (report["state"], report["error_code"]) == (
            ("failed", sent.code) if sent.code else ("ready", "")
        )
        assert tuple(notice["code"] for notice in report["notices"]) == sent.notices
        assert all(f"{sent.name}: {code}: " in err for code in sent.notices)
        surfaces.sawyer.delete(report["document"]["id"])
    assert sent.name in err or not (sent.code or sent.notices)
    surfaces.unharmed()


@pytest.mark.parametrize("sent", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_by_http(surfaces: Surfaces, sent: Sent) -> None:
    form = {"file": (sent.name, sent.data)}
    reply = surfaces.http.post("/v1/documents?wait=true", files=form, data={"collection": "shelf"})
    said = reply.json()
    assert reply.status_code == (outcome(sent.code).status if sent.code else 200), said
    if sent.code:
        assert said["code"] == sent.code
    else:
        assert said["state"] == "ready"
        assert tuple(notice["code"] for notice in said["notices"]) == sent.notices
    for record in surfaces.sawyer.documents(collection="shelf"):
        assert (record.state, record.reason) == (("failed", said["detail"]) if sent.code else ("ready", ""))
        surfaces.sawyer.delete(record.id)
    surfaces.unharmed()


def test_one_bad_byte_in_two_megabytes_is_counted_and_stands_as_a_replacement_character(
    surfaces: Surfaces,
) -> None:
    data = with_bad_bytes(1)
    chunks = surfaces.http.post("/v1/chunk", json={"text": data.decode(errors="replace")}).json()["chunks"]
    assert sum(chunk["text"].count("\ufffd") for chunk in chunks) == 1


# -- names ----------------------------------------------------------------------------------------


def test_a_path_upwards_names_a_file_and_leads_nowhere(surfaces: Surfaces, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "above.md").write_text(HARBOUR)
    upwards = str(tmp_path / "below" / ".." / "above.md")
    assert surfaces.command("ingest", "--collection", "shelf", upwards) == 0
    form = {"file": ("../../etc/passwd", HARBOUR.encode())}
    assert surfaces.http.post("/v1/documents?wait=true", files=form, data={"collection": "shelf"}).is_success
    records = surfaces.sawyer.documents(collection="shelf")
    assert [record.source for record in records] == ["above.md", "passwd"]
    for record in records:
        surfaces.sawyer.delete(record.id)


def test_a_name_with_nul_is_refused(surfaces: Surfaces, capsys: pytest.CaptureFixture[str]) -> None:
    assert surfaces.command("ingest", "a\x00b.md") == 4
    assert "there is none at a\\x00b.md" in capsys.readouterr().err
    head = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a\x00b.txt"\r\n\r\n'
    reply = surfaces.http.post(
        "/v1/documents",
        content=head + b"A text.\r\n--b--\r\n",
        headers={"content-type": "multipart/form-data; boundary=b"},
    )
    assert reply.status_code == 422
    named = surfaces.http.post("/v1/documents", json={"text": "A text.", "source": "a\x00b"})
    assert (named.status_code, named.json()["code"]) == (422, "invalid_value")


def test_a_name_that_is_no_unicode_is_written_out(surfaces: Surfaces, tmp_path: Path) -> None:
    path = tmp_path / "b\udcff.md"  # the byte FF, as Python has it
    try:
        path.write_text(HARBOUR)
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    assert surfaces.command("ingest", "--collection", "shelf", str(path)) == 0
    (record,) = surfaces.sawyer.documents(collection="shelf")
    assert record.source == "b\\xff.md"
    surfaces.sawyer.delete(record.id)


# -- numbers, questions ---------------------------------------------------------------------------

LONG = "x" * 50_000
RETRIEVE, CHUNK = "/v1/retrieve", "/v1/chunk"
# What is asked by command line, and its exit code; by HTTP, and its code.
Asked = tuple[list[str], int, str, dict[str, Any] | bytes, str]
ASKED: dict[str, Asked] = {
    "size 0": (
        ["chunk", "--size", "0", "FILE"], 2, CHUNK, {"text": "A.", "chunker": "fixed", "size": 0},
        "invalid_value",
    ),
    "overlap = size": (
        ["chunk", "--size", "9", "--overlap", "9", "FILE"], 2, CHUNK,
        {"text": "A.", "size": 9, "overlap": 9}, "invalid_value",
    ),
    "overlap > size": (
        ["chunk", "--size", "9", "--overlap", "10", "FILE"], 2, CHUNK,
        {"text": "A.", "size": 9, "overlap": 10}, "invalid_value",
    ),
    "k = 0": (["ask", "-k", "0", QUESTION], 2, RETRIEVE, {"question": QUESTION, "k": 0}, "invalid_value"),
    "k = 101": (
        ["ask", "-k", "101", QUESTION], 2, RETRIEVE, {"question": QUESTION, "k": 101}, "invalid_value",
    ),
    "k = NaN": (
        ["ask", "-k", "NaN", QUESTION], 2, RETRIEVE, b'{"question": "Who?", "k": NaN}', "invalid_input",
    ),
    "k = Infinity": (
        ["ask", "-k", "inf", QUESTION], 2, RETRIEVE, b'{"question": "Who?", "k": Infinity}', "invalid_input",
    ),
    "a blank question": (["ask", " \t"], 2, RETRIEVE, {"question": " \t"}, "invalid_question"),
    "a question of 50,000 characters": (["ask", LONG], 2, RETRIEVE, {"question": LONG}, "invalid_question"),
    # On a command line a byte that is no Unicode arrives as a lone surrogate: words, like any other.
    "a lone surrogate": (
        ["ask", "Who lit \udcff the lamp?"], 0, RETRIEVE, b'{"question": "Who \\ud800?"}', "invalid_input",
    ),
    "a collection with a lone surrogate": (
        ["ask", "--collection", "\udcff", "Who?"], 2, RETRIEVE,
        b'{"question": "Who?", "collection": "\\udcff"}', "invalid_input",
    ),
    "an unknown collection": (
        ["ask", "--collection", "nowhere", "Who?"], 4, RETRIEVE,
        {"question": "Who?", "collection": "nowhere"}, "not_found",
    ),
    "an unknown chunker": (
        ["chunk", "--chunker", "guillotine", "FILE"], 2, CHUNK, {"text": "A.", "chunker": "guillotine"},
        "invalid_value",
    ),
}  # fmt: skip


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_request_outside_its_rule(
    surfaces: Surfaces, asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv, exit_code, path, body, code = asked
    (tmp_path / "a.md").write_text(HARBOUR)
    argv = [str(tmp_path / "a.md") if word == "FILE" else word for word in argv]
    assert ended(lambda: surfaces.command(*argv)) == exit_code
    err = capsys.readouterr().err
    assert "incident" not in err
    assert "Traceback" not in err
    assert bool(err) == bool(exit_code)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    reply = surfaces.http.post(path, content=content, headers={"content-type": "application/json"})
    assert (reply.json()["code"], reply.status_code) == (code, outcome(code).status)
    surfaces.unharmed()


def ended(command: Callable[[], int]) -> int | str | None:
    """The exit code, also where the parser of the command line ends the process itself."""
    try:
        return command()
    except SystemExit as left:
        return left.code
