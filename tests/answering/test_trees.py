"""Boosted trees as arrays: the same scores as scikit-learn's, through the disk too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answering.tree_tables import tables_of
from answering.trees import Trees, average
from answering.trees_fit import exported, fit
from core.artifacts import Artifact, load, save
from core.errors import ArtifactError

pytest.importorskip("sklearn", reason="scikit-learn is not installed: make test installs it")


def grown(seed: int = 3, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 5)).round(1)  # ties at the cuts
    return rows, (rows[:, 0] * rows[:, 1] + 0.3 * rng.normal(size=n)) > 0


@pytest.mark.parametrize("leaves", [2, 8, 31])
def test_the_arrays_score_as_the_model_that_they_are_of(leaves: int) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, right = grown()
    model = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=leaves, random_state=1).fit(
        rows, right
    )
    fresh = np.random.default_rng(9).normal(size=(300, 5)).round(1)
    for seen in (rows, fresh):
        assert exported(model).score(seen) == pytest.approx(model.decision_function(seen), abs=1e-9)


def test_an_average_scores_as_its_parts_in_the_mean() -> None:
    rows, right = grown()
    parts = [fit(rows, right, rounds=rounds, seeds=(seed,)) for rounds, seed in ((5, 1), (12, 2))]
    mean = np.mean([part.score(rows) for part in parts], axis=0)
    assert average(parts).score(rows) == pytest.approx(mean, abs=1e-9)


def test_contributions_and_roots_add_up_to_the_score() -> None:
    rows, right = grown()
    trees = fit(rows, right, rounds=20, seeds=(1, 2))
    whole = trees.base + trees.value[:, 0].sum() + trees.contributions(rows).sum(axis=1)
    assert whole == pytest.approx(trees.score(rows), abs=1e-9)
    moved = np.abs(trees.contributions(rows)).sum(axis=0)
    assert set(np.argsort(-moved)[:2]) == {0, 1}  # the label is theirs


def test_trees_survive_the_disk_and_score_no_rows(tmp_path: Path) -> None:
    rows, right = grown()
    trees = fit(rows, right, rounds=8, seeds=(1, 2))
    save(tmp_path / "trees", Artifact(trees.arrays(), {}))
    kept = Trees.of_arrays(load(tmp_path / "trees").arrays)
    assert kept.score(rows).tolist() == trees.score(rows).tolist()
    assert kept.score(rows[:0]).shape == (0,)


def test_fitting_again_gives_the_same_trees() -> None:
    rows, right = grown()
    one, other = (fit(rows, right, rounds=8, seeds=(4, 5)).arrays() for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_arrays_that_are_no_trees_are_refused() -> None:
    rows, right = grown()
    arrays = fit(rows, right, rounds=3, seeds=(1,)).arrays()
    with pytest.raises(ArtifactError, match="value is missing"):
        Trees.of_arrays({name: array for name, array in arrays.items() if name != "value"})
    with pytest.raises(ArtifactError, match="one shape"):
        Trees.of_arrays({**arrays, "cut": arrays["cut"][:, :-1]})
    for child in (0, 10_000):
        left = arrays["left"].copy()
        left[:, 1] = child
        with pytest.raises(ArtifactError, match="later ones or itself"):
            Trees.of_arrays({**arrays, "left": left})


def test_trees_score_alike_through_tables_and_step_by_step() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, right = grown()
    small, wide = (
        exported(HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=leaves).fit(rows, right))
        for leaves in (8, 20)
    )
    assert tables_of(small) is not None
    assert tables_of(wide) is None
    assert tables_of(average([small, wide])) is None
    for seen in (rows, rows[:1], np.full((2, 5), np.nan)):
        mean = (small.score(seen) + wide.score(seen)) / 2
        assert average([small, wide]).score(seen) == pytest.approx(mean, abs=1e-12)
