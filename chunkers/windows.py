"""What is embedded: a few whole sentences at a time, whatever chunker cuts the text.

Windows tile the text: every visible character is in exactly one. A chunk is scored by the windows that
lie in it, so that a long chunk is found by any part of it and another chunker re-uses the same vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkers.base import Proposition
from chunkers.boundaries import LEVELS, WHITE_SPACE
from chunkers.packing import pack
from chunkers.sizes import Ruler, Tokens
from core.values import Span

SIZE = 96  # tokens: windows are packed up to this
MOST = 126  # tokens: a paragraph or sentence up to this stands whole; with the model's two marks, 128
MOST_CHARACTERS = 1_000  # a run that the tokenizer knows as one unknown token is cut all the same

_LEVELS = tuple(LEVELS[name] for name in ("paragraph", "sentence", "word"))
_WHITE_SPACE = np.array([ord(character) for character in WHITE_SPACE], dtype=np.uint32)


def window_spans(text: str) -> list[Span]:
    """Whole paragraphs, packed together while short, else whole sentences, to at most about 96 tokens.

    A window never counts more than 128 tokens, the two that the model adds counted: a longer sentence
    is cut at words, or at grapheme clusters where there are none.
    """
    return pack(text, _WindowRuler(Tokens().ruler(text)), _LEVELS, SIZE, most=MOST)


def window_chunks(windows: Sequence[Span], chunks: Sequence[Span], text: str) -> NDArray[np.int32]:
    """Which window counts for which chunk: ``(n, 2)`` int32 rows of (window index, chunk index).

    A window counts for every chunk that it overlaps by at least half of the shorter of the two, in
    visible characters; a chunk that no window reaches so takes the one it overlaps most (the first of
    equals). Rows are ordered by window, then chunk.

    Args:
        windows: in reading order, without overlap, leaving no visible character of ``text`` out.
        chunks: in reading order; they may overlap.
    """
    window_starts, window_ends = _bounds(windows)
    chunk_starts, chunk_ends = _bounds(chunks)
    visible = _visible_before(text)

    first = np.searchsorted(window_ends, chunk_starts, side="right")  # (chunks,)
    count = np.maximum(np.searchsorted(window_starts, chunk_ends, side="left") - first, 0)
    of_chunk = np.repeat(np.arange(len(chunks)), count)  # (pairs,)
    offset = np.cumsum(count) - count
    of_window = np.arange(len(of_chunk)) - offset[of_chunk] + first[of_chunk]

    start = np.maximum(window_starts[of_window], chunk_starts[of_chunk])
    end = np.minimum(window_ends[of_window], chunk_ends[of_chunk])
    shared = visible[end] - visible[start]
    window_length = visible[window_ends] - visible[window_starts]
    chunk_length = visible[chunk_ends] - visible[chunk_starts]
    shorter = np.minimum(window_length[of_window], chunk_length[of_chunk])
    counts = (2 * shared >= shorter) & (shared > 0)

    reached = np.zeros(len(chunks), dtype=bool)
    reached[of_chunk[counts]] = True
    by_most = np.lexsort((of_window, -shared, of_chunk))
    best = by_most[np.searchsorted(of_chunk[by_most], np.flatnonzero(~reached & (count > 0)))]
    counts[best] = True

    rows = np.stack([of_window[counts], of_chunk[counts]], axis=1)
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    return rows[order].astype(np.int32)


def proposition_chunks(
    propositions: Sequence[Sequence[Proposition]], windows: int
) -> tuple[list[Proposition], NDArray[np.int32]]:
    """Propositions as embedded rows behind a text's windows: each, and ``(n, 2)`` int32 rows of (row, chunk).

    Args:
        propositions: for each chunk, those it is also found by; none at all for no chunk.
        windows: how many rows come before.
    """
    rows = [one for some in propositions for one in some]
    counts = np.fromiter(map(len, propositions), np.int64, len(propositions))
    chunk = np.repeat(np.arange(len(propositions)), counts)
    return rows, np.stack([windows + np.arange(len(rows)), chunk], axis=1).astype(np.int32)


def tiling(spans: Sequence[Span]) -> int:
    """How many of a text's embedded rows are its windows; the others are propositions, which follow them.

    The first proposition starts before the last window ends, since every visible character is in a window.
    """
    pairs = enumerate(pairwise(spans), 1)
    return next((at for at, (one, other) in pairs if other.start < one.end), len(spans))


@dataclass(frozen=True, slots=True)
class _WindowRuler:
    """Tokens, and never more than so many characters."""

    tokens: Ruler

    def reach(self, start: int, size: int) -> int:
        return min(self.tokens.reach(start, size), start + MOST_CHARACTERS)

    def back(self, end: int, size: int) -> int:
        return max(self.tokens.back(end, size), end - MOST_CHARACTERS)

    def count(self, start: int, end: int) -> int:
        return self.tokens.count(start, end)


def _bounds(spans: Sequence[Span]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.fromiter((span.start for span in spans), dtype=np.int64, count=len(spans))
    ends = np.fromiter((span.end for span in spans), dtype=np.int64, count=len(spans))
    return starts, ends


def _visible_before(text: str) -> NDArray[np.int64]:
    """(len(text) + 1,) how many visible characters stand before each place."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    visible = np.zeros(len(text) + 1, dtype=np.int64)
    np.cumsum(~np.isin(codes, _WHITE_SPACE), out=visible[1:])
    return visible
