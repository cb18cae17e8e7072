"""Nothing is fitted on a book whose author the questions come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidValue
from eval.datasets.base import locate
from eval.datasets.books import (
    BARRED_AUTHORS,
    author_of,
    book_names,
    may_train_on,
    read_training_book,
    training_books,
)
from eval.datasets.gutenqa import GUTENQA, GutenQA


@pytest.mark.parametrize(
    "book",
    [
        "Persuasion_-_Jane_Austen",
        "A_Christmas_Carol_-_Charles_Dickens",
        "A_Study_in_Scarlet_-_Arthur_Conan_Doyle",
        "The_Call_of_the_Wild_-_Jack_London",
        "Treasure_Island_-_Robert_Louis_Stevenson",
        "Dracula_-_Bram_Stoker",
        "The_Prince_and_the_Pauper_-_Mark_Twain",
        "The_Time_Machine_-_H._G._Wells",
        "The_Picture_of_Dorian_Gray_-_Oscar_Wilde",
    ],
)
def test_training_refuses_a_book_by_one_of_the_nine_authors(tmp_path: Path, book: str) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / f"{book}.md").write_text("Once.", encoding="utf-8")
    (folder / "London_Fields_-_A._Nobody.md").write_text("Once more.", encoding="utf-8")
    with pytest.raises(InvalidValue, match="nothing may be fitted on books by Austen, Dickens"):
        read_training_book(tmp_path, book)
    assert training_books(tmp_path) == ("London_Fields_-_A._Nobody",)
    assert read_training_book(tmp_path, "London_Fields_-_A._Nobody") == "Once more."


def test_53_books_remain_for_training_and_no_question_is_on_any(data_root: Path) -> None:
    assert len(book_names(data_root)) == 77
    permitted = training_books(data_root)
    assert len(permitted) == 53
    assert not set(permitted) & set(GutenQA(locate(GUTENQA, data_root)).books())
    assert {author_of(book).split()[-1] for book in book_names(data_root) if not may_train_on(book)} == set(
        BARRED_AUTHORS
    )


def test_a_book_without_an_author_in_its_name_is_not_taken_for_a_permitted_one() -> None:
    with pytest.raises(InvalidValue, match="TITLE_-_AUTHOR"):
        may_train_on("Persuasion")
