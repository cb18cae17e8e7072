"""What kind of thing a question asks for: the UIUC taxonomy, and a linear model that tells the classes.

Source: Li and Roth 2002, "Learning question classifiers" (COLING), for the taxonomy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.question_features import features, take_apart
from answering.word_vectors import WordVectors, load_word_vectors
from core.artifacts import Artifact, load, models_directory, save
from core.errors import InvalidValue
from core.text import STOP_WORDS

NAME = "question_class"

# Coarse classes: abbreviation, description, entity, human, location, number.
COARSE = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
CLASSES = tuple(
    """ABBR:abb ABBR:exp DESC:def DESC:desc DESC:manner DESC:reason
    ENTY:animal ENTY:body ENTY:color ENTY:cremat ENTY:currency ENTY:dismed ENTY:event ENTY:food ENTY:instru
    ENTY:lang ENTY:letter ENTY:other ENTY:plant ENTY:product ENTY:religion ENTY:sport ENTY:substance
    ENTY:symbol ENTY:techmeth ENTY:termeq ENTY:veh ENTY:word
    HUM:desc HUM:gr HUM:ind HUM:title
    LOC:city LOC:country LOC:mount LOC:other LOC:state
    NUM:code NUM:count NUM:date NUM:dist NUM:money NUM:ord NUM:other NUM:perc NUM:period NUM:speed NUM:temp
    NUM:volsize NUM:weight""".split()
)

# Chosen by cross-validation on the training questions (the card): the weight of vectors beside named
# features, of the coarse model beside the fine one, and the penalty of both.
_VECTOR_WEIGHT = 0.1
_COARSE_WEIGHT = 0.5
_PENALTY = 1.0
_LEAST_OFTEN = 2
_STEPS = 127


def coarse_of(label: str) -> str:
    """The coarse class of a fine one: ``NUM`` of ``NUM:date``."""
    return label.partition(":")[0]


@dataclass(frozen=True)
class QuestionClassifier:
    """``class = argmax(sum of named features' weights / sqrt(how many) + vectors @ dense + bias)``.

    Attributes:
        names: feature to row.
        weights: (n, 50) float32.
        dense: (3 dim, 50) float32, for the mean vectors of head, of the rest of its phrase, and of all
            content words.
        bias: (50,) float32.
    """

    names: dict[str, int]
    weights: NDArray[np.float32]
    dense: NDArray[np.float32]
    bias: NDArray[np.float32]
    vectors: WordVectors

    def margins(self, question: str) -> NDArray[np.float64]:
        """(50,): how strongly the question shows each of `CLASSES`, in their order."""
        named, vector = described(question, self.vectors)
        rows = sorted([self.names[name] for name in named if name in self.names])
        margins = vector @ self._dense + self.bias
        if rows:
            margins = margins + self.weights[rows].sum(axis=0) / np.sqrt(len(rows))
        return np.asarray(margins, dtype=np.float64)

    @cached_property
    def _dense(self) -> NDArray[np.float64]:
        """`dense`, made as wide as what it is multiplied with once and not for each question."""
        return self.dense.astype(np.float64)

    def classify(self, question: str) -> str:
        """The fine class, one of `CLASSES`."""
        return CLASSES[int(np.argmax(self.margins(question)))]


def described(question: str, vectors: WordVectors) -> tuple[set[str], NDArray[np.float64]]:
    """Named features, and (3 dim,) vectors weighted to stand beside them."""
    asked = take_apart(question)
    content = [word for word in asked.words if word not in STOP_WORDS]
    parts = [vectors.mean(list(part)) for part in (asked.phrase[-1:], asked.phrase[:-1], content)]
    return features(question, asked), _VECTOR_WEIGHT * np.concatenate(parts).astype(np.float64)


def fit(
    questions: Sequence[str], labels: Sequence[str], vectors: WordVectors, *, seed: int
) -> QuestionClassifier:
    """Two linear support vector machines, of fine and coarse classes, added into one.

    Raises:
        InvalidValue: unless every one of `CLASSES` occurs.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.svm import LinearSVC

    if set(labels) != set(CLASSES):
        raise InvalidValue(f"labels must hold each of the {len(CLASSES)} classes, got {len(set(labels))}")
    parts = [described(question, vectors) for question in questions]
    counted = Counter(name for named, _ in parts for name in named)
    kept = sorted(name for name, count in counted.items() if count >= _LEAST_OFTEN)
    names = {name: row for row, name in enumerate(kept)}
    rows, columns, values = [], [], []
    for at, (named, _) in enumerate(parts):
        known = sorted(names[name] for name in named if name in names)
        rows += [at] * len(known)
        columns += known
        values += [1 / np.sqrt(len(known))] * len(known)
    matrix = hstack(
        [
            csr_matrix((values, (rows, columns)), shape=(len(parts), len(names))),
            csr_matrix(np.array([vector for _, vector in parts])),
        ]
    ).tocsr()
    fine = LinearSVC(C=_PENALTY, random_state=seed).fit(matrix, labels)
    coarse = LinearSVC(C=_PENALTY, random_state=seed).fit(matrix, [coarse_of(label) for label in labels])
    of_fine = [list(fine.classes_).index(label) for label in CLASSES]
    of_coarse = [list(coarse.classes_).index(coarse_of(label)) for label in CLASSES]
    weights = fine.coef_[of_fine] + _COARSE_WEIGHT * coarse.coef_[of_coarse]  # (50, n + 3 dim)
    bias = fine.intercept_[of_fine] + _COARSE_WEIGHT * coarse.intercept_[of_coarse]
    return QuestionClassifier(
        names,
        weights[:, : len(names)].T.astype(np.float32),
        weights[:, len(names) :].T.astype(np.float32),
        bias.astype(np.float32),
        vectors,
    )


@lru_cache(maxsize=2)
def load_classifier(base: Path | None = None) -> QuestionClassifier:
    """Read the artefact, by default the shipped one, and the shipped word vectors.

    Raises:
        ArtifactError: see `core.artifacts.load`.
    """
    arrays = load(base or models_directory() / NAME).arrays
    names = arrays["names"].tobytes().decode("utf-8").split("\n")
    return QuestionClassifier(
        {name: row for row, name in enumerate(names)},
        arrays["weights"].astype(np.float32) * arrays["scales"].astype(np.float32),
        arrays["dense"].astype(np.float32),
        arrays["bias"].astype(np.float32),
        load_word_vectors(),
    )


def save_classifier(classifier: QuestionClassifier, base: Path | None = None, **provenance: object) -> None:
    """Write the artefact, its weights rounded to 255 steps a class; the word vectors are their own."""
    scales = np.abs(classifier.weights).max(axis=0) / _STEPS  # (50,)
    arrays: dict[str, NDArray[Any]] = {
        "names": np.frombuffer("\n".join(classifier.names).encode("utf-8"), dtype=np.uint8),
        "weights": np.round(classifier.weights / scales).astype(np.int8),
        "scales": scales.astype(np.float32),
        "dense": classifier.dense,
        "bias": classifier.bias,
    }
    save(base or models_directory() / NAME, Artifact(arrays, {"provenance": provenance}))
