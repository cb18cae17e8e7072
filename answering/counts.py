"""Word matching between a question and sentences: shared words, their weights, and their partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering.word_vectors import WordVectors
from core.text import STOP_WORDS, IdfTable, question_terms, terms, words


def overlap(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """(n,): the share of the question's terms that each text holds, in [0, 1].

    A question without terms gives zeros.

    Source: the word count of Yang, Yih and Meek (EMNLP 2015), section 3, made a share so that questions of
    any length compare; within a question the order of texts is the same.
    """
    wanted = set(question_terms(question))
    if not wanted:
        return np.zeros(len(texts))
    return np.array([len(wanted & set(terms(text))) / len(wanted) for text in texts], dtype=np.float64)


def weighted_overlap(question: str, texts: Sequence[str], idf: IdfTable) -> NDArray[np.float64]:
    """(n,): the share of the question's idf mass that each text holds, in [0, 1].

    ``sum of idf(t) over question terms in the text / sum of idf(t) over question terms``, each term
    once; a question without terms gives zeros.

    Source: the idf-weighted word count of Yang, Yih and Meek (EMNLP 2015), section 3, made a share so
    that questions of any length compare.
    """
    wanted = {term: idf.idf(term) for term in question_terms(question)}
    mass = sum(wanted.values())
    if not mass:
        return np.zeros(len(texts))
    # In the question's order, not a set's: the last bits of a sum must not change from run to run.
    held = [set(terms(text)) for text in texts]
    shares = [sum(weight for term, weight in wanted.items() if term in one) / mass for one in held]
    return np.array(shares, dtype=np.float64)


def alignment(
    question: str, texts: Sequence[str], idf: IdfTable, vectors: WordVectors
) -> NDArray[np.float64]:
    """(n,): how well the question's words find a partner in each text, idf-weighted, in [0, 1].

    A word's partner is the text's word of the greatest cosine, 1 when the text holds its stem and never below
    0; stop words have no partners unless the question has no other words.

    Source: the word alignment model of Yih, Chang, Meek and Pastusiak (ACL 2013), section 4, in the form that
    Yang, Yih and Meek 2015 compare with, by word-vector similarity and lexical identity alone.
    """
    asked = _content(question)
    if not asked or not len(texts):
        return np.zeros(len(texts))
    stems = [_stem(word) for word in asked]
    weights = np.array([idf.idf(stem) for stem in stems])
    unit = _unit(vectors, asked)
    found = []
    for text in texts:
        held, others = set(terms(text)), _content(text)
        cosines = (unit @ _unit(vectors, others).T).max(axis=1, initial=0.0)  # (question words,)
        partners = np.maximum(cosines, [stem in held for stem in stems])
        found.append(float(partners @ weights) / max(float(weights.sum()), np.finfo(float).tiny))
    return np.minimum(np.array(found, dtype=np.float64), 1.0)


def lengths(texts: Sequence[str]) -> NDArray[np.float64]:
    """(n,): how many words each text has."""
    return np.array([len(words(text)) for text in texts], dtype=np.float64)


@dataclass(frozen=True)
class WordCount:
    """A Scorer: `overlap`."""

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) in [0, 1]."""
        return overlap(question, texts)


@dataclass(frozen=True)
class WeightedWordCount:
    """A Scorer: `weighted_overlap` under the weights of the collection that is asked."""

    idf: IdfTable

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) in [0, 1]."""
        return weighted_overlap(question, texts, self.idf)


@dataclass(frozen=True)
class WordAlignment:
    """A Scorer: `alignment` under the weights of the collection that is asked."""

    idf: IdfTable
    vectors: WordVectors

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) in [0, 1]."""
        return alignment(question, texts, self.idf, self.vectors)


def _content(text: str) -> list[str]:
    found = list(dict.fromkeys(words(text)))
    return [word for word in found if word not in STOP_WORDS] or found


def _stem(word: str) -> str:
    return " ".join(terms(word))


def _unit(vectors: WordVectors, found: Sequence[str]) -> NDArray[np.float32]:
    """(n, dim) unit rows; zeros for a word that is not known."""
    rows = vectors.of(found)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1))
