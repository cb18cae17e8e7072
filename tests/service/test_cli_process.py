"""The real command with its real parts, one process after another on one data directory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.values import Span

ROOT = Path(__file__).resolve().parents[2]
TALE = """# Title: The Tide Table

## The harbour

Maren kept the harbour light on the island of Holm for eleven years. Every evening she carried a can of
oil up the ninety-one steps. The light could be seen from nine miles away.

## The letter

In March a letter came from the mainland. It said that the light would be put out at midsummer, because
the ferry no longer came by night. Maren read it twice and put it under the bread tin.
"""
QUESTION = "How many steps did she carry the oil up every evening?"
CHINESE = """# 灯塔

玛伦在岛上守了十一年的灯塔。每天晚上她提着一罐油走上九十一级台阶。

三月里从大陆来了一封信。
"""


def _sawyer(*argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "service.cli", *argv],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    path = tmp_path / "tide.md"
    path.write_bytes(TALE.replace("\n", "\r\n").encode())
    return path


def test_a_text_is_ingested_asked_listed_and_deleted_by_separate_processes(
    tale: Path, tmp_path: Path
) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    done = _sawyer("ingest", str(tale), *data)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ready      ")
    assert _sawyer("ingest", str(tale), *data).stdout.startswith("unchanged  ")

    done = _sawyer("ask", "--json", QUESTION, *data)
    assert (done.returncode, done.stderr) == (0, "")
    reply = json.loads(done.stdout)
    answer = reply["answer"]
    assert answer is not None, reply
    assert "ninety-one steps" in answer["text"]
    text = tale.read_bytes().decode()
    assert Span(answer["start"], answer["end"]).of(text) == answer["text"]
    for hit in reply["hits"]:
        assert Span(hit["start"], hit["end"]).of(text) == hit["text"]

    (record,) = [json.loads(line) for line in _sawyer("documents", "--json", *data).stdout.splitlines()]
    assert (record["title"], record["source"], record["state"]) == ("The Tide Table", "tide.md", "ready")
    done = _sawyer("delete", record["id"], *data)
    assert (done.returncode, done.stdout) == (0, f"purged     {record['id']}\n")
    assert _sawyer("documents", "--json", *data).stdout == ""
    done = _sawyer("ask", QUESTION, *data)
    assert done.returncode == 0
    assert done.stdout.startswith("No answer: the collection holds no text yet")


def test_a_chinese_question_on_a_chinese_text_has_its_answer(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    (tmp_path / "灯塔.md").write_text(CHINESE, encoding="utf-8")
    assert _sawyer("ingest", str(tmp_path / "灯塔.md"), *data).returncode == 0
    done = _sawyer("ask", "--json", "玛伦在岛上守了多少年的灯塔？", *data)
    reply = json.loads(done.stdout)
    assert reply["answer"] is not None, reply
    assert reply["answer"]["text"] == "玛伦在岛上守了十一年的灯塔。"


@pytest.mark.parametrize(
    ("argv", "exit_code", "message"),
    [
        (["ask", "-k", "0", "Who?"], 2, "k must be in"),
        (["ask", "x" * 50_000], 2, "a question must have at most 2,000 characters, got 50,000"),
        (["ask", "--collection", "nowhere", "Who?"], 4, "there is no collection"),
        (["ask", "Who?", "--embedder", "oracle"], 2, "embedder must be"),
        (["ingest", "tide.md", "--overlap", "400", "--size", "400"], 2, "overlap must be in [0, size)"),
        (["delete", "0" * 32], 4, "there is no document"),
        (["ask", b"who \xff is it?".decode("utf-8", "surrogateescape")], 0, ""),
    ],
)
def test_what_cannot_be_is_told_with_its_rule(
    argv: list[str], exit_code: int, message: str, tale: Path, tmp_path: Path
) -> None:
    argv = [str(tale) if word == "tide.md" else word for word in argv]
    done = _sawyer(*argv, "--data-dir", str(tmp_path / "data"))
    assert done.returncode == exit_code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "incident" not in done.stderr


# -- chunk ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--chunker", "fixed", "--size", "60", "--unit", "chars", "--overlap", "20"],
        ["--chunker", "sentence"],
    ],
)
def test_chunk_prints_json_lines_alone_with_offsets_into_the_decoded_file(
    flags: list[str], tale: Path
) -> None:
    done = _sawyer("chunk", *flags, str(tale), SAWYER_DATA_DIR="/nowhere/at/all")
    assert (done.returncode, done.stderr) == (0, "")
    chunks = [json.loads(line) for line in done.stdout.splitlines()]
    text = tale.read_bytes().decode()
    assert chunks
    for chunk in chunks:
        assert set(chunk) == {"id", "start", "end", "text", "chapter", "propositions"}
        assert Span(chunk["start"], chunk["end"]).of(text) == chunk["text"]
    assert len({chunk["id"] for chunk in chunks}) == len(chunks)
    assert chunks[-1]["chapter"].startswith("Title: The Tide Table / The ")


def test_chunk_reports_a_guess_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "cafe.txt").write_bytes(b"caf\xe9\n")
    done = _sawyer("chunk", str(tmp_path / "cafe.txt"))
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == ["café"]
    assert "cafe.txt: encoding_guess: read as cp1252" in done.stderr


def test_chunk_is_quiet_when_its_reader_stops(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("One short sentence. " * 20_000)
    chunk = [
        sys.executable,
        "-m",
        "service.cli",
        "chunk",
        "--chunker",
        "sentence",
        str(tmp_path / "long.txt"),
    ]
    process = subprocess.Popen(chunk, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b'{"id"')
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")


# -- serve ----------------------------------------------------------------------------------------


@contextmanager
def _serving(directory: Path) -> Iterator[str]:
    argv = ["serve", "--port", "0", "--no-chat", "--data-dir", str(directory)]
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", *argv], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("Sawyer is ready at "), line
        yield line.split()[-1]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_commands_find_a_running_server_and_a_second_server_is_refused(tale: Path, tmp_path: Path) -> None:
    directory = tmp_path / "data"
    data = ("--data-dir", str(directory))
    with _serving(directory) as url:
        done = _sawyer("ingest", str(tale), *data)
        assert (done.returncode, done.stderr) == (0, f"sawyer: using the server at {url}\n")
        done = _sawyer("ask", QUESTION, *data)
        assert "ninety-one steps" in done.stdout.splitlines()[0]
        assert "Source: The Tide Table / The harbour, characters " in done.stdout
        done = _sawyer("serve", "--port", "0", *data)
        assert done.returncode == 6
        assert url in done.stderr
        assert "held by pid" in done.stderr
        done = _sawyer("ask", "Who?", "--embedder", "st:other", *data)
        assert done.returncode == 2
        assert "--embedder must be left to the server" in done.stderr
    done = _sawyer("documents", "--json", *data)
    assert done.stderr == "", "the server is gone, so the command serves itself"
    assert "tide.md" in {json.loads(line)["source"] for line in done.stdout.splitlines()}


def test_two_commands_on_one_directory_take_turns(tale: Path, tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"), "--collection")
    started = time.monotonic()
    argv = [sys.executable, "-m", "service.cli", "ingest", str(tale), *data]
    both = [
        subprocess.Popen([*argv, name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in ("first", "second")
    ]
    ended = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    assert all(out.startswith("ready ") for out, _ in ended)
    assert time.monotonic() - started < 60
    listed = _sawyer("documents", "--json", *data[:2]).stdout.splitlines()
    assert sorted(json.loads(line)["collection"] for line in listed) == ["first", "second"]
