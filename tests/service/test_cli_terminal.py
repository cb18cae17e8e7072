"""The `sawyer` command at a terminal or in a pipe: escapes, interrupts, encodings, progress."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.cli.output import printable
from tests.support.terminal import STORY, Terminal

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07\x1b]0;title\x07", "\\x1b[31mred\\x07\\x1b]0;title\\x07"),
        ("one\r\n\ttwo\u2028three", "one two three"),
        ("\x9b31m and \x00", "\\x9b31m and \\x00"),
        ("safe\u202egnp.exe", "safe\\u202egnp.exe"),
        ("\ud800", "\\ud800"),
        ("naïve 海 👩‍👩‍👧", "naïve 海 👩‍👩‍👧"),
    ],
)
def test_text_from_outside_cannot_drive_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_an_escape_sequence_in_a_book_is_shown_not_sent(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "evil\x1b[2J.md"
    path.write_text("# \x1b[31mRed\n\nThe lamp was \x1b]0;owned\x07 lit by Maren.\n")
    assert terminal("ingest", str(path)) == 0
    printed = terminal.out + terminal.err
    for argv in (["documents"], ["ask", "Was the lamp lit by Maren?"], ["documents", "--json"]):
        assert terminal(*argv) == 0
        printed += terminal.out + terminal.err
    assert "lit by Maren" in printed
    assert "\x1b" not in printed


DRIVER = """
import sys, time
from contextlib import contextmanager
from service.cli import main
from service.cli.session import Session
from tests.support.fake_sawyer import FakeSawyer
class Slow(FakeSawyer):
    def ingest(self, source, *, collection="default", progress=None):
        print("ingesting", file=sys.stderr, flush=True)
        if progress:
            progress("embedding", 1, 2)
        time.sleep(float(sys.argv[1]))
        return super().ingest(source, collection=collection, progress=progress)
@contextmanager
def connect(settings, url, notify):
    try:
        yield Session(Slow())
    finally:
        print("closed", file=sys.stderr, flush=True)
sys.exit(main(sys.argv[2:], connect=connect))
"""


def _driven(seconds: float, *argv: str, **streams: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(seconds), *argv], text=True, cwd=ROOT, **streams
    )


def test_an_interrupt_ends_with_130_and_lets_go(story: Path) -> None:
    process = _driven(30, "ingest", str(story), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline() == "ingesting\n"
    process.send_signal(2)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, "", "closed\n")


def test_a_reader_that_has_enough_ends_it_quietly(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(STORY)
    process = _driven(0, "ingest", str(tmp_path), "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=10) == 141
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


def test_a_terminal_of_another_encoding_does_not_make_a_command_fail(tmp_path: Path) -> None:
    (tmp_path / "海.md").write_text("# 海上生明月\n\nwords\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    process = _driven(
        0, "ingest", str(tmp_path / "海.md"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    out, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "\\u6d77.md" in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_and_results_stay_apart(story: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = _driven(0.5, "ingest", str(story), stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    out, _ = process.communicate(timeout=20)
    shown = _drained(lambda: os.read(ours, 65536))
    os.close(ours)
    assert "embedding" in shown
    assert "harbour.md" in shown
    assert out.startswith("ready      ")
    assert "\x1b" not in out


def _drained(read: Callable[[], bytes]) -> str:
    got = b""
    while True:
        try:
            piece = read()
        except OSError:  # how a pseudo-terminal says that the other end is closed
            return got.decode(errors="replace")
        if not piece:
            return got.decode(errors="replace")
        got += piece
