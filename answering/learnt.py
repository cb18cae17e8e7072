"""Selectors of this project's own: named columns, boosted trees, and a trigger with operating points.

``lexical`` reads words alone, ``hybrid`` likeness of meaning too; both are trained on WikiQA, whose terms
they carry (``models/wikiqa/NOTICE``). ``clean`` is as hybrid, from Apache-2.0 data alone, with question
classes by rule. None reads where a candidate stands: in WikiQA answers stand first, in a retrieved passage
they don't.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from answering.base import Contribution
from answering.company import WAYS, beside_the_best
from answering.counts import alignment
from answering.features import COMPARED, QUESTION, SENTENCE, ReadQuestion
from answering.question_class import load_classifier
from answering.question_rules import class_by_rule
from answering.trees import Trees
from answering.trigger import Trigger
from answering.word_vectors import load_word_vectors
from core.artifacts import Artifact, load, models_directory, save
from core.protocols import Embedder
from core.text import IdfTable

LearntName = Literal["lexical", "hybrid", "clean"]
LEARNT: tuple[LearntName, ...] = get_args(LearntName)
BASES: dict[LearntName, str] = {
    "lexical": "wikiqa/lexical",
    "hybrid": "wikiqa/hybrid",
    "clean": "clean",
}

MATTERED = 8  # columns that are named of a sentence: several may say nearly the same

# Of words by their vectors, and of question and sentence by the embedder's.
_LIKENESS = ("alignment", "similarity")


@dataclass(frozen=True)
class Columns:
    """What the trees read.

    Attributes:
        similarity: whether likeness of meaning is among it.
        classes: who tells a question's class: the trained model or rules.
    """

    similarity: bool
    classes: Literal["trained", "rule"]

    @property
    def names(self) -> tuple[str, ...]:
        """A name a column."""
        more = _LIKENESS if self.similarity else ()
        beside = tuple(f"{name}, {way}" for way in WAYS for name in (*COMPARED, *more))
        return (*SENTENCE, *more, *beside, *QUESTION, "coverage", "idf overlap, below coverage")

    def read(
        self, question: str, texts: Sequence[str], idf: IdfTable, embedder: Embedder
    ) -> NDArray[np.float64]:
        """(n, len(names)); no texts give none."""
        label = class_by_rule(question) if self.classes == "rule" else load_classifier().classify(question)
        asked = ReadQuestion(question, label, idf)
        own = asked.matrix(texts)
        if self.similarity:
            cosine = embedder.embed_passages(texts).astype(np.float64) @ embedder.embed_query(question)
            aligned = alignment(question, texts, idf, load_word_vectors())
            own = np.column_stack([own, aligned, np.maximum(cosine, 0.0)])
        compared = [*range(len(COMPARED)), *range(len(SENTENCE), own.shape[1])]
        coverage = asked.coverage(texts)
        of_question = np.tile([*asked.columns(), coverage], (len(texts), 1))
        lacking = own[:, SENTENCE.index("idf overlap")] - coverage
        return np.column_stack([own, beside_the_best(own[:, compared]), of_question, lacking])


@dataclass(frozen=True)
class ReadTexts:
    """A question's texts as the trees see them: an `answering.base.Reading`.

    Attributes:
        names: of the columns.
        rows: (n, len(names)).
    """

    trees: Trees
    names: Sequence[str]
    rows: NDArray[np.float64]

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """(n,) log-odds."""
        return self.trees.score(self.rows)

    def mattered(self, at: int, count: int = MATTERED) -> list[Contribution]:
        """The columns that moved text ``at`` most, the strongest first; those that moved nothing left out."""
        moved = self.trees.contributions(self.rows[at : at + 1])[0]
        strongest = [column for column in np.argsort(-np.abs(moved), kind="stable")[:count] if moved[column]]
        return [Contribution(self.names[column], float(moved[column])) for column in strongest]


@dataclass(frozen=True)
class LearntSelector:
    """A Scorer: log-odds that a text answers, beside the other texts of the question.

    A score depends on the question's other texts: on its `company.BEST` best in each column, not on the rest.
    """

    trees: Trees
    columns: Columns
    embedder: Embedder
    idf: IdfTable

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) log-odds."""
        return self.read(question, texts).scores

    def read(self, question: str, texts: Sequence[str]) -> ReadTexts:
        """The texts' columns, scored, from which `ReadTexts.mattered` tells why."""
        if not len(texts):
            return ReadTexts(self.trees, self.columns.names, np.empty((0, len(self.columns.names))))
        rows = self.columns.read(question, texts, self.idf, self.embedder)
        return ReadTexts(self.trees, self.columns.names, rows)


@dataclass(frozen=True)
class LearntModel:
    """Everything that was trained for one of `LEARNT`, with two heads on the top sentence's score.

    Attributes:
        trigger: that the top sentence is right, and from what probability to answer: at the best F1
            (``balanced``), at a promised precision (``careful``, where it can be promised), and with recall
            worth more (``eager``).
        existence: that an answer is among the texts at all, right or wrong as the top one may be.
    """

    columns: Columns
    trees: Trees
    trigger: Trigger
    existence: Trigger

    def scorer(self, embedder: Embedder, idf: IdfTable) -> LearntSelector:
        """The Scorer over a collection with these term weights."""
        return LearntSelector(self.trees, self.columns, embedder, idf)


@lru_cache(maxsize=len(LEARNT))
def load_learnt(name: LearntName, base: Path | None = None) -> LearntModel:
    """Read the artefact, by default the shipped one.

    Raises:
        ArtifactError: see `core.artifacts.load` and `Trees.of_arrays`.
    """
    artifact = load(base or models_directory() / BASES[name])
    config = artifact.config
    return LearntModel(
        Columns(config["similarity"], config["classes"]),
        Trees.of_arrays(artifact.arrays),
        Trigger.of_config(config["trigger"]),
        Trigger.of_config(config["existence"]),
    )


def save_learnt(name: LearntName, model: LearntModel, base: Path | None = None, **provenance: object) -> None:
    """Write the artefact, by default the shipped one; ``provenance`` goes into its JSON."""
    config = {
        "similarity": model.columns.similarity,
        "classes": model.columns.classes,
        "trigger": model.trigger.to_config(),
        "existence": model.existence.to_config(),
        "provenance": provenance,
    }
    save(base or models_directory() / BASES[name], Artifact(model.trees.arrays(), config))
