"""Fit the models of WikiQA's paper on WikiQA train, and choose their thresholds on dev as the paper did.

The other operating points are chosen on train, on scores of models that had not seen the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from answering.background import with_background
from answering.cnn import BigramCnn, CnnScorer
from answering.cnn_fit import fit as fit_cnn
from answering.counts import overlap, weighted_overlap
from answering.operating import points
from answering.published import (
    COLUMNS,
    PUBLISHED,
    PublishedModels,
    load_published,
    save_published,
    with_columns,
)
from answering.question_class import load_classifier
from answering.trigger import Trigger
from answering.trigger import fit as fit_trigger
from answering.word_vectors import load_word_vectors
from core.protocols import Scorer
from core.text import IdfTable, question_terms
from eval.datasets.selection import SelectionQuery
from eval.datasets.wikiqa import read_splits
from eval.metrics import TopCandidate, best_threshold
from eval.selection_models import collection_table
from eval.selection_scoring import Triggering, judgements, run_of, selection, tops

FOLDS = 5
_PENALTY = 1.0

# One value a sentence, by query.
Values = list[NDArray[np.float64]]


def train(folder: Path, *, seed: int, save: bool) -> None:
    """Print each model's figures on dev and out-of-fold on train; write ``models/wikiqa`` when ``save``.

    Args:
        folder: WikiQA's own folder.
        seed: of folds and fitting.
        save: whether to write.
    """
    both = read_splits(folder, "train", "dev")  # grouped over both, which does not matter here
    train_set = [query for query in both if query.id.startswith("train/")]
    dev = [query for query in both if query.id.startswith("dev/")]
    folds = _folds(train_set, seed)
    network = _fit_network(train_set, seed)
    outside: Values = [np.empty(0)] * len(train_set)
    for inside, held in folds:
        fold_network = _fit_network([train_set[at] for at in inside], seed)
        for at in held:
            outside[at] = _cnn(fold_network).score(train_set[at].text, train_set[at].texts)
        print(f"read a fold of {len(held)} questions without having seen them", flush=True)
    columns = _Columns(train_set, outside)
    weights = {
        name: columns.fit(columns.of(groups), range(len(train_set))) for name, groups in COLUMNS.items()
    }
    models = PublishedModels(network, weights, {}, load_word_vectors())
    triggers = {}
    print(
        "\n| model | threshold | MAP | MRR | F1 dev | F1 dev, threshold of train | MAP train, out-of-fold |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in PUBLISHED:
        held_out = columns.held_out(name, folds) if name in COLUMNS else outside if name == "cnn" else None
        trained = held_out or _scores(train_set, partial(models.scorer, name))
        ours = _scores(dev, partial(models.scorer, name))
        triggers[name] = _report(name, train_set, trained, dev, ours)
    if save:
        save_published(
            PublishedModels(network, weights, triggers, models.vectors),
            command="python -m eval.train published",
            data="WikiQA train; thresholds on WikiQA dev (Microsoft Research Data License)",
            seed=seed,
            folds=FOLDS,
        )
        load_published.cache_clear()
        print("wrote models/wikiqa/published.npz and models/wikiqa/published.json")


class _Columns:
    """The columns of the logistic models over the training questions, CNN scores out-of-fold."""

    def __init__(self, queries: Sequence[SelectionQuery], cnn: Values) -> None:
        table, self._queries = collection_table(queries), queries
        self._right = np.array([one.right for query in queries for one in query.sentences])
        self._query_of = np.repeat(np.arange(len(queries)), [len(query.sentences) for query in queries])
        self._base = []
        for query, odds in zip(queries, cnn, strict=True):
            idf = with_background(question_terms(query.text), table)
            counts = (overlap(query.text, query.texts), weighted_overlap(query.text, query.texts, idf))
            self._base.append(np.column_stack([odds, *counts]))

    def of(self, groups: Sequence[str]) -> NDArray[np.float64]:
        """(sentences, d): the model's matrix."""
        classifier = load_classifier()
        return np.concatenate(
            [
                with_columns(base, query.text, query.texts, groups, classifier)
                for query, base in zip(self._queries, self._base, strict=True)
            ]
        )

    def fit(self, matrix: NDArray[np.float64], inside: Sequence[int]) -> NDArray[np.float64]:
        """(d + 1,): weights and intercept, fitted on some questions, for columns as they stand."""
        from sklearn.linear_model import LogisticRegression

        rows = np.isin(self._query_of, np.asarray(inside))
        mean, spread = matrix[rows].mean(axis=0), matrix[rows].std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        model = LogisticRegression(C=_PENALTY, max_iter=1_000)
        model.fit((matrix[rows] - mean) / spread, self._right[rows])
        weights = model.coef_[0] / spread
        return np.append(weights, model.intercept_[0] - weights @ mean)

    def held_out(self, name: str, folds: Sequence[tuple[list[int], list[int]]]) -> Values:
        """Each question's log-odds by a model that did not see it."""
        matrix = self.of(COLUMNS[name])
        odds = np.empty(len(matrix))
        for inside, held in folds:
            weights = self.fit(matrix, inside)
            rows = np.isin(self._query_of, held)
            odds[rows] = matrix[rows] @ weights[:-1] + weights[-1]
        return [odds[self._query_of == at] for at in range(len(self._queries))]


def _folds(queries: Sequence[SelectionQuery], seed: int) -> list[tuple[list[int], list[int]]]:
    from sklearn.model_selection import GroupKFold

    groups = [query.group for query in queries]
    parted = GroupKFold(FOLDS, shuffle=True, random_state=seed).split(groups, groups=groups)
    return [(inside.tolist(), held.tolist()) for inside, held in parted]


def _fit_network(queries: Sequence[SelectionQuery], seed: int) -> BigramCnn:
    pairs = [(query.text, text) for query in queries for text in query.texts]
    right = [one.right for query in queries for one in query.sentences]
    return fit_cnn(pairs, right, load_word_vectors(), seed=seed)


def _cnn(network: BigramCnn) -> CnnScorer:
    return CnnScorer(network, load_word_vectors())


def _scores(queries: Sequence[SelectionQuery], scorer: Callable[[IdfTable], Scorer]) -> Values:
    table = collection_table(queries)
    return [
        scorer(with_background(question_terms(query.text), table)).score(query.text, query.texts)
        for query in queries
    ]


def _report(
    name: str,
    train_set: Sequence[SelectionQuery],
    trained: Values,
    dev: Sequence[SelectionQuery],
    ours: Values,
) -> Trigger:
    """Print the model's line; its trigger, calibrated and with the points of train, the threshold of dev."""
    fitted = tops(judgements(train_set), run_of(train_set, [one.tolist() for one in trained]))
    run = run_of(dev, [one.tolist() for one in ours])
    found = tops(judgements(dev), run)
    scores, right = np.array([one.score for one in fitted]), np.array([one.right for one in fitted])
    calibrated = fit_trigger(scores, right, threshold=0.5)
    balanced = _between(calibrated, found)
    others = points(calibrated.probability(scores), right, sum(one.answerable for one in fitted), balanced)
    trigger = Trigger(calibrated.slope, calibrated.intercept, balanced, *others)
    least = _between(calibrated, fitted)
    kept = selection(judgements(dev), run, "filtered")
    sure = [
        TopCandidate(float(calibrated.probability(one.score or 0.0)), one.right, one.answerable)
        for one in found
    ]
    own = selection(judgements(train_set), run_of(train_set, [one.tolist() for one in trained]), "filtered")
    print(
        f"| {name} | {trigger.threshold} | {kept['map']:.4f} | {kept['mrr']:.4f} "
        f"| {Triggering.of(sure, trigger.threshold).official.f1:.4f} "
        f"| {Triggering.of(sure, least).official.f1:.4f} | {own['map']:.4f} |",
        flush=True,
    )
    return trigger


def _between(calibrated: Trigger, found: Sequence[TopCandidate]) -> float:
    """The probability of best F1, half way to the next one below: rounding must not decide who answers."""
    best = best_threshold(found)
    values = sorted({one.score for one in found if one.score is not None and one.score < best})
    below = values[-1] if values else best
    pair = calibrated.probability([best, below])
    return round(fmean(pair.tolist()), 6)
