"""`sawyer ingest` over a Sawyer in memory: which files it takes, what it prints, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import EmbedderMismatch
from core.identity import document_id
from service.cli.files import find_files
from tests.support.terminal import STORY, Terminal


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
