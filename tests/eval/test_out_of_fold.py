"""What a selector is worth on questions that it did not see, and the questions that `clean` learns from."""

from __future__ import annotations

import numpy as np
import pytest

from eval.datasets.selection import JudgedSentence, SelectionQuery
from eval.out_of_fold import HEADER, Tops, folds_of, held_out, measured
from eval.training_sets import with_unanswerable

pytest.importorskip("sklearn", reason="scikit-learn is not installed: make test installs it")


def queries(n: int = 200) -> list[SelectionQuery]:
    """Every other one has an answer, at one of four places; two queries a group."""
    return [
        SelectionQuery(
            str(at),
            f"question {at}",
            tuple(JudgedSentence(str(k), f"{at} {k}", at % 2 == 0 and k == at % 8 // 2) for k in range(4)),
            group=str(at // 2),
        )
        for at in range(n)
    ]


def truth(query: SelectionQuery, noise: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, int(query.id)])
    return np.array([3.0 * one.right for one in query.sentences]) + noise * rng.normal(size=4)


def test_groups_stay_together_and_each_query_is_held_out_once() -> None:
    asked = queries()
    folds = folds_of(asked, seed=1)
    assert sorted(at for _, held in folds for at in held) == list(range(len(asked)))
    for inside, held in folds:
        assert not {asked[at].group for at in inside} & {asked[at].group for at in held}
    assert folds == folds_of(asked, seed=1) != folds_of(asked, seed=2)


def test_no_query_is_scored_by_what_learnt_from_it() -> None:
    folds = folds_of(queries(20), seed=1)
    seen = held_out(folds, lambda inside: lambda at: np.array([float(at in inside)]))
    assert [one.tolist() for one in seen] == [[0.0]] * 20


def test_a_good_selector_is_told_from_a_bad_one() -> None:
    asked = queries()
    folds = folds_of(asked, seed=1)
    good, bad = (measured(asked, [truth(one, noise, 1) for one in asked], folds) for noise in (0.7, 30.0))
    assert good.map[0] > 0.95 > 0.7 > bad.map[0]
    assert good.f1[0] > 0.8 > bad.f1[0]
    assert good.f1[1] <= good.f1[0] <= good.f1[2]
    assert good.kept is not None
    assert good.kept[0] >= 0.6
    assert bad.kept is None
    assert good.ece < 0.1
    assert good.exists_auroc > 0.9 > bad.exists_auroc
    first = good.row().split(" | ")
    assert len(first) == HEADER.splitlines()[0].count(" | ")
    assert "unreachable" in bad.row()


def test_tops_are_the_best_sentences_with_ties_to_the_first() -> None:
    asked = queries(2)
    found = Tops.of(asked, [np.zeros(4), np.array([0.0, 1.0, 1.0, 0.0])])
    assert found.score.tolist() == [0, 1]
    assert found.right.tolist() == [True, False]
    assert found.answerable.tolist() == [True, False]


def test_each_question_stands_with_and_without_what_answers_it() -> None:
    doubled = with_unanswerable(queries(2))
    assert [one.id for one in doubled] == ["0", "0/without", "1", "1/without"]
    assert [one.answerable for one in doubled] == [True, False, False, False]
    assert [len(one.sentences) for one in doubled] == [4, 3, 4, 4]
    assert doubled[1].group == doubled[0].group
