"""One process owns a data directory: proved with real processes, dead ones among them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import DataDirectoryBusy, StoreError
from service.ownership import CARD, find_owner, own

ROOT = Path(__file__).resolve().parents[2]
# Owns the directory, says so, and lets go when its standard input ends.
HOLDER = """
import sys
from pathlib import Path
from service.ownership import own
directory, server, url = Path(sys.argv[1]), sys.argv[2] == "server", sys.argv[3] or None
with own(directory, server=server, url=url) as ownership:
    print("owned", flush=True)
    for line in sys.stdin:
        ownership.announce(line.strip())
        print("announced", flush=True)
"""

Holder = subprocess.Popen[str]
Hold = Callable[..., Holder]


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Hold]:
    holders: list[Holder] = []

    def start(directory: Path, *, role: str = "command", url: str = "") -> Holder:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(directory), role, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        holders.append(holder)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "owned\n"
        return holder

    yield start
    for holder in holders:
        with suppress(BrokenPipeError):
            holder.communicate(timeout=10)


def _let_go(holder: Holder) -> None:
    holder.communicate(timeout=10)
    assert holder.returncode == 0


def test_an_owner_is_found_while_it_lives_and_not_after(tmp_path: Path, hold: Hold) -> None:
    assert find_owner(tmp_path) is None
    holder = hold(tmp_path)
    owner = find_owner(tmp_path)
    assert owner is not None
    assert (owner.pid, owner.server, owner.url) == (holder.pid, False, None)
    _let_go(holder)
    assert find_owner(tmp_path) is None
    assert not (tmp_path / CARD).exists()


def test_a_server_tells_its_url_before_or_after_it_listens(tmp_path: Path, hold: Hold) -> None:
    holder = hold(tmp_path, role="server")
    owner = find_owner(tmp_path)
    assert owner is not None
    assert (owner.server, owner.url) == (True, None)
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdin.write("http://127.0.0.1:7001\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "announced\n"
    owner = find_owner(tmp_path)
    assert owner is not None
    assert owner.url == "http://127.0.0.1:7001"


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:7001"])
def test_a_second_server_is_refused_in_under_a_second_naming_the_first(
    url: str, tmp_path: Path, hold: Hold
) -> None:
    holder = hold(tmp_path, role="server", url=url)
    started = time.monotonic()
    with pytest.raises(DataDirectoryBusy) as caught, own(tmp_path, server=True, wait=30):
        pass
    assert time.monotonic() - started < 1
    assert f"pid {holder.pid}" in str(caught.value)
    assert url in str(caught.value)
    assert find_owner(tmp_path) is not None, "the first still owns it"


def test_a_command_does_not_wait_for_a_server_that_it_can_ask(tmp_path: Path, hold: Hold) -> None:
    hold(tmp_path, url="http://127.0.0.1:7001")
    started = time.monotonic()
    with pytest.raises(DataDirectoryBusy, match=r"--url http://127\.0\.0\.1:7001"), own(tmp_path, wait=30):
        pass
    assert time.monotonic() - started < 1


def test_a_command_waits_for_another_and_says_once_for_whom(tmp_path: Path, hold: Hold) -> None:
    holder = hold(tmp_path)
    said: list[str] = []

    def notify(message: str) -> None:
        said.append(message)
        _let_go(holder)

    with own(tmp_path, wait=30, notify=notify) as ownership:
        assert ownership.owner.pid == os.getpid()
    assert len(said) == 1
    assert said[0].startswith(f"waiting up to 30 s for {tmp_path}, held by pid {holder.pid} (")


def test_waiting_ends_with_the_holder_named(tmp_path: Path, hold: Hold) -> None:
    holder = hold(tmp_path)
    started = time.monotonic()
    with (
        pytest.raises(DataDirectoryBusy, match=rf"held by pid {holder.pid} .*--lock-wait"),
        own(tmp_path, wait=0.5),
    ):
        pass
    assert 0.5 <= time.monotonic() - started < 2


@pytest.mark.parametrize("role", ["command", "server"])
def test_the_lock_of_a_killed_process_is_taken_over(role: str, tmp_path: Path, hold: Hold) -> None:
    holder = hold(tmp_path, role=role, url="http://127.0.0.1:7001" if role == "server" else "")
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(timeout=10)
    assert (tmp_path / CARD).exists(), "it had no time to clean up"
    assert find_owner(tmp_path) is None
    with own(tmp_path, server=role == "server"):
        owner = find_owner(tmp_path)
        assert owner is not None
        assert owner.pid == os.getpid()


def test_looking_for_an_owner_never_makes_a_directory_seem_busy(tmp_path: Path, hold: Hold) -> None:
    holder = hold(tmp_path)
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(timeout=10)
    looker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from service.ownership import find_owner\n"
            "print('looking', flush=True)\nwhile True: find_owner(Path(sys.argv[1]))",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        assert looker.stdout is not None
        looker.stdout.readline()
        for _ in range(3):
            (tmp_path / CARD).write_text(
                json.dumps({"pid": 1, "command": "x", "started": "y"})
            )  # stale again
            with own(tmp_path):
                pass
    finally:
        looker.kill()
        looker.communicate()


def test_one_process_cannot_own_twice_but_can_own_again(tmp_path: Path) -> None:
    with own(tmp_path), pytest.raises(DataDirectoryBusy), own(tmp_path):
        pass
    with own(tmp_path / "made" / "on the way"):
        pass
    with own(tmp_path):
        pass


def test_an_error_inside_releases(tmp_path: Path) -> None:
    with pytest.raises(KeyError), own(tmp_path):
        raise KeyError
    assert find_owner(tmp_path) is None
    with own(tmp_path):
        pass


def test_a_damaged_card_is_no_owner_and_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / CARD).write_text('{"pid": ')
    assert find_owner(tmp_path) is None
    with own(tmp_path):
        assert find_owner(tmp_path) is not None


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(StoreError, match="data directory must be a folder"), own(file):
        pass


def test_a_folder_where_the_owner_cannot_be_named_is_an_error_of_the_tree_and_is_not_held(
    tmp_path: Path,
) -> None:
    # Stands in for a full disk: the empty lock file is made, the card is not.
    (tmp_path / CARD).mkdir()
    with pytest.raises(StoreError, match="must be a folder that can be written"), own(tmp_path):
        pass
    (tmp_path / CARD).rmdir()
    with own(tmp_path):
        pass
