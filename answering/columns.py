"""What boosted trees read of a question's candidates: what each says, and how it stands beside the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from answering import context
from answering.base import Candidate
from answering.company import WAYS, beside_the_best
from answering.counts import alignment
from answering.features import COMPARED, QUESTION, SENTENCE, ReadQuestion
from answering.question_class import load_classifier
from answering.question_rules import class_by_rule
from answering.word_vectors import load_word_vectors
from core.protocols import Embedder
from core.text import IdfTable
from core.values import Span

# Of words by their vectors, and of question and sentence by the embedder's.
_LIKENESS = ("alignment", "similarity")
_READING = ("reading",)


@dataclass(frozen=True)
class Columns:
    """What the trees read.

    Attributes:
        similarity: whether likeness of meaning is among it.
        classes: who tells a question's class: the trained model or rules.
        reading: whether the probability of a reader of pairs is (`answering.cross`).
        context: whether what stands around a candidate in its passage is (`answering.context`).
    """

    similarity: bool
    classes: Literal["trained", "rule"]
    reading: bool = False
    context: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name a column."""
        more = (*(_LIKENESS if self.similarity else ()), *(_READING if self.reading else ()))
        beside = tuple(f"{name}, {way}" for way in WAYS for name in (*COMPARED, *more))
        around: tuple[str, ...] = context.OF_WORDS if self.context else ()
        around += context.OF_READING if self.context and self.reading else ()
        return (*SENTENCE, *more, *beside, *QUESTION, "coverage", "idf overlap, below coverage", *around)

    def read(
        self,
        question: str,
        candidates: Sequence[Candidate],
        idf: IdfTable,
        embedder: Embedder,
        readings: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """(n, len(names)); at least one candidate.

        Args:
            readings: (n,) probabilities that each answers, where ``reading`` is set.
        """
        texts = [one.text for one in candidates]
        label = class_by_rule(question) if self.classes == "rule" else load_classifier().classify(question)
        asked = ReadQuestion(question, label, idf)
        parts = [asked.matrix(texts)]
        if self.similarity:
            cosine = embedder.embed_passages(texts).astype(np.float64) @ embedder.embed_query(question)
            parts += [alignment(question, texts, idf, load_word_vectors()), np.maximum(cosine, 0.0)]
        if readings is not None:
            parts.append(readings)
        own = np.column_stack(parts)
        compared = [*range(len(COMPARED)), *range(len(SENTENCE), own.shape[1])]
        coverage = asked.coverage(texts)
        of_question = np.broadcast_to([*asked.columns(), coverage], (len(texts), len(QUESTION) + 1))
        lacking = own[:, SENTENCE.index("idf overlap")] - coverage
        found = [own, beside_the_best(own[:, compared]), of_question, lacking]
        if self.context:
            found.append(context.word_columns(candidates, asked.weights))
            found += [context.reading_columns(candidates, readings)] if readings is not None else []
        return np.column_stack(found)


def standing_alone(texts: Sequence[str]) -> list[Candidate]:
    """Texts as candidates of no passage."""
    return [Candidate("", "", Span(0, len(text)), text) for text in texts]
