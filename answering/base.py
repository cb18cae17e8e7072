"""The values of answer selection and triggering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.values import Span

Reason = Literal["answered", "no_evidence", "type_mismatch", "ambiguous", "empty_collection"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be the answer.

    Attributes:
        span: offsets into the document's text; ``text`` is exactly that slice.
        before: the sentence before it in the same chunk, empty when it is the first.
        after: the sentence after it in the same chunk, empty when it is the last.
    """

    document_id: str
    chunk_id: str
    span: Span
    text: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate and how well it answers, higher is better."""

    candidate: Candidate
    score: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The best answer, or none.

    Attributes:
        ranked: candidates, best first; ties keep reading order.
        threshold: answered when ``probability >= threshold``.
        probability: that the top candidate is right, in [0, 1]; 0 when there is no candidate.
        reason: ``answered``, or why not.
    """

    ranked: Sequence[Scored] = field(default_factory=tuple)
    threshold: float = 1.0
    probability: float = 0.0
    reason: Reason = "no_evidence"

    @property
    def answer(self) -> Scored | None:
        """The top candidate when the decision is to answer, else None."""
        return self.ranked[0] if self.ranked and self.reason == "answered" else None
