"""Word matching between a question and sentences: shared words, their weights, and their partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answering.sentences import content_words, read_sentence
from answering.word_vectors import WordVectors
from core.text import IdfTable, question_terms, terms, words


def overlap(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """(n,): the share of the question's terms that each text holds, in [0, 1].

    A question without terms gives zeros.

    Source: the word count of Yang, Yih and Meek (EMNLP 2015), section 3, made a share so that questions of
    any length compare; within a question the order of texts is the same.
    """
    wanted = set(question_terms(question))
    if not wanted:
        return np.zeros(len(texts))
    held = [len(wanted & read_sentence(text).held) for text in texts]
    return np.array(held, dtype=np.float64) / len(wanted)


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
    held = [read_sentence(text).held for text in texts]
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
    asked = content_words(words(question))
    if not asked or not len(texts):
        return np.zeros(len(texts))
    stems = [" ".join(terms(word)) for word in asked]
    weights = np.array([idf.idf(stem) for stem in stems])
    read = [read_sentence(text) for text in texts]
    ends = np.cumsum([0, *(len(one.words) for one in read)])
    unit = vectors.units(asked)
    told = vectors.units([word for one in read for word in one.words])  # (words of all texts, dim)
    cosines = np.array(
        [(unit @ told[start:end].T).max(axis=1, initial=0.0) for start, end in pairwise(ends)]
    )  # (n, question words)
    partners = np.maximum(cosines, [[stem in one.held for stem in stems] for one in read])
    shares = partners @ weights / max(float(weights.sum()), np.finfo(float).tiny)
    return np.asarray(np.minimum(shares, 1.0))


def lengths(texts: Sequence[str]) -> NDArray[np.float64]:
    """(n,): how many words each text has."""
    return np.array([len(read_sentence(text).terms) for text in texts], dtype=np.float64)


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
