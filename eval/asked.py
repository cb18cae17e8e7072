"""Texts with what they are asked, and the ways in which a text may not hold the answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from eval.placed import PlacedQuestion

# Whether, and if not why not, the answer can be found. ``unanswerable``: written so that the text does not
# hold it. ``other author``: asked on a text of another author or collection. ``sibling``: asked on another
# text of the same author or collection. ``removed``: asked on this text, of whose passages those that touch
# the evidence are left out.
Kind = Literal["answerable", "unanswerable", "other author", "sibling", "removed"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question as it is asked of one text.

    Attributes:
        question: its golds are spans of the text that is asked; those of ``removed`` are what is left out,
            the other kinds without an answer have none.
        home: the name of the text that it was written for, whose row counts it.
        group: what it shares with questions on the same book or story, for intervals.
    """

    question: PlacedQuestion
    kind: Kind
    home: str
    group: str


@dataclass(frozen=True, slots=True)
class AskedText:
    """A text and what is asked of it.

    Attributes:
        file: the name that it is ingested under; the ending decides how it is read.
    """

    name: str
    text: str
    file: str
    questions: tuple[AskedQuestion, ...]


def own_questions(
    questions: Sequence[PlacedQuestion], home: str, groups: Sequence[str]
) -> tuple[AskedQuestion, ...]:
    """Each question as it is, and after all of them each with the passages that answer it removed."""
    return tuple(
        AskedQuestion(question, kind, home, group)
        for kind in ("answerable", "removed")
        for question, group in zip(questions, groups, strict=True)
    )


def foreign_questions(
    questions: Sequence[PlacedQuestion], kind: Kind, home: str, groups: Sequence[str]
) -> tuple[AskedQuestion, ...]:
    """The questions of another text, which this one does not answer."""
    return tuple(
        AskedQuestion(replace(question, golds=()), kind, home, group)
        for question, group in zip(questions, groups, strict=True)
    )


def drawn(texts: Sequence[AskedText], kinds: Sequence[Kind], limit: int | None, seed: int) -> list[AskedText]:
    """The texts that are left something to ask when only these kinds, and ``limit`` questions, are asked.

    A question that is drawn is asked in all of its kinds, so that they can be compared.
    """
    ids = sorted({asked.question.id for text in texts for asked in text.questions if asked.kind in kinds})
    kept = set(ids if limit is None else random.Random(seed).sample(ids, min(limit, len(ids))))  # noqa: S311 - a sample, no secret
    fewer = (
        replace(
            text,
            questions=tuple(
                asked for asked in text.questions if asked.kind in kinds and asked.question.id in kept
            ),
        )
        for text in texts
    )
    return [text for text in fewer if text.questions]
