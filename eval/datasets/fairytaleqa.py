"""FairytaleQA: stories cut into sections by experts, and questions with the section that answers them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import DataError, NotFound
from core.values import Span
from eval.datasets.base import Declaration
from eval.datasets.tables import read_rows

Split = Literal["train", "val"]

FAIRYTALEQA = Declaration(
    name="FairytaleQA",
    folder="fairytaleqa",
    marks=("questions", "section-stories"),
    home="https://github.com/uci-soe/FairytaleQAData",
    licence="Apache-2.0",
)

# By Oscar Wilde, one of the authors on whose books nothing may be fitted (datasets/books.py).
BARRED_STORIES = frozenset({"happy-prince", "remarkable-rocket", "the-selfish-giant"})

ORIGINS = "story_meta.csv"

_BETWEEN_SECTIONS = "\n\n"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a story. ``label`` is the file's number; one story uses a number twice."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """A question on a story.

    Attributes:
        id: the story and the file's number; ten numbers of the published files stand twice, whose second
            question is told by ``.2``.
        sections: spans of every section that the file names as holding the answer, in reading order.
        answers: the first annotator's answers, then the second's, without blanks.
        explicit: whether the first answer stands in the text rather than between its lines.
        local: whether one section holds the answer, rather than several together.
    """

    id: str
    text: str
    sections: tuple[Span, ...]
    answers: tuple[str, ...]
    attribute: str
    explicit: bool
    local: bool


@dataclass(frozen=True, slots=True)
class Story:
    """``text`` is the sections joined by blank lines; spans are offsets into it."""

    name: str
    text: str
    sections: tuple[Section, ...]
    questions: tuple[StoryQuestion, ...]


def read_stories(folder: Path, split: Split) -> tuple[Story, ...]:
    """The stories of a split, by file name.

    Args:
        folder: the set's own folder, as `datasets.base.locate` finds it.

    Raises:
        NotFound: the split is not there.
        DataError: a malformed line.
    """
    paths = sorted((folder / "questions" / split).glob("*-questions.csv"))
    if not paths:
        raise NotFound(f"no {split} questions in {folder}; {FAIRYTALEQA.instructions}")
    return tuple(_read_story(folder, split, path) for path in paths)


def read_training_stories(folder: Path, split: Split) -> tuple[Story, ...]:
    """The stories of a split on which something may be fitted: all but `BARRED_STORIES`.

    Raises:
        NotFound: the split is not there.
        DataError: a malformed line.
    """
    return tuple(story for story in read_stories(folder, split) if story.name not in BARRED_STORIES)


def read_origins(folder: Path) -> dict[str, str]:
    """The collection that each story was taken from, by the story's name in small letters.

    One file's name and its line here differ in their capitals.

    Raises:
        NotFound: the file that says so is not there.
        DataError: a malformed line.
    """
    rows = read_rows(folder / ORIGINS, ("filename", "origin"))
    return {row["filename"].lower(): row["origin"] for _, row in rows}


def _read_story(folder: Path, split: Split, questions: Path) -> Story:
    name = questions.name.removesuffix("-questions.csv")
    parts: list[str] = []
    sections: list[Section] = []
    at = 0
    path = folder / "section-stories" / split / f"{name}-story.csv"
    for line, row in read_rows(path, ("section", "text")):
        if not row["text"].strip():
            raise DataError(f"{path}, line {line}: a section must hold text, got a blank")
        sections.append(Section(row["section"], Span(at, at + len(row["text"]))))
        parts.append(row["text"])
        at += len(row["text"]) + len(_BETWEEN_SECTIONS)
    return Story(
        name, _BETWEEN_SECTIONS.join(parts), tuple(sections), tuple(_questions(questions, name, sections))
    )


def _questions(path: Path, story: str, sections: list[Section]) -> Iterator[StoryQuestion]:
    columns = ("question_id", "local-or-sum", "cor_section", "attribute1", "question", "ex-or-im1", "answer1")
    times: Counter[str] = Counter()
    for line, row in read_rows(path, columns):
        if not row["question"].strip():
            raise DataError(f"{path}, line {line}: question must hold text, got a blank")
        number = row["question_id"]
        times[number] += 1
        wanted = {label.strip() for label in row["cor_section"].split(",")}
        unknown = sorted(wanted - {section.label for section in sections})
        if unknown:
            raise DataError(
                f"{path}, line {line}: cor_section must name sections of the story, got {', '.join(unknown)}"
            )
        answers = (row.get(f"answer{number}") or "" for number in range(1, 7))
        yield StoryQuestion(
            id=f"{story}/{number}" + (f".{times[number]}" if times[number] > 1 else ""),
            text=row["question"],
            sections=tuple(section.span for section in sections if section.label in wanted),
            answers=tuple(answer for answer in answers if answer.strip()),
            attribute=row["attribute1"],
            explicit=row["ex-or-im1"] == "explicit",
            local=row["local-or-sum"] == "local",
        )
