"""The models that WikiQA's paper measures, as this project trains them, each with its own trigger.

Source: Yang, Yih and Meek 2015 (EMNLP), sections 3 and 4. All but the weights of word counts are trained on
WikiQA, whose terms they carry: see ``models/wikiqa/NOTICE``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.cnn import BigramCnn, CnnScorer
from answering.counts import WeightedWordCount, WordAlignment, WordCount, lengths, overlap, weighted_overlap
from answering.question_class import COARSE, QuestionClassifier, coarse_of, load_classifier
from answering.trigger import Trigger
from answering.word_vectors import WordVectors, load_word_vectors
from core.artifacts import Artifact, load, models_directory, save
from core.errors import InvalidValue
from core.protocols import Scorer
from core.text import IdfTable

NAME = "wikiqa/published"

# Of each logistic model, the columns beside CNN score, count and weighted count.
COLUMNS: dict[str, tuple[str, ...]] = {
    "cnn-cnt": (),
    "cnn-cnt+qlen": ("qlen",),
    "cnn-cnt+slen": ("slen",),
    "cnn-cnt+qclass": ("qclass",),
    "cnn-cnt+all": ("qlen", "slen", "qclass"),
}
PUBLISHED = ("wd-cnt", "wgt-wd-cnt", "wd-algn", "cnn", *COLUMNS)


@dataclass(frozen=True)
class CnnCount:
    """A Scorer: ``weights @ columns + intercept``, a log-odds, over CNN score and word counts.

    Attributes:
        columns: the groups of columns beside CNN score, count and weighted count: ``qlen`` and ``slen`` are
            words of question and sentence, ``qclass`` is 1 at the question's coarse class.
        weights: one a column.
    """

    network: CnnScorer
    idf: IdfTable
    classifier: QuestionClassifier
    columns: tuple[str, ...]
    weights: NDArray[np.float64]
    intercept: float

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) log-odds."""
        if not len(texts):
            return np.empty(0)
        base = np.column_stack(
            [
                self.network.score(question, texts),
                overlap(question, texts),
                weighted_overlap(question, texts, self.idf),
            ]
        )
        matrix = with_columns(base, question, texts, self.columns, self.classifier)
        return np.asarray(matrix @ self.weights + self.intercept, dtype=np.float64)


def with_columns(
    base: NDArray[np.float64],
    question: str,
    texts: Sequence[str],
    columns: Sequence[str],
    classifier: QuestionClassifier,
) -> NDArray[np.float64]:
    """(n, d): the three columns of ``base`` and those of the named groups, in their order.

    Raises:
        InvalidValue: no such group.
    """
    parts = [base]
    for name in columns:
        if name == "qlen":
            parts.append(np.full((len(texts), 1), lengths([question])[0]))
        elif name == "slen":
            parts.append(lengths(texts)[:, None])
        elif name == "qclass":
            asked = coarse_of(classifier.classify(question))
            parts.append(np.tile([float(asked == coarse) for coarse in COARSE], (len(texts), 1)))
        else:
            raise InvalidValue(f"a group of columns must be one of qlen, slen, qclass, got {name!r}")
    return np.concatenate(parts, axis=1)


@dataclass(frozen=True)
class PublishedModels:
    """Everything that was trained for the published models.

    Attributes:
        weights: logistic model to its weights, the intercept last.
        triggers: model to when it answers.
    """

    network: BigramCnn
    weights: Mapping[str, NDArray[np.float64]]
    triggers: Mapping[str, Trigger]
    vectors: WordVectors

    def scorer(self, name: str, idf: IdfTable) -> Scorer:
        """The named model over a collection with these term weights.

        Raises:
            InvalidValue: no such model.
        """
        cnn = CnnScorer(self.network, self.vectors)
        if name in COLUMNS:
            weights = self.weights[name]
            return CnnCount(cnn, idf, load_classifier(), COLUMNS[name], weights[:-1], float(weights[-1]))
        plain: dict[str, Scorer] = {
            "wd-cnt": WordCount(),
            "wgt-wd-cnt": WeightedWordCount(idf),
            "wd-algn": WordAlignment(idf, self.vectors),
            "cnn": cnn,
        }
        if name not in plain:
            raise InvalidValue(f"a published model must be one of {', '.join(PUBLISHED)}, got {name!r}")
        return plain[name]


@lru_cache(maxsize=2)
def load_published(base: Path | None = None) -> PublishedModels:
    """Read the artefact, by default the shipped one.

    Raises:
        ArtifactError: see `core.artifacts.load`.
    """
    artifact = load(base or models_directory() / NAME)
    triggers = {name: Trigger.of_config(one) for name, one in artifact.config["triggers"].items()}
    return PublishedModels(
        BigramCnn.from_arrays(dict(artifact.arrays)),
        {name: artifact.arrays[name] for name in COLUMNS},
        triggers,
        load_word_vectors(),
    )


def save_published(models: PublishedModels, base: Path | None = None, **provenance: object) -> None:
    """Write the artefact, by default the shipped one; ``provenance`` goes into its JSON."""
    arrays: dict[str, NDArray[Any]] = {**models.network.arrays(), **models.weights}
    triggers = {name: one.to_config() for name, one in models.triggers.items()}
    save(
        base or models_directory() / NAME, Artifact(arrays, {"triggers": triggers, "provenance": provenance})
    )
