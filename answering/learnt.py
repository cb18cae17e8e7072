"""Selectors of this project's own: named columns, boosted trees, and a trigger with operating points.

``lexical`` reads words alone, ``hybrid`` likeness of meaning too, and ``cross`` also what a reader of the two
together thinks (`answering.cross`); they are trained on WikiQA, whose terms they carry
(``models/wikiqa/NOTICE``). ``clean`` is as cross, and reads what stands around a sentence
(`answering.context`), from Apache-2.0 data alone, with question classes by rule. None reads where in its
text a candidate stands: in WikiQA answers stand first, in a retrieved passage they don't. ``clean`` does read
how early the search found the passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from answering.base import Candidate, Contribution
from answering.columns import Columns, standing_alone
from answering.cross import CrossReader, load_reader
from answering.trees import Trees
from answering.trigger import Trigger
from core.artifacts import Artifact, load, models_directory, save
from core.protocols import Embedder
from core.text import IdfTable

LearntName = Literal["lexical", "hybrid", "cross", "clean"]
LEARNT: tuple[LearntName, ...] = get_args(LearntName)
BASES: dict[LearntName, str] = {
    "lexical": "wikiqa/lexical",
    "hybrid": "wikiqa/hybrid",
    "cross": "wikiqa/cross",
    "clean": "clean",
}

# Candidates that a reader reads, of the passages found first: some eighteen passages' worth. Reading takes
# milliseconds each, and a question over a hundred passages would else keep a core busy for seconds.
READ = 256
MATTERED = 8  # columns that are named of a sentence: several may say nearly the same


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
    reader: CrossReader | None = None

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) log-odds of texts that stand in no passage."""
        return self.read(question, standing_alone(texts)).scores

    def read(self, question: str, candidates: Sequence[Candidate]) -> ReadTexts:
        """The candidates' columns, scored, from which `ReadTexts.mattered` tells why."""
        if not len(candidates):
            return ReadTexts(self.trees, self.columns.names, np.empty((0, len(self.columns.names))))
        texts = [one.text for one in candidates]
        readings = None if self.reader is None else self._readings(self.reader, question, texts)
        rows = self.columns.read(question, candidates, self.idf, self.embedder, readings)
        return ReadTexts(self.trees, self.columns.names, rows)

    @staticmethod
    def _readings(reader: CrossReader, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) probabilities; 0 for what is not read."""
        read = reader.probabilities(question, texts[:READ])
        return np.pad(read, (0, len(texts) - len(read)))


@dataclass(frozen=True)
class LearntModel:
    """Everything that was trained for one of `LEARNT`, with two heads on the top sentence's score.

    Attributes:
        trigger: that the top sentence is right, and from what probability to answer: at the best F1
            (``balanced``), at a promised precision (``careful``, where it can be promised), and with recall
            worth more (``eager``).
        existence: that an answer is among the texts at all, right or wrong as the top one may be.
        reader: the name of the artefact that reads question and sentence together; None for columns without.
        reader_digest: SHA-256 of the reader's arrays whose probabilities the trees learnt from.
    """

    columns: Columns
    trees: Trees
    trigger: Trigger
    existence: Trigger
    reader: str | None = None
    reader_digest: str | None = None

    def scorer(self, embedder: Embedder, idf: IdfTable) -> LearntSelector:
        """The Scorer over a collection with these term weights.

        Raises:
            ArtifactError: the reader is missing, damaged, or another one than the trees learnt from.
        """
        reader = None
        if self.reader is not None:
            reader = load_reader(models_directory() / self.reader, digest=self.reader_digest)
        return LearntSelector(self.trees, self.columns, embedder, idf, reader)


@lru_cache(maxsize=len(LEARNT))
def load_learnt(name: LearntName, base: Path | None = None) -> LearntModel:
    """Read the artefact, by default the shipped one; its reader is read with the first `LearntModel.scorer`.

    Raises:
        ArtifactError: see `core.artifacts.load` and `Trees.of_arrays`.
    """
    artifact = load(base or models_directory() / BASES[name])
    config = artifact.config
    return LearntModel(
        Columns(
            config["similarity"],
            config["classes"],
            reading=config.get("reader") is not None,
            context=config.get("context", False),
        ),
        Trees.of_arrays(artifact.arrays),
        Trigger.of_config(config["trigger"]),
        Trigger.of_config(config["existence"]),
        config.get("reader"),
        config.get("reader_digest"),
    )


def save_learnt(name: LearntName, model: LearntModel, base: Path | None = None, **provenance: object) -> None:
    """Write the artefact, by default the shipped one; ``provenance`` goes into its JSON."""
    config = {
        "similarity": model.columns.similarity,
        "classes": model.columns.classes,
        "context": model.columns.context,
        "reader": model.reader,
        "reader_digest": model.reader_digest,
        "trigger": model.trigger.to_config(),
        "existence": model.existence.to_config(),
        "provenance": provenance,
    }
    save(base or models_directory() / BASES[name], Artifact(model.trees.arrays(), config))
