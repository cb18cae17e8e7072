"""The full texts of GutenQA's books, and which of them nothing may be fitted on.

Questions for development and questions kept apart come from nine authors. Weights, idf tables, fusion
weights and thresholds that had seen their books would be measured on what they were fitted on.
"""

from __future__ import annotations

from pathlib import Path

from core.errors import InvalidValue, NotFound
from eval.datasets.base import read_text

BARRED_AUTHORS = frozenset(
    {"Austen", "Dickens", "Doyle", "London", "Stevenson", "Stoker", "Twain", "Wells", "Wilde"}
)


def author_of(book: str) -> str:
    """The author in a book's name: ``Emma_-_Jane_Austen`` gives ``Jane Austen``.

    Raises:
        InvalidValue: the name has no author.
    """
    title, separator, author = book.rpartition("_-_")
    if not (title and separator and author):
        raise InvalidValue(f"a book must be named TITLE_-_AUTHOR, got {book!r}")
    return author.replace("_", " ")


def may_train_on(book: str) -> bool:
    """Whether something may be fitted on the book: its author is none of the nine."""
    return not BARRED_AUTHORS & set(author_of(book).split())


def book_names(root: Path) -> tuple[str, ...]:
    """Every book of the data root, by name.

    Raises:
        NotFound: there are none.
    """
    names = tuple(sorted(path.stem for path in (root / "books").glob("*.md")))
    if not names:
        raise NotFound(f"no books in {root / 'books'}; --data must be a data root that holds books/")
    return names


def training_books(root: Path) -> tuple[str, ...]:
    """The books on which something may be fitted, by name."""
    return tuple(book for book in book_names(root) if may_train_on(book))


def read_training_book(root: Path, book: str) -> str:
    """The text of a book on which something may be fitted; the only way for training to read one.

    Raises:
        InvalidValue: the book is by one of the nine authors.
        NotFound: there is no such book.
    """
    if not may_train_on(book):
        raise InvalidValue(
            f"nothing may be fitted on books by {', '.join(sorted(BARRED_AUTHORS))}, got {book}; "
            "choose from training_books()"
        )
    return read_text(root / "books" / f"{book}.md")
