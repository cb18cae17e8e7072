"""The values of answer selection and triggering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.protocols import Scorer
from core.values import Span

Reason = Literal["answered", "no_evidence", "type_mismatch", "ambiguous", "empty_collection"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be the answer.

    Attributes:
        span: offsets into the document's text; ``text`` is exactly that slice.
        before: the sentence before it in the same chunk, empty when it is the first.
        after: the sentence after it in the same chunk, empty when it is the last.
        rank: from 1, of the hit that it stands in; of the first, where several hits hold it.
    """

    document_id: str
    chunk_id: str
    span: Span
    text: str
    before: str = ""
    after: str = ""
    rank: int = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate and how well it answers, higher is better."""

    candidate: Candidate
    score: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one named column of a selector did to a candidate's score, in log-odds."""

    column: str
    log_odds: float


class Reading(Protocol):
    """A question's candidates, read once: their scores, and what each owes its score to."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """(n,): as `core.protocols.Scorer` gives them."""

    def mattered(self, at: int) -> Sequence[Contribution]:
        """The columns that moved the candidate at that place most, the strongest first."""


@runtime_checkable
class Explaining(Protocol):
    """A Scorer that can say why, and may read what stands around a candidate."""

    def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        """Score the candidates, and keep what is needed to say why."""


def scores_of(scorer: Scorer, question: str, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """(n,): read with what stands around each candidate, by a scorer that can."""
    if isinstance(scorer, Explaining):
        return scorer.read(question, candidates).scores
    return scorer.score(question, [candidate.text for candidate in candidates])


@dataclass(frozen=True, slots=True)
class Decision:
    """The best answer, or none.

    Attributes:
        ranked: candidates, best first; ties keep reading order.
        threshold: answered when ``probability >= threshold``.
        probability: that the top candidate is right, in [0, 1]; 0 when there is no candidate.
        reason: ``answered``, or why not.
        existence: the probability that an answer is among the candidates at all, be it the top one or not;
            None where nothing was read, or the selector cannot tell.
        mattered: what the top candidate owes its score to, the strongest first; empty where the selector
            cannot tell.
    """

    ranked: Sequence[Scored] = field(default_factory=tuple)
    threshold: float = 1.0
    probability: float = 0.0
    reason: Reason = "no_evidence"
    existence: float | None = None
    mattered: Sequence[Contribution] = ()

    @property
    def answer(self) -> Scored | None:
        """The top candidate when the decision is to answer, else None."""
        return self.ranked[0] if self.ranked and self.reason == "answered" else None
