"""Count how many chunks hold each term, over the permitted books and FairytaleQA train."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chunkers
from answering.background import save_background
from chunkers.base import Chunker
from core.text import IdfTable, terms
from eval.datasets.base import locate
from eval.datasets.books import read_training_book, training_books
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_training_stories


def train(data: Path, *, save: bool) -> None:
    """Print the counts and, when ``save``, write ``models/background_idf``.

    Args:
        data: the data root, with ``books/`` and ``fairytaleqa/``.
        save: whether to write.
    """
    place = locate(FAIRYTALEQA, data)
    chunker = chunkers.build("recursive")
    table = IdfTable.of(terms(text) for text in _chunks(place.root, place.folder, chunker))
    print(f"{table.total:,} chunks, {len(table.frequency):,} terms")
    if save:
        kept = save_background(
            table,
            command="python -m eval.train background",
            data="permitted books (public domain) and FairytaleQA train (Apache-2.0)",
            chunks=table.total,
            chunker=repr(chunker),
        )
        print(f"wrote models/background_idf.npz and models/background_idf.json: {kept:,} terms")


def _chunks(root: Path, stories: Path, chunker: Chunker) -> Iterator[str]:
    for book in training_books(root):
        text = read_training_book(root, book)
        yield from (span.of(text) for span in chunker.split(text))
    for story in read_training_stories(stories, "train"):
        yield from (span.of(story.text) for span in chunker.split(story.text))
