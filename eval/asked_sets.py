"""The texts that answers are looked for in: the bundled story, GutenQA's books, stories, Chroma's corpora."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from core.errors import NotFound
from eval.asked import AskedQuestion, AskedText, foreign_questions, own_questions
from eval.asked_stories import asked_stories
from eval.datasets.base import Declaration, locate, read_text
from eval.datasets.books import author_of, book_names
from eval.datasets.chunking_evaluation import CHUNKING_EVALUATION, QUESTIONS, Corpora, read_corpora
from eval.datasets.fairytaleqa import (
    FAIRYTALEQA,
    ORIGINS,
    Split,
    read_origins,
    read_stories,
    read_training_stories,
)
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.datasets.sample import BOOK, Sample
from eval.placed import PlacedQuestion

AskedSet = Literal["fairytaleqa", "fairytaleqa-train", "chunking_evaluation", "gutenqa", "sample"]
SETS: tuple[AskedSet, ...] = get_args(AskedSet)
_SPLITS: dict[AskedSet, Split] = {"fairytaleqa": "val", "fairytaleqa-train": "train"}


def read_asked(name: AskedSet, data: Path | None) -> list[AskedText]:
    """The texts of a set with what they are asked.

    Raises:
        NotFound: the set is not in the data folder, or there is no folder.
        DataError: a malformed line.
    """
    if name == "sample":
        return [sample()]
    declaration = _declaration(name)
    if data is None:
        raise NotFound(f"--set {name} needs data: {declaration.instructions}")
    place = locate(declaration, data)
    if name in _SPLITS:
        return fairytaleqa(place.folder, _SPLITS[name])
    return gutenqa(GutenQA(place)) if name == "gutenqa" else corpora(read_corpora(place.folder))


def _declaration(name: AskedSet) -> Declaration:
    if name in _SPLITS:
        return FAIRYTALEQA
    return GUTENQA if name == "gutenqa" else CHUNKING_EVALUATION


def asked_files(name: AskedSet, data: Path | None) -> list[Path]:
    """The files that decide the set's texts, questions and evidence."""
    if name == "sample" or data is None:
        story, questions = Sample().files(BOOK)
        return [story, questions, questions.with_name("unanswerable.jsonl")]
    if name in _SPLITS:
        folder = locate(FAIRYTALEQA, data).folder
        parts = [(folder / part / _SPLITS[name]).glob("*.csv") for part in ("questions", "section-stories")]
        return [folder / ORIGINS, *(path for part in parts for path in part)]
    if name == "chunking_evaluation":
        folder = locate(CHUNKING_EVALUATION, data).folder
        return [folder / QUESTIONS, *(folder / "corpora").glob("*.md")]
    books = GutenQA(locate(GUTENQA, data))
    names = _spanned(books)
    siblings = (sibling_of(book, book_names(data), names) for book in names)
    return [
        *(path for book in names for path in books.files(book)),
        *(data / "books" / f"{book}.md" for book in siblings if book is not None),
    ]


def sample() -> AskedText:
    """The story, the questions that it answers, and those that it does not."""
    story = Sample()
    answered = [
        PlacedQuestion(query.id, query.text, () if query.span is None else (query.span,))
        for query in story.queries(BOOK)
    ]
    unanswered = tuple(
        AskedQuestion(PlacedQuestion(f"unanswerable/{at}", text, ()), "unanswerable", BOOK, BOOK)
        for at, text in enumerate(story.unanswerable())
    )
    own = own_questions(answered, BOOK, [BOOK] * len(answered))
    return AskedText(BOOK, story.text(BOOK), f"{BOOK}.md", (*own, *unanswered))


def gutenqa(books: GutenQA) -> list[AskedText]:
    """The books whose questions have exact spans, and their siblings, asked what `sibling_of` says.

    A book's questions are also asked of the next book of the set by another author (`next_foreign`).
    """
    names = _spanned(books)
    own = {book: _questions(books, book) for book in names}
    asked: dict[str, list[AskedQuestion]] = {
        book: [*own_questions(own[book], book, [book] * len(own[book]))] for book in names
    }
    for book in names:
        groups = [book] * len(own[book])
        foreign = next_foreign(book, names)
        if foreign is not None:
            asked[foreign] += foreign_questions(own[book], "other author", book, groups)
        sibling = sibling_of(book, book_names(books.place.root), names)
        if sibling is not None:
            asked.setdefault(sibling, []).extend(foreign_questions(own[book], "sibling", book, groups))
    return [
        AskedText(book, _book(books.place.root, book), f"{book}.md", tuple(questions))
        for book, questions in asked.items()
    ]


def corpora(found: Corpora) -> list[AskedText]:
    """Chroma's corpora, each asked its own questions and those of the corpus before it."""
    names = list(found.texts)
    own = {
        name: [
            PlacedQuestion(f"{name}/{at}", question.text, question.references)
            for at, question in enumerate(found.questions)
            if question.corpus == name
        ]
        for name in names
    }
    asked = {name: [*own_questions(own[name], name, [name] * len(own[name]))] for name in names}
    for name, after in zip(names, (*names[1:], *names[:1]), strict=True):
        if after != name:
            groups = [name] * len(own[name])
            asked[after] += foreign_questions(own[name], "other author", name, groups)
    return [AskedText(name, found.texts[name], f"{name}.md", tuple(asked[name])) for name in names]


def next_foreign(book: str, names: Sequence[str]) -> str | None:
    """The first book after this one, the last being followed by the first, that another author wrote."""
    at = names.index(book)
    others = (name for name in (*names[at + 1 :], *names[:at]) if author_of(name) != author_of(book))
    return next(others, None)


def sibling_of(book: str, shelf: Sequence[str], names: Sequence[str]) -> str | None:
    """The first book of the shelf that the same author wrote and that is not in the set; None without any."""
    others = (one for one in shelf if one not in names and author_of(one) == author_of(book))
    return next(others, None)


def fairytaleqa(folder: Path, split: Split = "val") -> list[AskedText]:
    """The split's stories, joined, as `asked_stories` has them; of train those that may be fitted on."""
    stories = read_training_stories(folder, split) if split == "train" else read_stories(folder, split)
    return asked_stories(stories, read_origins(folder))


def _questions(books: GutenQA, book: str) -> list[PlacedQuestion]:
    return [
        PlacedQuestion(query.id, query.text, (query.span,))
        for query in books.queries(book)
        if query.span is not None
    ]


def _book(root: Path, book: str) -> str:
    return read_text(root / "books" / f"{book}.md")


def _spanned(books: GutenQA) -> list[str]:
    return [book for book in books.books() if all(query.span is not None for query in books.queries(book))]
