"""Boosted trees, fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.trees import Trees, average


def fit(rows: NDArray[np.float64], right: NDArray[np.bool_], *, rounds: int, seeds: tuple[int, ...]) -> Trees:
    """The mean of one boosting a seed, on (n, d) rows and their labels (n,).

    Args:
        rounds: trees a seed.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    parts = []
    for seed in seeds:
        model = HistGradientBoostingClassifier(
            max_iter=rounds,
            learning_rate=0.05,
            max_leaf_nodes=8,
            min_samples_leaf=40,
            l2_regularization=5.0,
            max_features=0.2,
            early_stopping=False,
            random_state=seed,
        ).fit(rows, right)
        parts.append(exported(model))
    return average(parts)


def exported(model: Any) -> Trees:
    """A fitted ``HistGradientBoostingClassifier`` of two classes, as arrays.

    Its predictors have no public form; a test holds this one to ``decision_function``.
    """
    grown = [one[0].nodes for one in model._predictors]
    nodes = max(len(one) for one in grown)
    shape = (len(grown), nodes)
    itself = np.tile(np.arange(nodes), (len(grown), 1))
    column, left, right = np.zeros(shape, np.intp), itself.copy(), itself.copy()
    cut, value = np.zeros(shape), np.zeros(shape)
    for tree, one in enumerate(grown):
        inner = np.flatnonzero(one["is_leaf"] == 0)
        column[tree, inner] = one["feature_idx"][inner]
        left[tree, inner], right[tree, inner] = one["left"][inner], one["right"][inner]
        cut[tree, inner] = one["num_threshold"][inner]
        value[tree, : len(one)] = np.where(one["is_leaf"] == 1, 1.0, model.learning_rate) * one["value"]
    arrays = {"column": column, "left": left, "right": right, "cut": cut, "value": value}
    return Trees.of_arrays({**arrays, "base": np.ravel(model._baseline_prediction)})
