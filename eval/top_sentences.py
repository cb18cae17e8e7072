"""The first sentence of each question, with what could tell whether it is right beside its score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering import Selector
from answering.background import with_background
from answering.base import Candidate, scores_of
from answering.counts import weighted_overlap
from core.protocols import Embedder
from core.text import question_terms
from eval.asked import Kind
from eval.asked_passages import AskedPassages

# What is read of a question's candidates, as numbers that no collection's size or retriever moves, but for
# the last: a fused score counts standard deviations within its collection.
FEATURES = (
    "score",
    "margin to the second",
    "coverage of the sentence",
    "coverage of its passage",
    "best likeness",
    "share of the first five in its passage",
    "score of the first passage",
)


@dataclass(frozen=True, slots=True)
class TopSentence:
    """One question's first sentence.

    Attributes:
        features: (len(`FEATURES`),), the score first.
        right: whether it overlaps the evidence.
    """

    kind: Kind
    group: str
    features: NDArray[np.float64]
    right: bool


def top_sentences(
    selector: Selector, embedder: Embedder, texts: Iterable[Sequence[AskedPassages]]
) -> Iterator[TopSentence]:
    """Of every question that found a sentence, in order.

    Args:
        embedder: remembers, so that a text's sentences are embedded once.
    """
    for found in texts:
        read = [(one, one.candidates) for one in found]
        # all at once, so that they are kept in one piece
        embedder.embed_passages(list(dict.fromkeys(each.text for _, all_ in read for each in all_)))
        for passages, options in read:
            if options:
                yield _top(selector, embedder, passages, options)


def _top(
    selector: Selector, embedder: Embedder, passages: AskedPassages, options: Sequence[Candidate]
) -> TopSentence:
    asked = passages.asked
    question, texts = asked.question.text, [one.text for one in options]
    idf = with_background(question_terms(question), passages.table)
    scores = scores_of(selector.scorer_of(embedder, idf), question, options)
    order = np.argsort(-scores, kind="stable")
    best = options[order[0]]
    second = scores[order[1]] if len(order) > 1 else scores[order[0]]
    passage = " ".join(one.text for one in options if one.rank == best.rank)
    sentence, around = weighted_overlap(question, [best.text, passage], idf)
    likeness = embedder.embed_passages(texts) @ embedder.embed_query(question)
    beside = np.mean([options[at].rank == best.rank for at in order[:5]])
    golds = asked.question.golds if asked.kind == "answerable" else ()
    features = np.array(
        [
            scores[order[0]],
            scores[order[0]] - second,
            sentence,
            around,
            likeness.max(),
            beside,
            passages.hits[0].score,
        ],
        dtype=np.float64,
    )
    return TopSentence(asked.kind, asked.group, features, any(best.span.overlap(gold) for gold in golds))
