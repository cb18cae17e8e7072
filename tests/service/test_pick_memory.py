"""Picks outlive the process that had them, hold no text, and are shared by any number of processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier, Lock

import pytest

from chunkers.pick_memory import PickMemory, window_key
from core.errors import StoreError
from service.pick_memory import FILE, SqlitePickMemory
from tests.support.chat_rules import by_hash, is_pick, picking, shown
from tests.support.openai_server import Cut, Hang, OpenAIServer, Reply, Request
from tests.support.picks import RulePicker

ROOT = Path(__file__).resolve().parents[2]
TEXT = "\n\n".join(
    f"On day {day} the ferry crossed the river again, with so many people, and the water rose a little more "
    "than it had on the day before, until nobody could see the stones at the landing."
    for day in range(300)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE


def test_what_is_kept_is_recalled_by_this_and_by_every_later_memory(path: Path) -> None:
    memory = SqlitePickMemory(path)
    assert isinstance(memory, PickMemory)
    assert memory.recall(["a"]) == {}
    assert not path.exists(), "asking makes no file"
    memory.keep("a", 3)
    memory.keep("b", 1)
    memory.keep("a", 4)
    assert memory.recall(["a", "b", "c"]) == {"a": 3, "b": 1}
    memory.close()
    assert memory.recall(["b"]) == {"b": 1}
    memory.close()
    later = SqlitePickMemory(path)
    keys = [f"key {number}" for number in range(1_500)]
    for key in keys:
        later.keep(key, 2)
    assert len(later.recall([*keys, "a"])) == 1_501
    later.close()


def test_many_may_open_a_new_file_at_the_same_moment(tmp_path: Path) -> None:
    for turn in range(10):
        memories = [SqlitePickMemory(tmp_path / f"{turn}.sqlite") for _ in range(8)]
        start = Barrier(len(memories))

        def keep(number: int, memories: list[SqlitePickMemory] = memories, start: Barrier = start) -> None:
            start.wait()
            memories[number].keep(str(number), 1)

        with ThreadPoolExecutor(len(memories)) as threads:
            list(threads.map(keep, range(len(memories))))
        assert len(memories[0].recall([str(number) for number in range(len(memories))])) == len(memories)
        for memory in memories:
            memory.close()


def test_what_is_no_number_in_a_damaged_file_is_no_pick(path: Path) -> None:
    memory = SqlitePickMemory(path)
    memory.keep("a", 3)
    memory.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO picks VALUES ('b', 'two'), ('c', x'00')")
        connection.commit()
    assert memory.recall(["a", "b", "c"]) == {"a": 3}
    memory.close()


def test_a_key_is_of_the_picker_and_of_every_paragraph_and_tells_neither() -> None:
    window = ["one two", "three"]
    keys = {
        window_key(RulePicker(), window),
        window_key(RulePicker(seed=1), window),
        window_key(RulePicker(), ["one", "two three"]),
        window_key(RulePicker(), ["one two"]),
    }
    assert len(keys) == 4
    assert all(set(key) <= set("0123456789abcdef") for key in keys)


def test_a_file_that_cannot_be_used_is_named_with_the_remedy(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, whatever its name says" * 99)
    with pytest.raises(StoreError, match=r"memory of picks .* cannot be used .* move it away"):
        SqlitePickMemory(path).recall(["a"])


def _keep(path: Path, name: str, count: int) -> None:
    memory = SqlitePickMemory(path)
    for number in range(count):
        memory.keep(f"{name} {number}", number)
        memory.keep(f"shared {number}", number)
    memory.close()


def test_several_processes_keep_picks_at_once(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_keep, args=(path, name, 60)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    memory = SqlitePickMemory(path)
    keys = [f"{name} {number}" for name in ("a", "b", "c", "shared") for number in range(60)]
    assert len(memory.recall(keys)) == 240
    memory.close()


class Answering:
    """A model that picks by rule and falls silent after so many windows."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.answered: list[tuple[str, ...]] = []
        self.left_waiting = 0
        self._lock = Lock()
        self._pick = picking(by_hash)

    def __call__(self, request: Request) -> Reply | Hang | Cut:
        if is_pick(request):
            with self._lock:
                if self.most is not None and len(self.answered) >= self.most:
                    self.left_waiting += 1
                    return Hang()
                self.answered.append(tuple(shown(request)))
        return self._pick(request)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def chunking(server: OpenAIServer, data: Path, file: Path, *flags: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "SAWYER_DATA_DIR": str(data),
        "SAWYER_CHAT_MODEL": "rule",
        "SAWYER_CHAT_BASE_URL": server.base_url,
        "SAWYER_CHAT_API_KEY": "sk-test",
    }
    command = [sys.executable, "-m", "service.cli", "chunk", "--chunker", "lumber", *flags, str(file)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_killed_half_way_and_run_again_no_window_whose_answer_had_come_is_asked_again(
    server: OpenAIServer, tmp_path: Path
) -> None:
    file, data = tmp_path / "ferry.txt", tmp_path / "data"
    file.write_text(TEXT, encoding="utf-8")
    first = Answering(most=30)
    server.always(first)
    process = chunking(server, data, file)
    deadline, waiting = time.monotonic() + 60, -1
    while time.monotonic() < deadline and not 0 < first.left_waiting == waiting:  # all workers wait
        waiting = first.left_waiting
        time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert first.left_waiting > 1

    again = Answering(most=None)
    server.always(again)
    process = chunking(server, data, file)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert len(first.answered) == len(set(first.answered)) == 30
    assert not set(first.answered) & set(again.answered)
    assert len(again.answered) == len(set(again.answered))
    assert b"remembered" in err

    fresh = Answering(most=None)
    server.always(fresh)
    process = chunking(server, tmp_path / "other", file)
    assert process.communicate(timeout=120)[0] == out, "the same chunks as in one go"

    with closing(sqlite3.connect(data / FILE)) as database:
        kept = database.execute("SELECT * FROM picks").fetchall()
    assert len(kept) == len(first.answered) + len(again.answered)
    assert all(len(key) == 32 and isinstance(pick, int) for key, pick in kept)
    for stored in data.iterdir():
        assert b"ferry" not in stored.read_bytes()
