"""The texts that answers are looked for in: the bundled story, GutenQA's dev books, FairytaleQA val."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from core.errors import NotFound
from eval.answer_scoring import AskedText
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_stories
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.datasets.sample import BOOK, Sample
from eval.evidence import answer_sentences
from eval.joined import JoinedText, join
from eval.placed import PlacedQuestion, PlacedText

AskedSet = Literal["fairytaleqa", "gutenqa", "sample"]
SETS: tuple[AskedSet, ...] = get_args(AskedSet)


def read_asked(name: AskedSet, data: Path | None) -> list[AskedText]:
    """The texts of a set with their questions.

    Raises:
        NotFound: the set is not in the data folder, or there is no folder.
        DataError: a malformed line.
    """
    if name == "sample":
        return [sample()]
    declaration = FAIRYTALEQA if name == "fairytaleqa" else GUTENQA
    if data is None:
        raise NotFound(f"--set {name} needs data: {declaration.instructions}")
    place = locate(declaration, data)
    return fairytaleqa(place.folder) if name == "fairytaleqa" else gutenqa(GutenQA(place))


def asked_files(name: AskedSet, data: Path | None) -> list[Path]:
    """The files that decide the set's texts, questions and evidence."""
    if name == "sample" or data is None:
        story, questions = Sample().files(BOOK)
        return [story, questions, questions.with_name("unanswerable.jsonl")]
    if name == "fairytaleqa":
        folder = locate(FAIRYTALEQA, data).folder
        return [
            path
            for part in ("questions", "section-stories")
            for path in (folder / part / "val").glob("*.csv")
        ]
    books = GutenQA(locate(GUTENQA, data))
    return [path for book in _spanned(books) for path in books.files(book)]


def sample() -> AskedText:
    """The story, the questions that it answers, and those that it does not."""
    story = Sample()
    answered = [
        PlacedQuestion(query.id, query.text, () if query.span is None else (query.span,))
        for query in story.queries(BOOK)
    ]
    unanswered = [
        PlacedQuestion(f"unanswerable/{at}", text, ()) for at, text in enumerate(story.unanswerable())
    ]
    placed = PlacedText(BOOK, story.text(BOOK), (*answered, *unanswered))
    return AskedText(placed, f"{BOOK}.md", "sample")


def gutenqa(books: GutenQA) -> list[AskedText]:
    """The books whose questions have exact spans."""
    return [
        AskedText(
            PlacedText(
                book,
                books.text(book),
                tuple(
                    PlacedQuestion(query.id, query.text, (query.span,))
                    for query in books.queries(book)
                    if query.span is not None
                ),
            ),
            f"{book}.md",
            "gutenqa",
        )
        for book in _spanned(books)
    ]


def fairytaleqa(folder: Path) -> list[AskedText]:
    """Val's stories joined, with the explicit questions whose first answer stands in a gold section."""
    return [
        AskedText(PlacedText(text.name, text.text, _verbatim(text)), f"{text.name}.txt", "fairytaleqa")
        for text in join(read_stories(folder, "val"))
    ]


def _verbatim(text: JoinedText) -> tuple[PlacedQuestion, ...]:
    found = (
        PlacedQuestion(
            asked.question.id,
            asked.question.text,
            answer_sentences(text.text, asked.sections, asked.question.answers[0]),
        )
        for asked in text.questions
        if asked.question.explicit
    )
    return tuple(question for question in found if question.golds)


def _spanned(books: GutenQA) -> list[str]:
    return [book for book in books.books() if all(query.span is not None for query in books.queries(book))]
