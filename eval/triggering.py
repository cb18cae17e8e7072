"""Whether the right questions are answered: precision, recall and F1 of answer triggering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import InvalidValue
from eval.formulas import ratio

# Of which questions recall is the share: all that can be answered, or those of them that were.
Convention = Literal["all", "answered"]


@dataclass(frozen=True, slots=True)
class TopCandidate:
    """One question's best scored candidate, the only one that counts.

    Attributes:
        score: None when the question has no candidate, so that it is not answered.
        right: whether the candidate is an answer.
        answerable: whether some candidate of the question is one.

    Raises:
        InvalidValue: right without being answerable, or right without a candidate.
    """

    score: float | None
    right: bool
    answerable: bool

    def __post_init__(self) -> None:
        if self.right and not self.answerable:
            raise InvalidValue(
                "a question with a right top candidate must be answerable, got one that is not"
            )
        if self.right and self.score is None:
            raise InvalidValue("a right top candidate must have a score, got None")

    def answered(self, threshold: float) -> bool:
        """Whether the score is at least the threshold."""
        return self.score is not None and self.score >= threshold


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """How much of what was given is right, and how much of what is right was given, both in [0, 1]."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Their harmonic mean; 0 when both are 0."""
        return ratio(2 * self.precision * self.recall, self.precision + self.recall)


def triggering(
    questions: Iterable[TopCandidate], threshold: float, *, convention: Convention = "all"
) -> PrecisionRecall:
    """Precision and recall over questions, those without an answer included.

    ``precision = right answers given / answers given``; with convention ``all``
    ``recall = right answers given / answerable questions``, with ``answered``
    ``recall = right answers given / answerable questions that were answered``. A share of nothing is 0.

    Source: Yang, Yih and Meek 2015 (WikiQA), section 4.3, convention ``all``.
    """
    answered = answerable = both = right = 0
    for question in questions:
        given = question.answered(threshold)
        answered += given
        answerable += question.answerable
        both += given and question.answerable
        right += given and question.right
    return PrecisionRecall(ratio(right, answered), ratio(right, answerable if convention == "all" else both))


def best_threshold(questions: Sequence[TopCandidate]) -> float:
    """The score at which F1 (convention ``all``) is greatest, the highest of equals.

    Fitted on ``questions``: what it is worth must be measured on others.

    Raises:
        InvalidValue: no candidate has a score.
    """
    scored = sorted((one for one in questions if one.score is not None), key=_score, reverse=True)
    if not scored:
        raise InvalidValue("a threshold needs at least one question with a score, got none")
    answerable = sum(one.answerable for one in questions)
    best, chosen, right = -1.0, _score(scored[0]), 0
    for given, one in enumerate(scored, start=1):
        right += one.right
        if given < len(scored) and _score(scored[given]) == _score(one):
            continue  # equals are answered together
        f1 = ratio(2 * right, given + answerable)  # the same as from precision and recall
        if f1 > best:
            best, chosen = f1, _score(one)
    return chosen


def _score(question: TopCandidate) -> float:
    return float("-inf") if question.score is None else question.score
