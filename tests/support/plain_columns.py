"""The columns of one question and one sentence as their names say them, one by one and slowly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answering import cues
from answering.features import ReadQuestion
from answering.word_vectors import WordVectors
from core.text import STOP_WORDS, IdfTable, terms, words


def plain_cues(text: str, asked: frozenset[str]) -> list[float]:
    """`answering.cues.cues`: every pattern looked for in every text."""
    first = cues._FIRST.match(text)
    found = []
    for cue, pattern in cues._PATTERNS.items():
        seen = pattern.findall(text, first.end() if first and cue == "names" else 0)
        news = [one for one in seen if not asked.issuperset(words(one))] if cue in cues.NEWS else seen
        found.append(float(len(news)))
    names = [len(name.split()) for name in cues._NAME.findall(text)]
    return [*found, float(bool(cues._PRONOUN.match(text))), float(max(names, default=0))]


def plain_matrix(asked: ReadQuestion, texts: Sequence[str]) -> NDArray[np.float64]:
    """`answering.features.ReadQuestion.matrix`."""
    return np.array([_row(asked, text) for text in texts])


def _row(asked: ReadQuestion, text: str) -> list[float]:
    found, weights, mass = terms(text), asked.weights, asked.mass
    where = [at for at, term in enumerate(found) if term in weights]
    counts = Counter(found[at] for at in where)
    held, length, many = set(found), max(len(found), 1), max(len(weights), 1)
    share = sum(weight for term, weight in weights.items() if term in counts) / mass
    missing = {term: weight for term, weight in weights.items() if term not in counts}
    saturated = 1.2 * (0.25 + 0.75 * length / 24.0)
    pairs = list(dict.fromkeys(pairwise(terms(asked.text))))
    little = [term for term in dict.fromkeys(terms(asked.text)) if term not in weights]
    head = " ".join(terms(asked.asked.head))
    new = float(sum(1 for term in held if term not in weights and term not in STOP_WORDS))
    shown = plain_cues(text, frozenset(words(asked.text)))
    wanted = float(any(shown[at] for at, cue in enumerate(cues.CUES) if cue in cues.wanted_by(asked.label)))
    return [
        len(counts) / many,
        share,
        sum(weights[term] * n * 2.2 / (n + saturated) for term, n in counts.items()) / mass,
        share + sum(weight * _nearest(term, held) for term, weight in missing.items()) / mass,
        sum(pair in set(pairwise(found)) for pair in pairs) / max(len(pairs), 1),
        _longest_run(found, weights) / many,
        float(max(weights, key=lambda term: weights[term], default="") in counts),
        sum(term in held for term in little) / max(len(little), 1),
        len(where) / (where[-1] - where[0] + 1) if where else 0.0,
        len(where) / length,
        sum(at < 6 for at in where) / many,
        _longest_phrase(pairs, found) / max(len(pairs), 1),
        wanted * share,
        new * share,
        (1 - where[0] / length) * share if where else 0.0,
        float(len(found)),
        where[0] / length if where else 1.0,
        float(head in held) if head else 0.5,
        max(missing.values(), default=0.0) / max(weights.values(), default=1.0),
        float(next(reversed(weights), "") in counts),
        new,
        wanted,
        *shown,
    ]


def _longest_run(found: Sequence[str], weights: dict[str, float]) -> int:
    best = run = 0
    for term in found:
        if term in weights:
            run += 1
            best = max(best, run)
        elif term not in STOP_WORDS:
            run = 0
    return best


def _longest_phrase(pairs: Sequence[tuple[str, str]], found: Sequence[str]) -> int:
    follows = {pair: at for at, pair in enumerate(pairs)}
    best = run = 0
    last = -1
    for pair in pairwise(found):
        at = follows.get(pair, -1)
        run = 0 if at < 0 else run + 1 if at == last + 1 and run else 1
        best, last = max(best, run), at
    return best


def _nearest(term: str, held: set[str]) -> float:
    best = 0.0
    for other in held:
        if len(term) > 3 and term[:3] == other[:3]:
            common = next((at for at, (a, b) in enumerate(zip(term, other, strict=False)) if a != b), None)
            same = min(len(term), len(other)) if common is None else common
            best = max(best, same / max(len(term), len(other)))
    return best if best >= 0.6 else 0.0


def plain_alignment(
    question: str, texts: Sequence[str], idf: IdfTable, vectors: WordVectors
) -> NDArray[np.float64]:
    """`answering.counts.alignment`."""
    asked = _content(question)
    stems = [" ".join(terms(word)) for word in asked]
    weights = np.array([idf.idf(stem) for stem in stems])
    found = []
    for text in texts:
        cosines = (_units(vectors, asked) @ _units(vectors, _content(text)).T).max(axis=1, initial=0.0)
        partners = np.maximum(cosines, [stem in set(terms(text)) for stem in stems])
        found.append(min(float(partners @ weights) / float(weights.sum()), 1.0))
    return np.array(found)


def _content(text: str) -> list[str]:
    found = list(dict.fromkeys(words(text)))
    return [word for word in found if word not in STOP_WORDS] or found


def _units(vectors: WordVectors, found: Sequence[str]) -> NDArray[np.float32]:
    rows = vectors.of(found)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1))
