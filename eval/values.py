"""The values of an evaluation: queries, judgements, runs, and a book under one way of cutting it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.values import Span

# query -> id -> gain; a query that nothing answers is present with no ids, so that it still counts.
Qrels = Mapping[str, Mapping[str, int]]

# query -> id -> score, higher is better; equal scores rank in the order in which the ids stand.
Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Query:
    """A data set's question about one book.

    Attributes:
        gold: the string that a relevant chunk holds.
        span: where ``gold`` stands in the book's text, when the data set says so.
        hyde: the hypothetical answer that the data set stores for retrieval, when it does.
        proposition: the string that a relevant proposition holds, when the data set says so.
    """

    id: str
    text: str
    answer: str
    gold: str
    span: Span | None = None
    hyde: str | None = None
    proposition: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkedBook:
    """One book cut one way, and what is embedded for it.

    Attributes:
        texts: the chunks in reading order; a chunk's id in runs and judgements is its place, ``"0"`` on.
        spans: where each chunk stands in the book's text; None when they are not slices of it.
        windows: the texts that are embedded.
        pairs: (n, 2) int32, window and chunk: which windows score which chunk; every chunk has one.
    """

    texts: tuple[str, ...]
    spans: tuple[Span, ...] | None
    windows: tuple[str, ...]
    pairs: NDArray[np.int32]
