"""Data sets are found where they lie and read as they stand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.errors import DataError, NotFound
from eval.datasets.base import data_digest, data_directory, locate, read_jsonl, read_text
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.datasets.sample import sample_directory


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A data root with one book of span questions: the sample under another name."""
    (tmp_path / "gutenqa" / "dev").mkdir(parents=True)
    (tmp_path / "books").mkdir()
    shutil.copy(sample_directory() / "questions.jsonl", tmp_path / "gutenqa/dev/Tides_-_A._Nobody.jsonl")
    shutil.copy(sample_directory() / "the_tide_book.md", tmp_path / "books/Tides_-_A._Nobody.md")
    return tmp_path


def test_a_data_root_and_the_folder_of_the_set_are_both_found(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, folder = locate(GUTENQA, small), locate(GUTENQA, small / "gutenqa")
    assert (root.folder, root.root, root.kind) == (small / "gutenqa", small, "data root")
    assert (folder.folder, folder.root, folder.kind) == (small / "gutenqa", small, "folder of the set")
    monkeypatch.chdir(small / "gutenqa")
    assert len(GutenQA(locate(GUTENQA, Path())).queries("Tides_-_A._Nobody")) == 20


def test_a_folder_that_is_neither_is_refused_with_the_way_to_get_the_set(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"get GutenQA from https://github\.com/"):
        locate(GUTENQA, tmp_path)


def test_the_home_of_nobody_is_no_folder() -> None:
    with pytest.raises(NotFound, match=r"got ~nobody-by-this-name/sets$"):
        locate(GUTENQA, Path("~nobody-by-this-name/sets"))


def test_a_folder_asked_for_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    assert data_directory(None) is None
    monkeypatch.setenv("SAWYER_DATA", "/somewhere")
    assert data_directory(None) == Path("/somewhere")
    assert data_directory(Path("here")) == Path("here")


def test_the_digest_is_of_bytes_not_of_places(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    moved = tmp_path_factory.mktemp("moved") / "data"
    shutil.copytree(small, moved)
    before, after = GutenQA(locate(GUTENQA, small)), GutenQA(locate(GUTENQA, moved))
    assert data_digest(before, before.books()) == data_digest(after, after.books())
    book = moved / "books/Tides_-_A._Nobody.md"
    book.write_bytes(book.read_bytes() + b"\n")
    assert data_digest(before, before.books()) != data_digest(after, after.books())


def test_bytes_that_are_not_utf_8_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.md"
    path.write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(DataError, match=r"bad.md, line 2: a data file must be UTF-8"):
        read_text(path)


def test_text_is_read_as_it_stands_but_for_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "book.md"
    path.write_bytes("\ufeffa\r\nb\rc\ufeff".encode())
    assert read_text(path) == "a\r\nb\rc\ufeff"


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"absent.jsonl cannot be read"):
        list(read_jsonl(tmp_path / "absent.jsonl", {}))
