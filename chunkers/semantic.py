"""Cuts where neighbouring sentences part in embedding space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from chunkers.base import Cut, unwatched
from chunkers.boundaries import sentence_spans
from chunkers.limits import Limits, limit_spans
from chunkers.semantic_rules import Percentile, SemanticRule
from chunkers.sizes import Size, Tokens
from core.errors import InvalidValue
from core.protocols import Embedder, Vectors
from core.values import Span

# Of a longer sentence only so much is embedded: it is a table, or a script whose full stops nobody knows.
_SHOWN = 500  # characters
_BATCH = 256  # texts that the embedder is given between two reports of progress


@dataclass(frozen=True, slots=True)
class Semantic:
    """Whole sentences, cut where the rule finds that they part, within limits.

    Attributes:
        embedder: reads the sentences; its fingerprint stands for it in the ``repr``.
        rule: `Percentile` or `MaxMin`.
        buffer: a sentence is embedded together with so many neighbours on either side, as one alone says
            little.
        limits: sizes that chunks keep to, in ``unit``.

    Raises:
        InvalidValue: unless ``buffer >= 0``.
    """

    embedder: Embedder = field(repr=False, compare=False)
    rule: SemanticRule = field(default_factory=Percentile)
    buffer: int = 1
    limits: Limits = field(default_factory=Limits)
    unit: Size = field(default_factory=Tokens)
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        if self.buffer < 0:
            raise InvalidValue(f"buffer must be at least 0 sentences, got {self.buffer}")
        object.__setattr__(self, "fingerprint", self.embedder.fingerprint)

    def __str__(self) -> str:
        limits = f", {self.limits} {self.unit.unit}" if str(self.limits) else ""
        return f"sentences, cut where {self.rule}{limits}"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``; see `chunkers.base.Chunker`."""
        return list(self.cut(text, unwatched).spans)

    def cut(self, text: str, progress: Callable[[int, int], None]) -> Cut:
        """See `chunkers.base.Accountable`."""
        units = sentence_spans(text)
        strengths = self.rule.strengths(self._vectors(text, units, progress))
        firsts = [at for at, strength in enumerate(strengths) if at == 0 or strength > 0]
        spans = limit_spans(text, units, firsts, self.limits, self.unit, strengths=strengths)
        progress(len(text), len(text))
        return Cut(spans, {"sentences": len(units)})

    def _vectors(
        self, text: str, units: Sequence[Span], progress: Callable[[int, int], None]
    ) -> Iterator[Vectors]:
        for begin in range(0, len(units), _BATCH):
            progress(units[begin].start, len(text))
            end = min(begin + _BATCH, len(units))
            yield self.embedder.embed_passages([self._shown(text, units, at) for at in range(begin, end)])

    def _shown(self, text: str, units: Sequence[Span], at: int) -> str:
        around = units[max(at - self.buffer, 0) : at + self.buffer + 1]
        return " ".join(Span(unit.start, min(unit.end, unit.start + _SHOWN)).of(text) for unit in around)
