"""The chunker's contract, the only maker of chunks, and what is said of a chunker to people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chunkers.headings import ChapterPaths
from core.errors import InvalidValue
from core.identity import chunk_id, strategy_digest
from core.protocols import Count
from core.values import Chunk, Document, Span


@runtime_checkable
class Chunker(Protocol):
    """A frozen dataclass whose fields are its whole configuration and whose ``repr`` identifies it.

    Its ``str`` says in one line, for people, what it does.
    """

    def split(self, text: str) -> list[Span]:
        """Spans of ``text`` whose starts and ends strictly increase and that leave no visible
        character out (gaps hold only white space); blank text gives none.
        """


@runtime_checkable
class BoundaryPicker(Protocol):
    """Finds where the content shifts. A frozen dataclass that its ``repr`` identifies, as a chunker is."""

    @property
    def name(self) -> str:
        """What reports show: ``local``, ``chat:MODEL``."""

    def pick(self, passages: Sequence[str]) -> int:
        """1..n: index of the first passage of the next chunk; n = no shift seen.

        Args:
            passages: n >= 1 neighbouring paragraphs in reading order; the first always stays.

        Raises:
            ProviderError: no usable pick was to be had.
        """


@runtime_checkable
class CountedPicker(Protocol):
    """A `BoundaryPicker` that may need several tries for one pick, and tells; safe in several threads.

    It counts ``asked`` (a window sent; one of a single paragraph has no choice and is not), ``asked again``
    (a further request, because the reply named no boundary), ``reply: REASON`` (such a reply), ``no pick``
    (a window given up after all tries), and the chat model's own ``probed`` (once, what it can do),
    ``request made again`` (after a time-out, 429 or 5xx) and ``request reworded`` (for an endpoint that
    refuses a parameter, or a model that needs room to think).
    """

    def pick_counted(self, passages: Sequence[str], count: Count) -> int:
        """See `BoundaryPicker.pick`.

        Args:
            count: told of what was needed; never of the same thing twice.

        Raises:
            ProviderRefused: no window would fare better: whatever is done about failures, this ends the run.
            UnusableReply: the model answered and named no boundary, even when asked again.
            ProviderError: the endpoint failed for this window: silent, cut off, or out of order.
        """

    def notices(self) -> Sequence[str]:
        """What the picker found out about its model, in sentences for people; asks nobody."""


@runtime_checkable
class BoundaryScorer(Protocol):
    """A `BoundaryPicker` that reads the whole text once, and then picks without reading again."""

    @property
    def name(self) -> str:
        """What reports show: ``local``."""

    def scores(self, text: str, units: Sequence[Span]) -> NDArray[np.float64]:
        """(n,) how strongly the content shifts right before each of the n units; higher is stronger.

        The first is ``-inf``; ``+inf`` is a boundary in any case, as before a chapter's heading.
        """

    def pick_scored(self, scores: NDArray[np.float64], sizes: NDArray[np.float64]) -> int:
        """1..n like `BoundaryPicker.pick`, from the scores of the n units of a window and their tokens."""


@runtime_checkable
class Rewriter(Protocol):
    """Says a passage otherwise. A frozen dataclass that its ``repr`` identifies, as a chunker is."""

    @property
    def name(self) -> str:
        """What reports show: ``chat:MODEL``."""

    def rewrite(self, passage: str) -> Sequence[str]:
        """What the passage says, in texts that each stand by themselves; none when it says nothing.

        Raises:
            ProviderError: no usable rewriting was to be had.
        """


@dataclass(frozen=True, slots=True)
class Proposition:
    """A text made of a slice of another one; unlike a chunk's, it is no slice itself.

    Attributes:
        span: what it was made of.
    """

    span: Span
    text: str


@runtime_checkable
class PlacingRewriter(Protocol):
    """A `Rewriter` that says which part of the passage each text was made of; safe in several threads."""

    def propositions(self, passage: str, count: Count) -> Sequence[Proposition]:
        """The texts of `Rewriter.rewrite`, each with its span in ``passage``.

        Args:
            count: told of what was needed and left out.

        Raises:
            ProviderRefused: no passage would fare better: whatever is done about failures, this ends the run.
            ProviderError: as `Rewriter.rewrite`.
        """

    def notices(self) -> Sequence[str]:
        """What was found out about the model, in sentences for people; asks nobody."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What a chunker did with one text.

    Attributes:
        propositions: for each span those it is also found by; empty for a chunker that rewrites nothing.
        counts: what was counted on the way, by name: calls, retries, wasted calls, failed windows.
        notices: what was done otherwise than asked, in sentences for people.
    """

    spans: Sequence[Span]
    counts: Mapping[str, int] = field(default_factory=dict)
    notices: Sequence[str] = ()
    propositions: Sequence[Sequence[Proposition]] = ()


@runtime_checkable
class Accountable(Protocol):
    """A chunker that takes long or that can fall short of what was asked, and says so."""

    def cut(self, text: str, progress: Callable[[int, int], None]) -> Cut:
        """The spans of ``split`` and an account of how they came about.

        Args:
            progress: told of (characters done, characters in all), from time to time.
        """


def unwatched(done: int, total: int) -> None:
    """A progress that nobody watches."""


def cut(text: str, chunker: Chunker, progress: Callable[[int, int], None] = unwatched) -> Cut:
    """The spans of any chunker, with its account where it gives one."""
    return chunker.cut(text, progress) if isinstance(chunker, Accountable) else Cut(chunker.split(text))


def chunk_document(document: Document, chunker: Chunker, *, content_digest: str) -> list[Chunk]:
    """Cut a document into chunks: ``chunk.text == document.text[chunk.span.start:chunk.span.end]``.

    See `chunks_of`.
    """
    return chunks_of(document, chunker, chunker.split(document.text), content_digest=content_digest)


def chunks_of(
    document: Document, chunker: Chunker, spans: Sequence[Span], *, content_digest: str
) -> list[Chunk]:
    """The chunks that a chunker's spans of a document make; the only maker of chunks.

    The chapter of a chunk is the path of Markdown headings at its start, those counted that it starts
    with; a document whose ``format`` is ``text`` has no headings.

    Args:
        document: what was cut.
        chunker: by whom.
        spans: what it gave for the document's text.
        content_digest: of the document's generation; part of every chunk's id.

    Raises:
        InvalidValue: the spans are empty, out of order or outside the text.
    """
    _check(spans, len(document.text), chunker)
    plain = document.metadata.get("format") == "text"
    chapters = None if plain else ChapterPaths(document.text)
    strategy = strategy_digest(chunker)
    return [
        Chunk(
            id=chunk_id(document.id, content_digest, strategy, span, None),
            document_id=document.id,
            span=span,
            text=span.of(document.text),
            chapter=chapters.at(span) if chapters else (),
        )
        for span in spans
    ]


def describe(chunker: Chunker) -> str:
    """What a chunker does, in one line for people."""
    return " ".join(str(chunker).split())


def _check(spans: Sequence[Span], length: int, chunker: Chunker) -> None:
    before = Span(0, 0)
    for index, span in enumerate(spans):
        ordered = index == 0 or (before.start < span.start and before.end < span.end)
        if not ordered or not span.start < span.end <= length:
            raise InvalidValue(
                f"spans of a chunker must not be empty, must stay in [0, {length}] and must strictly "
                f"increase in start and end, got [{span.start}, {span.end}) at {index} after "
                f"[{before.start}, {before.end}); correct {chunker!r}"
            )
        before = span
