"""The bundled sample, as a data set of one book."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from eval.datasets.base import read_jsonl, read_text
from eval.datasets.spans import read_span_queries
from eval.values import Query

BOOK = "The_Tide_Book"


def sample_directory() -> Path:
    """Where the sample lies, in a checkout and in an installed wheel alike."""
    return Path(str(files("eval.sample")))


@dataclass(frozen=True)
class Sample:
    """One story of about 3,100 words, 20 questions that it answers and 10 that it does not."""

    name: str = "bundled sample"

    def books(self) -> tuple[str, ...]:
        """The one story."""
        return (BOOK,)

    def queries(self, book: str) -> tuple[Query, ...]:
        """The 20 questions that the story answers."""
        return read_span_queries(self.files(book)[1], self.text(book))

    def unanswerable(self) -> tuple[str, ...]:
        """The 10 questions that it does not answer."""
        rows = read_jsonl(sample_directory() / "unanswerable.jsonl", {"question": str})
        return tuple(row["question"] for _, row in rows)

    def text(self, book: str) -> str:
        """The story."""
        return read_text(self.files(book)[0])

    def files(self, book: str) -> tuple[Path, ...]:  # noqa: ARG002 - a set of one book
        """Story and questions."""
        return sample_directory() / "the_tide_book.md", sample_directory() / "questions.jsonl"
