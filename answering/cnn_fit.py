"""Fitting the bigram CNN; torch is needed here alone."""

from __future__ import annotations

from collections.abc import Sequence

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

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        generator = torch.Generator().manual_seed(seed)
        scale = 1 / np.sqrt(2 * vectors.dim)
        left, after = (torch.randn(vectors.dim, MAPS, generator=generator) * scale for _ in range(2))
        bias, match, offset = torch.zeros(MAPS), torch.eye(MAPS), torch.zeros(1)
        weights = [part.requires_grad_() for part in (left, after, bias, match, offset)]
        table = torch.from_numpy(vectors.matrix)

        def read(rows: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            found = table[rows]  # (batch, words, dim)
            bigrams = torch.tanh(found[:, :-1] @ left + found[:, 1:] @ after + bias)
            inside = (torch.arange(bigrams.shape[1]) < (lengths - 1)[:, None])[..., None].float()
            return (bigrams * inside).sum(1) / inside.sum(1)

        def unseen(rows: torch.Tensor) -> torch.Tensor:
            drawn = torch.rand(rows.shape, generator=generator)
            return torch.where(drawn < _UNSEEN, len(vectors.rows), rows)

        questions, question_lengths = (
            torch.from_numpy(part) for part in _rows([q for q, _ in pairs], vectors)
        )
        texts, text_lengths = (torch.from_numpy(part) for part in _rows([text for _, text in pairs], vectors))
        labels = torch.tensor(list(right), dtype=torch.float32)
        optimizer = torch.optim.Adagrad(weights, lr=_RATE)
        averages, steps = [torch.zeros_like(part) for part in weights], 0
        for epoch in range(_EPOCHS):
            for batch in torch.randperm(len(labels), generator=generator).split(_BATCH):  # type: ignore[no-untyped-call]
                widest, longest = int(question_lengths[batch].max()), int(text_lengths[batch].max())
                asked = read(unseen(questions[batch][:, :widest]), question_lengths[batch])
                read_texts = read(unseen(texts[batch][:, :longest]), text_lengths[batch])
                odds = ((asked @ match) * read_texts).sum(1) + offset
                loss = torch.nn.functional.binary_cross_entropy_with_logits(odds, labels[batch])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                if epoch >= _AVERAGED_FROM:
                    steps += 1
                    for average, part in zip(averages, weights, strict=True):
                        average += (part.detach() - average) / steps
        found = [average.numpy() for average in averages]
    finally:
        torch.set_num_threads(threads)
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
