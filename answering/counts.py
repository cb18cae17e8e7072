"""Word matching between a question and sentences, weighted by how rare the words are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.text import IdfTable, question_terms, terms


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
    shares = [sum(wanted[term] for term in wanted.keys() & set(terms(text))) / mass for text in texts]
    return np.array(shares, dtype=np.float64)
