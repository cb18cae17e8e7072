"""The `sawyer` command over a Sawyer in memory: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import ServerUnreachable
from core.identity import document_id
from service.cli import main
from service.ownership import own
from service.values import DocumentRecord, Notice
from tests.support.terminal import STORY, Terminal

# -- ask ------------------------------------------------------------------------------------------


def test_an_answer_is_a_sentence_with_its_source_and_confidence(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("ask", "Who lit the lamp, Maren?") == 0
    start = STORY.index("The lamp was lit")
    assert terminal.out.splitlines()[:5] == [
        "The lamp was lit by Maren.",
        "",
        f"Source: The Harbour / Night, characters {start}–{start + 26}",
        "Confidence: very likely (1.00)",
        "Chosen by: clean, which answers from 0.50",
    ]


def test_no_answer_says_why_and_shows_the_closest_and_is_no_failure(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("ask", "Which lamp did the grocer sell on Tuesday?") == 0
    assert terminal.out.startswith("No answer: no sentence here says enough about what you ask.\n")
    assert "The best sentence, chosen by clean, reaches 0." in terminal.out
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
    assert (reply["selector"], reply["probability"]) == ("clean", 1.0)


@pytest.mark.parametrize("url", [None, "http://127.0.0.1:7001"])
def test_a_question_names_its_selector_to_a_server_too(
    terminal: Terminal, story: Path, url: str | None
) -> None:
    terminal.url = url
    terminal("ingest", str(story))
    assert terminal("ask", "--selector", "cnn-cnt+all", "Who lit the lamp, Maren?") == 0
    assert terminal.out.endswith("\nChosen by: cnn-cnt+all, which answers from 0.50\n")
    assert terminal("ask", "--selector", "psychic", "Who lit the lamp, Maren?") == 2
    assert "a selector must be one of overlap, wd-cnt, " in terminal.err


def test_an_answer_says_what_counted_where_its_selector_can(terminal: Terminal, story: Path) -> None:
    terminal("ingest", str(story))
    assert terminal("ask", "--selector", "overlap", "Who lit the lamp, Maren?") == 0
    assert terminal.out.endswith("\nChosen by: overlap, which answers from 0.50\n")
    assert terminal("ask", "--selector", "lexical", "Who lit the lamp, Maren?") == 0
    assert terminal.out.endswith(
        "\nHow likely these passages hold an answer at all: 1.00.\n"
        "What spoke for the sentence (+) and against it (-), in log-odds:\n"
        "  +0.50  how many of the question's words it shares\n"
    )
    assert terminal("ask", "--selector", "lexical", "Which zeppelin flew?") == 0
    assert "\nThat sentence: " in terminal.out
    assert "\n  -0.50  how many of the question's words it shares\n" in terminal.out
    assert terminal("ask", "--json", "--selector", "lexical", "Who lit the lamp, Maren?") == 0
    reply = json.loads(terminal.out)
    assert (reply["existence"], reply["mattered"]) == (1.0, [{"column": "overlap", "log_odds": 0.5}])


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


def test_reindex_tells_what_was_done_otherwise_than_asked_once_for_all_documents(terminal: Terminal) -> None:
    kept = (Notice("chunking", "2 windows stayed whole"), Notice("encoding", "read as Latin-1"))
    for number in "123":
        terminal.sawyer.records[number] = DocumentRecord(
            number, "default", number, number, "ready", notices=kept
        )
    assert terminal("reindex") == 0
    assert terminal.out == "reindexed  3 documents\n"
    assert terminal.err == "sawyer: 3 documents: chunking: 2 windows stayed whole\n"


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
