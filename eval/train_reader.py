"""Fit what reads question and sentence together, and read with it what it has not learnt from.

``reader`` learns from SelQA dev and FairytaleQA train, whose licence is Apache-2.0; ``wikiqa_reader`` goes on
from it with WikiQA, as TANDA does (Garg, Vu and Moschitti 2020). What is read held out is kept on disk, since
it takes minutes a fold.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from answering.cross import CrossReader, PairEncoder, forget_readers
from answering.cross_fit import Course, fit
from core.artifacts import Artifact, file_digest, load, models_directory
from core.artifacts import save as save_artifact
from core.identity import digest
from eval.command import say
from eval.datasets.selection import SelectionQuery
from eval.embedders import vector_shelf
from eval.keeping import Shelf, default_directory
from eval.kept_vectors import KeptVectors
from eval.out_of_fold import FOLDS, Fold, Values, folds_of
from eval.training_sets import FREE, RESEARCH, Sets, fewer, free_sets, wikiqa_sets
from service.embedding import build_embedder
from service.embedding.remembering import RememberingEmbedder

Arrays = Mapping[str, NDArray[Any]]

ReaderName = Literal["reader", "wikiqa_reader"]
READERS: tuple[ReaderName, ...] = get_args(ReaderName)
READER_BASES: dict[ReaderName, str] = {"reader": "reader", "wikiqa_reader": "wikiqa/reader"}
_COURSES = {"reader": (Course(epochs=1, rate=2e-4), 7), "wikiqa_reader": (Course(epochs=2, rate=1e-4), 8)}
# A fold of the larger sets takes a quarter of an hour.
_FOLDS: dict[ReaderName, int] = {"reader": 3, "wikiqa_reader": FOLDS}


def train_reader(name: ReaderName, data: Path, *, seed: int, save: bool) -> None:
    """Fit on all of its sets and write the artefact; what it is worth is told by the selector that has it.

    Args:
        name: which of `READERS`; ``wikiqa_reader`` starts from the shipped ``reader``.
        seed: of questions, pairs and batches.
    """
    lesson = lesson_of(name, seed)
    sets = reader_sets(name, data, training_embedder(), seed)
    queries = [query for part in sets.values() for query in part]
    arrays = lesson.learnt(queries)
    if save:
        model = models_directory() / "minilm" / "model.onnx"
        provenance = {
            "command": f"python -m eval.train {name}",
            "data": FREE if name == "reader" else f"{RESEARCH}, from a reader of {FREE}",
            "questions": len(queries),
            "seed": seed,
        }
        config = {"stands_on": file_digest(model), "provenance": provenance}
        save_artifact(models_directory() / READER_BASES[name], Artifact(arrays, config))
        forget_readers()
        print(f"wrote models/{READER_BASES[name]}.npz and models/{READER_BASES[name]}.json")


def training_embedder() -> RememberingEmbedder:
    """The shipped embedder, whose vectors are kept on disk."""
    return RememberingEmbedder(KeptVectors(build_embedder("minilm"), vector_shelf(default_directory(), say)))


def reader_sets(name: ReaderName, data: Path, embedder: RememberingEmbedder, seed: int) -> Sets:
    """What the reader learns from."""
    return free_sets(data, embedder, seed) if name == "reader" else wikiqa_sets(data)


def lesson_of(name: ReaderName, seed: int) -> Lesson:
    """How the reader learns.

    Raises:
        ArtifactError: the one that it starts from is missing or damaged.
    """
    course, wrong = _COURSES[name]
    start = None if name == "reader" else load(models_directory() / READER_BASES["reader"]).arrays
    return Lesson(course, wrong, seed, start)


def held_out_readings(
    name: ReaderName, data: Path, embedder: RememberingEmbedder, seed: int
) -> tuple[Sets, Values]:
    """Queries for trees, and of each the probabilities of readers that did not learn from its group.

    They are in the order of the sets; `fewer` of the stories' are read.
    """
    sets = reader_sets(name, data, embedder, seed)
    every = [query for part in sets.values() for query in part]
    few = {part: fewer(queries) if part == "FairytaleQA" else queries for part, queries in sets.items()}
    wanted = {id(query) for part in few.values() for query in part}
    places = [at for at, query in enumerate(every) if id(query) in wanted]
    shelf = Shelf(default_directory() / "readings", say)
    folds = folds_of(every, seed, _FOLDS[name])
    found = lesson_of(name, seed).held_out(every, folds, shelf, places)
    return few, [found[at] for at in places]


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
