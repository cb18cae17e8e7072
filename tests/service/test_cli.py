"""The `sawyer` command over a Sawyer in memory: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.errors import EmbedderMismatch, ServerUnreachable
from core.identity import document_id
from service.cli import main
from service.cli.files import find_files
from service.cli.output import printable
from service.cli.session import Session
from service.ownership import Notify, own
from service.settings import Settings
from tests.support.fake_sawyer import FakeSawyer

ROOT = Path(__file__).resolve().parents[2]
STORY = (
    "# The Harbour\n\n## Night\n\nThe lamp was lit by Maren. It burned until dawn.\n\nNobody saw the boat.\n"
)


@dataclass
class Terminal:
    """The command line with everything it prints; ``url`` pretends that a server answers."""

    capture: pytest.CaptureFixture[str]
    sawyer: FakeSawyer = field(default_factory=FakeSawyer)
    url: str | None = None
    asked: list[tuple[Settings, str | None]] = field(default_factory=list)
    out: str = ""
    err: str = ""

    @contextmanager
    def connect(
        self,
        settings: Settings,
        url: str | None,
        notify: Notify,  # noqa: ARG002 - the seam's
    ) -> Iterator[Session]:
        self.asked.append((settings, url))
        yield Session(self.sawyer, url or self.url)

    def __call__(self, *argv: str) -> int:
        exit_code = main(argv, connect=self.connect)
        self.out, self.err = self.capture.readouterr()
        return exit_code

    def json_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.md"
    path.write_text(STORY, encoding="utf-8")
    return path


# -- ingest ---------------------------------------------------------------------------------------


def test_a_file_is_named_by_its_name_and_reported_on_one_line(terminal: Terminal, story: Path) -> None:
    assert terminal("ingest", str(story)) == 0
    identity = document_id("default", "harbour.md")
    assert terminal.out == f"ready      {identity}  harbour.md  {len(STORY)} characters, 2 chunks\n"
    assert terminal.err == ""
    assert terminal("ingest", str(story)) == 0
    assert terminal.out.startswith("unchanged  ")


def test_a_folder_gives_its_texts_by_relative_path(terminal: Terminal, tmp_path: Path) -> None:
    for name in ("b/two.md", "b/c/three.TXT", "one.markdown", "b/.hidden.md", ".git/x.md", "cover.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(STORY)
    assert terminal("ingest", str(tmp_path), "--collection", "tales") == 0
    assert [r.source for r in terminal.sawyer.documents(collection="tales")] == [
        "b/c/three.TXT",
        "b/two.md",
        "one.markdown",
    ]
    assert "passed over 1 file of other kinds" in terminal.err


def test_links_that_lead_back_end(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "one.md").write_text("x")
    (inner / "up").symlink_to(tmp_path)
    (inner / "self").symlink_to(inner)
    (inner / "gone.md").symlink_to(tmp_path / "nowhere")
    assert [file.source for file in find_files([tmp_path]).files] == ["a/b/one.md"]


def test_the_same_file_named_twice_is_one_source(tmp_path: Path, story: Path) -> None:
    assert [file.source for file in find_files([story, tmp_path, story]).files] == ["harbour.md"]


def test_two_files_that_would_replace_each_other_are_refused(terminal: Terminal, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "emma.md").write_text(STORY)
    assert terminal("ingest", str(tmp_path / "a" / "emma.md"), str(tmp_path / "b" / "emma.md")) == 2
    assert "files must have different sources" in terminal.err
    assert terminal.sawyer.records == {}


def test_the_first_failure_decides_the_exit_code_and_all_are_listed(
    terminal: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "1-good.md").write_text(STORY)
    (tmp_path / "2-empty.md").write_text("  \n")
    (tmp_path / "3-binary.txt").write_bytes(b"\0\1\2")
    (tmp_path / "4-good.md").write_text(STORY)
    assert terminal("ingest", str(tmp_path)) == 3
    assert [line.split()[0] for line in terminal.out.splitlines()] == ["ready", "failed", "failed", "ready"]
    told = terminal.err.splitlines()
    assert told[0] == "sawyer: 2 of 4 failed:"
    assert told[1].startswith("sawyer: 2-empty.md: a document must hold")
    assert told[2].startswith("sawyer: 3-binary.txt: bytes must be text")


def test_what_is_no_fault_of_a_file_ends_the_run(terminal: Terminal, story: Path) -> None:
    terminal.sawyer.failure = EmbedderMismatch("collection must be asked with what indexed it")
    assert terminal("ingest", str(story)) == 7
    assert terminal.err == "sawyer: collection must be asked with what indexed it\n"


def test_json_is_one_report_a_line(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(STORY)
    (tmp_path / "b.md").write_text("")
    assert terminal("ingest", "--json", str(tmp_path)) == 3
    first, second = terminal.json_lines()
    assert (first["state"], first["document"]["source"], first["document"]["chunks"]) == ("ready", "a.md", 2)
    assert (second["state"], second["error_code"]) == ("failed", "empty_document")


def test_notices_go_to_standard_error(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "cafe.txt").write_bytes(b"caf\xe9")
    assert terminal("ingest", str(tmp_path / "cafe.txt")) == 0
    assert "cafe.txt: encoding_guess: " in terminal.err
    assert "encoding_guess" not in terminal.out


def test_a_title_names_one_file(terminal: Terminal, story: Path, tmp_path: Path) -> None:
    assert terminal("ingest", str(story), "--title", "Harbour Lights") == 0
    assert terminal.sawyer.documents()[0].title == "Harbour Lights"
    (tmp_path / "other.md").write_text(STORY)
    assert terminal("ingest", str(tmp_path), "--title", "Both") == 2
    assert "--title must name one file, got 2" in terminal.err


@pytest.mark.parametrize(
    ("name", "exit_code", "message"),
    [
        ("nowhere.md", 4, "path must be a file or a folder, there is none at"),
        ("empty folder", 2, "folder must hold .txt, .md, .markdown files"),
    ],
)
def test_a_path_with_nothing_to_take_is_told(
    name: str, exit_code: int, message: str, terminal: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "empty folder").mkdir()
    assert terminal("ingest", str(tmp_path / name)) == exit_code
    assert message in terminal.err
    assert terminal.asked == [], "nothing was opened for it"


def test_a_file_over_the_limit_is_not_read_whole(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAWYER_MAX_UPLOAD_MB", "1")
    with (tmp_path / "huge.txt").open("wb") as stream:
        stream.truncate(1 << 40)  # a terabyte of nothing
    assert terminal("ingest", str(tmp_path / "huge.txt")) == 3
    assert "huge.txt has more" in terminal.err


# -- ask ------------------------------------------------------------------------------------------


def test_an_answer_is_a_sentence_with_its_source_and_confidence(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("ask", "Who lit the lamp, Maren?") == 0
    start = STORY.index("The lamp was lit")
    assert terminal.out.splitlines() == [
        "The lamp was lit by Maren.",
        "",
        f"Source: The Harbour / Night, characters {start}–{start + 26}",
        "Confidence: very likely (1.00)",
    ]


def test_no_answer_says_why_and_shows_the_closest_and_is_no_failure(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("ask", "Which lamp did the grocer sell on Tuesday?") == 0
    assert terminal.out.startswith("No answer: no sentence here says enough about what you ask.\n")
    assert "an answer needs 0.50" in terminal.out
    assert "Closest passages:\n  The lamp was lit by Maren. It burned until dawn." in terminal.out


def test_an_empty_collection_says_what_to_do(terminal: Terminal) -> None:
    assert terminal("ask", "Who?") == 0
    assert "add one with `sawyer ingest PATH`" in terminal.out


def test_json_is_the_reply_of_the_api_on_one_line(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("ask", "--json", "-k", "1", "Who lit the lamp, Maren?") == 0
    (reply,) = terminal.json_lines()
    assert reply["answer"]["text"] == "The lamp was lit by Maren."
    assert STORY[reply["answer"]["start"] : reply["answer"]["end"]] == reply["answer"]["text"]
    assert [hit["rank"] for hit in reply["hits"]] == [1]
    assert reply["hits"][0]["chapter"] == "The Harbour / Night"
    assert (reply["reason"], reply["threshold"]) == ("answered", 0.5)


@pytest.mark.parametrize(
    ("argv", "exit_code"),
    [
        (["ask", "   "], 2),
        (["ask", "x" * 50_000], 2),
        (["ask", "-k", "0", "Who?"], 2),
        (["delete", "no-such-id"], 4),
    ],
)
def test_errors_end_with_the_exit_code_of_the_table(
    argv: Sequence[str], exit_code: int, terminal: Terminal
) -> None:
    assert terminal(*argv) == exit_code
    assert terminal.out == ""
    assert terminal.err.startswith("sawyer: ")


def test_a_bug_shows_a_number_and_keeps_its_text_for_the_log(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    terminal.sawyer.failure = RuntimeError("secret detail")
    assert terminal("documents") == 1
    assert "incident" in terminal.err
    assert "secret detail" not in terminal.err
    (log,) = tmp_path.glob("sawyer-incident-*.log")
    assert "secret detail" in log.read_text()
    assert str(log) in terminal.err


# -- documents, delete, reindex -------------------------------------------------------------------


def test_documents_are_a_table_and_deleting_takes_one_out(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    identity = document_id("default", "harbour.md")
    assert terminal("documents") == 0
    header, row = terminal.out.splitlines()
    assert header.split() == ["ID", "STATE", "CHARACTERS", "CHUNKS", "COLLECTION", "SOURCE", "TITLE"]
    assert row.split() == [identity, "ready", str(len(STORY)), "2", "default", "harbour.md", "The", "Harbour"]
    assert terminal("documents", "--json") == 0
    assert terminal.json_lines()[0]["id"] == identity
    assert terminal("delete", identity, "unknown") == 4
    assert terminal.out == f"purged     {identity}\n"
    assert "1 of 2 failed" in terminal.err
    assert terminal("documents") == 0
    assert terminal.out == ""
    assert "there are no documents" in terminal.err


def test_documents_of_one_collection_only(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("documents", "--json", "--collection", "tales") == 0
    assert terminal.out == ""


def test_reindex_counts(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("reindex") == 0
    assert terminal.out == "reindexed  1 document\n"
    assert terminal("reindex", "--json") == 0
    assert terminal.json_lines() == [{"documents": 1}]


# -- settings and servers -------------------------------------------------------------------------


def test_flags_become_settings(terminal: Terminal, story: Path, tmp_path: Path) -> None:
    flags = (
        "--chunker fixed --size 300 --unit words --overlap 20 --embedder st:tiny --index chunks --lock-wait 2"
    )
    assert terminal("ingest", str(story), "--data-dir", str(tmp_path / "data"), *flags.split()) == 0
    settings, url = terminal.asked[0]
    assert url is None
    assert (settings.chunker, settings.chunk_size, settings.chunk_unit) == ("fixed", 300, "words")
    assert (settings.chunk_overlap, settings.embedder, settings.index) == (20, "st:tiny", "chunks")
    assert (settings.data_dir, settings.lock_wait) == (tmp_path / "data", 2.0)


def test_what_a_server_decides_is_not_silently_ignored(terminal: Terminal, story: Path) -> None:
    terminal.url = "http://127.0.0.1:7001"
    assert terminal("ingest", str(story), "--chunker", "fixed", "--overlap", "3") == 2
    assert "--chunker, --overlap must be left to the server at http://127.0.0.1:7001" in terminal.err
    assert terminal.sawyer.records == {}
    assert terminal("ingest", str(story)) == 0


def test_a_url_forces_a_server(terminal: Terminal) -> None:
    assert terminal("documents", "--url", "http://127.0.0.1:7002") == 0
    assert terminal.asked[0][1] == "http://127.0.0.1:7002"


def test_a_bad_setting_is_told_before_anything_is_opened(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAWYER_PORT", "many")
    assert terminal("documents") == 2
    assert "SAWYER_PORT must be" in terminal.err
    assert terminal.asked == []


def test_nobody_at_the_url_has_its_exit_code(terminal: Terminal) -> None:
    terminal.sawyer.failure = ServerUnreachable("no Sawyer answers")
    assert terminal("documents") == 11


def test_a_busy_directory_names_its_holder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with own(tmp_path):
        assert main(["documents", "--data-dir", str(tmp_path), "--lock-wait", "0"]) == 6
    assert f"held by pid {os.getpid()}" in capsys.readouterr().err


def test_chunks_have_chapters_where_an_ingest_would_give_them(terminal: Terminal, tmp_path: Path) -> None:
    for name, chapter in (("harbour.md", "The Harbour / Night"), ("harbour.txt", "")):
        (tmp_path / name).write_text(STORY, encoding="utf-8")
        assert terminal("chunk", "--chunker", "sentence", str(tmp_path / name)) == 0
        assert terminal.json_lines()[-1]["chapter"] == chapter


@pytest.mark.parametrize(
    "argv", [[], ["fetch"], ["ask"], ["chunk", "--unit", "pages", "x"], ["ask", "-k", "many", "x"]]
)
def test_a_wrong_command_line_ends_with_two(argv: list[str], terminal: Terminal) -> None:
    with pytest.raises(SystemExit) as ended:
        terminal(*argv)
    assert ended.value.code == 2


# -- terminals and pipes --------------------------------------------------------------------------


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
