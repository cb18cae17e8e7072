"""Fitting the bigram CNN; torch is needed here alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.cnn import BigramCnn, read_words
from answering.word_vectors import WordVectors
from core.errors import InvalidValue, MissingExtra

MAPS = 50
# Chosen on WikiQA train, out-of-fold: a penalty costs MAP, unseen words win a little F1.
_EPOCHS = 20
# Weights are averaged from this epoch on: a single step's are good or bad by two points of MAP.
_AVERAGED_FROM = 2
_BATCH = 32
_RATE = 0.05
# The share of words that a step does not see, so that no single one is learnt by heart.
_UNSEEN = 0.2


def fit(
    pairs: Sequence[tuple[str, str]], right: Sequence[bool], vectors: WordVectors, *, seed: int
) -> BigramCnn:
    """The network whose log-odds fit the pairs of question and text best, word vectors frozen.

    Cross-entropy by Adagrad, its steps averaged, in one thread: a seed gives the same weights again.

    Raises:
        InvalidValue: unless there is one label a pair, and both labels.
        MissingExtra: torch is not installed.
    """
    if len(pairs) != len(right) or len(set(right)) < 2:
        raise InvalidValue(f"each of {len(pairs)} pairs must have a label, both in use, got {len(right)}")
    try:
        import torch
    except ModuleNotFoundError as error:
        raise MissingExtra("the CNN is trained with torch; pip install sawyer-rag[train]") from error

    lib: Any = torch  # which publishes types for a part of itself, and none where it is not installed
    threads = lib.get_num_threads()
    lib.set_num_threads(1)
    try:
        generator = lib.Generator().manual_seed(seed)
        scale = 1 / np.sqrt(2 * vectors.dim)
        left, after = (lib.randn(vectors.dim, MAPS, generator=generator) * scale for _ in range(2))
        bias, match, offset = lib.zeros(MAPS), lib.eye(MAPS), lib.zeros(1)
        weights = [part.requires_grad_() for part in (left, after, bias, match, offset)]
        table = lib.from_numpy(vectors.matrix)

        def read(rows: Any, lengths: Any) -> Any:
            found = table[rows]  # (batch, words, dim)
            bigrams = lib.tanh(found[:, :-1] @ left + found[:, 1:] @ after + bias)
            inside = (lib.arange(bigrams.shape[1]) < (lengths - 1)[:, None])[..., None].float()
            return (bigrams * inside).sum(1) / inside.sum(1)

        def unseen(rows: Any) -> Any:
            drawn = lib.rand(rows.shape, generator=generator)
            return lib.where(drawn < _UNSEEN, len(vectors.rows), rows)

        questions, question_lengths = (lib.from_numpy(part) for part in _rows([q for q, _ in pairs], vectors))
        texts, text_lengths = (lib.from_numpy(part) for part in _rows([text for _, text in pairs], vectors))
        labels = lib.tensor(list(right), dtype=lib.float32)
        optimizer = lib.optim.Adagrad(weights, lr=_RATE)
        averages, steps = [lib.zeros_like(part) for part in weights], 0
        for epoch in range(_EPOCHS):
            for batch in lib.randperm(len(labels), generator=generator).split(_BATCH):
                widest, longest = int(question_lengths[batch].max()), int(text_lengths[batch].max())
                asked = read(unseen(questions[batch][:, :widest]), question_lengths[batch])
                read_texts = read(unseen(texts[batch][:, :longest]), text_lengths[batch])
                odds = ((asked @ match) * read_texts).sum(1) + offset
                loss = lib.nn.functional.binary_cross_entropy_with_logits(odds, labels[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if epoch >= _AVERAGED_FROM:
                    steps += 1
                    for average, part in zip(averages, weights, strict=True):
                        average += (part.detach() - average) / steps
        found = [average.numpy() for average in averages]
    finally:
        lib.set_num_threads(threads)
    return BigramCnn(found[0], found[1], found[2], found[3], float(found[4][0]))


def _rows(texts: Sequence[str], vectors: WordVectors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n, longest) rows of the words that are read, at least two a text, and (n,) how many."""
    unknown = len(vectors.rows)
    known = {text: vectors.indices(read_words(text)) for text in dict.fromkeys(texts)}
    lengths = np.array([max(2, len(known[text])) for text in texts], dtype=np.int64)
    rows = np.full((len(texts), int(lengths.max())), unknown, dtype=np.int64)
    for at, text in enumerate(texts):
        rows[at, : len(known[text])] = known[text]
    return rows, lengths
