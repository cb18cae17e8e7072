"""Fit what reads question and sentence together, and read with it what it has not learnt from.

``reader`` learns from SelQA dev and FairytaleQA train, whose licence is Apache-2.0; ``cross`` goes on from it
with WikiQA, as TANDA does (Garg, Vu and Moschitti 2020). What is read held out is kept on disk, since it
takes minutes a fold.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.cross import CrossReader, PairEncoder
from answering.cross_fit import Course, fit
from core.artifacts import models_directory
from core.identity import digest
from eval.command import say
from eval.datasets.selection import SelectionQuery
from eval.keeping import Shelf
from eval.out_of_fold import Fold, Values

Arrays = Mapping[str, NDArray[Any]]

FOLDS = 3


@dataclass(frozen=True)
class Lesson:
    """What a reader learns from, and how.

    Attributes:
        wrong: sentences that do not answer, at most, beside those that do; of a query without any that do,
            half as many.
        start: arrays to go on from; None starts from the shipped model.
    """

    course: Course
    wrong: int
    seed: int
    start: Arrays | None = None

    @cached_property
    def encoder(self) -> PairEncoder:
        """The shipped model's tokens."""
        return PairEncoder(models_directory() / "minilm" / "tokenizer.json")

    def learnt(self, queries: Sequence[SelectionQuery]) -> dict[str, NDArray[Any]]:
        """The arrays of a `CrossReader`."""
        pairs, right = self._pairs(queries)
        say(f"reading {len(pairs):,} pairs of {len(queries):,} questions, {self.course.epochs} times")
        return fit(pairs, right, self.course, seed=self.seed, start=self.start, told=say)

    def held_out(
        self, queries: Sequence[SelectionQuery], folds: Sequence[Fold], shelf: Shelf, read: Sequence[int]
    ) -> Values:
        """Probabilities of the sentences of the queries at places ``read``, by readers of other folds."""
        found: Values = [np.empty(0)] * len(queries)
        for inside, held in folds:
            wanted = sorted({*held} & {*read})
            rows = self._read([queries[at] for at in inside], [queries[at] for at in wanted], shelf)
            for at, one in zip(wanted, rows, strict=True):
                found[at] = one
        return found

    def _read(
        self, learnt: Sequence[SelectionQuery], asked: Sequence[SelectionQuery], shelf: Shelf
    ) -> Values:
        pairs, right = self._pairs(learnt)
        start = (
            [] if self.start is None else [self.start[name].tobytes().hex() for name in sorted(self.start)]
        )
        told = [repr((query.text, query.texts)) for query in asked]
        key = digest(
            "readings", repr((self.course, self.seed)), repr(pairs), repr(list(right)), *start, *told
        )
        kept = shelf.read_rows(key)
        if kept is None:
            reader = CrossReader(self.learnt(learnt))
            values = np.concatenate(
                [reader.probabilities(query.text, query.texts) for query in asked], dtype=np.float32
            )
            shelf.write_rows(key, values[:, None], {})
            kept = values[:, None], {}
        ends = np.cumsum([len(query.sentences) for query in asked])[:-1]
        return [one.astype(np.float64) for one in np.split(kept[0][:, 0], ends)]

    def _pairs(self, queries: Sequence[SelectionQuery]) -> tuple[list[list[int]], list[bool]]:
        chance = random.Random(self.seed)  # noqa: S311 - a sample, no secret
        chosen: list[tuple[str, str, bool]] = []
        for query in queries:
            wrong = [one for one in query.sentences if not one.right]
            most = self.wrong if query.answerable else self.wrong // 2
            kept = [one for one in query.sentences if one.right]
            kept += chance.sample(wrong, min(most, len(wrong)))
            chosen += [(query.text, one.text, one.right) for one in kept]
        pairs = self.encoder.encode([question for question, _, _ in chosen], [text for _, text, _ in chosen])
        return pairs, [right for _, _, right in chosen]
