"""Every chunk has a window to be scored by, whether it was cut here or comes from a file."""

from __future__ import annotations

import numpy as np
import pytest

import chunkers
from core.errors import EmptyDocument
from eval.chunked import cut_book, given_chunks
from eval.command import MODEL_FREE
from eval.datasets.sample import BOOK, Sample


@pytest.mark.parametrize("name", MODEL_FREE)
def test_a_cut_book_is_slices_with_windows(name: str) -> None:
    text = Sample().text(BOOK)
    book = cut_book(BOOK, text, chunkers.build(name))
    assert book.spans is not None
    assert [span.of(text) for span in book.spans] == list(book.texts)
    assert set(book.pairs[:, 1]) == set(range(len(book.texts)))
    assert max(book.pairs[:, 0]) < len(book.windows)


def test_every_chunker_has_the_same_windows_of_a_book() -> None:
    text = Sample().text(BOOK)
    windows = {cut_book(BOOK, text, chunkers.build(name)).windows for name in ("fixed", "sentence")}
    assert len(windows) == 1


def test_a_blank_book_is_refused() -> None:
    with pytest.raises(EmptyDocument, match="Blank"):
        cut_book("Blank", " \r\n ", chunkers.build("recursive"))


def test_given_chunks_have_windows_of_their_own_inside_them() -> None:
    long = " ".join(f"Sentence number {n} tells of the tide and of the town." for n in range(60))
    texts = ["One line.\nAnother.", long, "One line.\nAnother.", " \n"]
    book = given_chunks(texts)
    assert book.texts == tuple(texts)
    assert book.spans is None
    counts = np.bincount(book.pairs[:, 1], minlength=4)
    assert counts[0] == counts[2] == counts[3] == 1
    assert counts[1] > 3
    assert sorted(book.pairs[:, 0]) == list(range(len(book.windows)))
    for window, chunk in book.pairs:
        assert book.windows[window] in texts[chunk]
