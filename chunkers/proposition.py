"""Chunks that are also found by the propositions they state, which a chat model makes of them.

A chunk stays a slice of the text; its propositions are further texts to embed, each scoring that one chunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Literal, NamedTuple

from chunkers.base import (
    Chunker,
    Cut,
    PlacingRewriter,
    Proposition,
    Rewriter,
    cut,
    describe,
    unwatched,
)
from chunkers.boundaries import sentence_spans
from chunkers.chat_rewriter import ChatRewriter
from chunkers.recipe import OnFailure
from chunkers.rewrite_plan import RewritePlan, plan_rewriting
from chunkers.workers import Workers
from core.errors import CallLimit, InvalidValue, ProviderError, ProviderRefused
from core.protocols import Count, uncounted
from core.values import Span


class Rewritten(NamedTuple):
    """The propositions of each passage, in order, and how many passages were kept as they are."""

    propositions: list[Sequence[Proposition]]
    kept: int


def rewrite_document(
    text: str,
    spans: Sequence[Span],
    rewriter: Rewriter,
    *,
    on_failure: Literal["raise", "keep"] = "raise",
    workers: int = 1,
    count: Count = uncounted,
    progress: Callable[[int, int], None] = unwatched,
) -> Rewritten:
    """What each passage of a text states; spans are those of the text.

    A proposition of a rewriter that does not place it points to the whole passage.

    Args:
        text: the document's.
        spans: of its passages, in order.
        rewriter: asked about each of them, several at once.
        on_failure: an error, or each sentence of the passage as its own proposition (``keep``); an endpoint
            that refuses every request is always an error.
        workers: passages asked about at once; the result is the same for any number.
        count: told what was needed; never by two threads at once.
        progress: told of (passages done, passages in all).

    Raises:
        ProviderError: no rewriting of a passage was to be had, and ``on_failure`` says raise.
    """
    lock = Lock()

    def counted(name: str) -> None:
        with lock:
            count(name)

    def rewritten(span: Span) -> tuple[Sequence[Proposition], bool]:
        passage = span.of(text)
        try:
            found, kept = _propositions(rewriter, passage, counted), False
        except ProviderRefused:
            raise
        except ProviderError:
            if on_failure == "raise":
                raise
            found = [Proposition(sentence, sentence.of(passage)) for sentence in sentence_spans(passage)]
            kept = True
        return [replace(one, span=one.span.shifted(span.start)) for one in found], kept

    done: list[tuple[Sequence[Proposition], bool]] = []
    with Workers(workers, "sawyer-rewriting") as threads:  # after an error nothing more is sent in vain
        for future in [threads.submit(rewritten, span) for span in spans]:
            done.append(future.result())
            progress(len(done), len(spans))
    return Rewritten([found for found, _ in done], sum(kept for _, kept in done))


@dataclass(frozen=True, slots=True)
class PropositionChunker:
    """The chunks of another chunker, each with the propositions that it states.

    Attributes:
        chunker: says where the chunks are.
        rewriter: is shown each chunk.
        on_failure: see `rewrite_document`.
        workers: chunks asked about at once.
        max_calls: chunks that may be sent for one text; None sets no limit.

    Raises:
        InvalidValue: an ``on_failure`` of ``local``; unless ``workers`` and ``max_calls`` are
            at least 1.
    """

    chunker: Chunker
    rewriter: Rewriter
    on_failure: OnFailure = "raise"
    workers: int = field(default=1, repr=False, compare=False)
    max_calls: int | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.on_failure == "local":
            raise InvalidValue(
                "on failure must be raise or keep for propositions, got local: no local model makes them; "
                "choose one of the two"
            )
        if self.workers < 1:
            raise InvalidValue(f"workers must be at least 1, got {self.workers}; say how many calls at once")
        if self.max_calls is not None and self.max_calls < 1:
            raise InvalidValue(
                f"max calls must be at least 1, got {self.max_calls}; raise it, or leave it out"
            )

    def __str__(self) -> str:
        return (
            f"{describe(self.chunker)}, each also found by its propositions, stated by {self.rewriter.name}"
        )

    @property
    def name(self) -> str:
        """What reports call it: ``proposition[chat:MODEL]``."""
        return f"proposition[{self.rewriter.name}]"

    def split(self, text: str) -> list[Span]:
        """The other chunker's spans; nothing is rewritten for them."""
        return self.chunker.split(text)

    def plan(self, text: str) -> RewritePlan:
        """What `cut` would send to rewrite, without sending it; finding the chunks comes on top."""
        asks = self.rewriter.asks if isinstance(self.rewriter, ChatRewriter) else 1
        return plan_rewriting(text, self.split(text), asks=asks, workers=self.workers)

    def cut(self, text: str, progress: Callable[[int, int], None]) -> Cut:
        """See `chunkers.base.Accountable`.

        Raises:
            ProviderError: as `rewrite_document`.
            CallLimit: the text has more chunks than ``max_calls``; nothing is sent.
        """
        made = cut(text, self.chunker)
        spans = made.spans
        if self.max_calls is not None and len(spans) > self.max_calls:
            raise CallLimit(
                f"the propositions must be had within {self.max_calls:,} calls, got a text of {len(spans):,} "
                "chunks; nothing was sent: allow more calls, or make larger chunks"
            )
        counts: Counter[str] = Counter()
        rewritten = rewrite_document(
            text,
            spans,
            self.rewriter,
            on_failure="keep" if self.on_failure == "keep" else "raise",
            workers=self.workers,
            count=lambda name: counts.update([name]),
            progress=lambda done, _: progress(spans[done - 1].end, len(text)),
        )
        progress(len(text), len(text))
        stated = sum(map(len, rewritten.propositions))
        notices = list(self.rewriter.notices()) if isinstance(self.rewriter, PlacingRewriter) else []
        if rewritten.kept:
            notices.append(
                f"{rewritten.kept:,} of {len(spans):,} chunks could not be rewritten: their own sentences "
                "stand for their propositions"
            )
        return Cut(
            spans,
            {**made.counts, "propositions": stated, "kept as they are": rewritten.kept, **counts},
            (*made.notices, *notices),
            rewritten.propositions,
        )


def _propositions(rewriter: Rewriter, passage: str, count: Count) -> Sequence[Proposition]:
    if isinstance(rewriter, PlacingRewriter):
        return rewriter.propositions(passage, count)
    return [Proposition(Span(0, len(passage)), text) for text in rewriter.rewrite(passage)]
