"""Ranking metrics against ir_measures, and their tie bounds against every order of the tied ids."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from statistics import fmean

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from core.errors import InvalidValue
from eval.metrics import Metric, evaluate, evaluate_ties, ranking

# As in test_metrics: with falling ids trec_eval's order of equal scores is ours.
IDS = [f"d{n}" for n in range(9, -1, -1)]
GAINS = st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3), max_size=6)
SCORES = st.lists(st.integers(-2, 2), min_size=10, max_size=10).flatmap(
    lambda values: st.integers(0, 10).map(
        lambda n: {id_: float(value) for id_, value in list(zip(IDS, values, strict=True))[:n]}
    )
)
QRELS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), GAINS, min_size=1)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "unjudged"]), SCORES)
CUTOFFS = st.none() | st.integers(1, 12)

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

THEIRS = {
    "ndcg": ir_measures.nDCG,
    "map": ir_measures.AP,
    "success": ir_measures.Success,
    "p": ir_measures.P,
    "recall": ir_measures.R,
}
NAMES = ("dcg", "dcg-exp", "ndcg", "ndcg-exp", "mrr", "map", "recall", "success", "p")


def metric(name: str, cutoff: int | None) -> Metric:
    return Metric(name, cutoff or (None if name in ("ndcg", "ndcg-exp", "mrr", "map") else 10))


@pytest.mark.parametrize(
    "text",
    ["ndcg@10", "ndcg", "ndcg-exp@5", "dcg-exp@3", "map", "map@7", "mrr@10", "mrr", "success@5", "p@1"],
)
def test_a_metric_is_its_text(text: str) -> None:
    assert str(Metric.parse(text)) == text
    assert Metric.parse(str(Metric.parse(text))) == Metric.parse(text)


@pytest.mark.parametrize("text", ["p", "success", "recall", "dcg-exp", "er"])
def test_a_metric_that_needs_a_cutoff_says_how_to_write_it(text: str) -> None:
    with pytest.raises(InvalidValue, match=f"{text} must be written with a cutoff, as in {text}@10"):
        Metric.parse(text)


@pytest.mark.parametrize("text", ["map@", "map@0", "mrr@x"])
def test_an_empty_or_wrong_cutoff_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="must be"):
        Metric.parse(text)


@pytest.mark.parametrize("name", THEIRS)
@given(qrels=QRELS, run=RUNS, cutoff=CUTOFFS)
def test_metrics_equal_ir_measures(name: str, qrels: Qrels, run: Run, cutoff: int | None) -> None:
    ours = metric(name, cutoff)
    measure = THEIRS[name] if ours.cutoff is None else THEIRS[name] @ ours.cutoff
    theirs = _values(measure, qrels, run)
    found = evaluate(ours, qrels, run)
    assert list(found) == list(qrels)
    for query, value in found.items():
        assert value == pytest.approx(theirs.get(query, 0.0), abs=1e-6)


@given(qrels=QRELS, run=RUNS)
def test_reciprocal_rank_equals_ir_measures(qrels: Qrels, run: Run) -> None:
    theirs = _values(ir_measures.RR, qrels, run)
    for query, value in evaluate(Metric("mrr"), qrels, run).items():
        assert value == pytest.approx(theirs.get(query, 0.0), abs=1e-6)


@given(qrels=QRELS, run=RUNS, cutoff=st.integers(1, 12))
def test_a_cutoff_forgets_what_is_ranked_below_it(qrels: Qrels, run: Run, cutoff: int) -> None:
    for name in ("mrr", "map", "ndcg"):
        kept = {query: {id_: run[query][id_] for id_ in ranking(run[query])[:cutoff]} for query in run}
        if name == "ndcg":  # its ideal is cut too
            assert evaluate(Metric("dcg", cutoff), qrels, run) == evaluate(Metric("dcg", 99), qrels, kept)
        else:
            assert evaluate(Metric(name, cutoff), qrels, run) == evaluate(Metric(name), qrels, kept)


@given(qrels=QRELS, run=RUNS, k=st.integers(1, 12))
def test_exponential_gains_are_linear_gains_of_two_to_the_gain_less_one(
    qrels: Qrels, run: Run, k: int
) -> None:
    raised = {
        query: {id_: 2 ** max(0, gain) - 1 for id_, gain in gains.items()} for query, gains in qrels.items()
    }
    for name in ("dcg", "ndcg"):
        expected = evaluate(Metric(name, k), raised, run)
        assert evaluate(Metric(f"{name}-exp", k), qrels, run) == pytest.approx(expected)


def test_published_gains_by_hand() -> None:
    # Gains 3, 2, 3, 0, 1, 2 in rank order: a common worked example.
    run = {"q": {id_: -float(rank) for rank, id_ in enumerate("abcdef")}}
    qrels = {"q": dict(zip("abcdef", [3, 2, 3, 0, 1, 2], strict=True))}
    assert evaluate(Metric("dcg", 6), qrels, run)["q"] == pytest.approx(6.8611, abs=1e-4)
    assert evaluate(Metric("ndcg", 6), qrels, run)["q"] == pytest.approx(0.9608, abs=1e-4)
    assert evaluate(Metric("dcg-exp", 6), qrels, run)["q"] == pytest.approx(13.8483, abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_relevant_nothing_ranked_and_all_relevant(name: str) -> None:
    one = metric(name, 2)
    ranked = {"q": {"a": 2.0, "b": 1.0}}
    assert evaluate(one, {"q": {}}, ranked) == {"q": 0.0}
    assert evaluate(one, {"q": {"a": 0}}, ranked) == {"q": 0.0}
    assert evaluate(one, {"q": {"a": 1}}, {}) == {"q": 0.0}
    whole = evaluate(one, {"q": {"a": 1, "b": 1}}, ranked)["q"]
    assert whole == pytest.approx(1 + 1 / math.log2(3) if name.startswith("dcg") else 1.0)
    assert evaluate(one, {}, ranked) == {}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(
    gains=st.lists(st.integers(0, 2), min_size=1, max_size=6),
    scores=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    missed=st.integers(0, 2),
    cutoff=st.none() | st.integers(1, 7),
)
def test_tie_bounds_are_those_of_every_order(
    name: str, gains: list[int], scores: list[int], missed: int, cutoff: int | None
) -> None:
    one = metric(name, cutoff)
    ids = [f"d{at}" for at in range(len(gains))]
    scored = dict(zip(ids, map(float, scores), strict=False))
    qrels = {"q": dict(zip(ids, gains, strict=True)) | {f"m{at}": 1 for at in range(missed)}}
    values = [
        # equal scores keep their order, so that every order of the ids gives one order of the ties
        evaluate(one, qrels, {"q": {id_: scored[id_] for id_ in order}})["q"]
        for order in itertools.permutations(ids)
    ]
    found = evaluate_ties(one, qrels, {"q": scored})["q"]
    assert found.least == pytest.approx(min(values), abs=1e-12)
    assert found.expected == pytest.approx(fmean(values), abs=1e-9)
    assert found.greatest == pytest.approx(max(values), abs=1e-12)


@pytest.mark.parametrize(("name", "theirs"), [("dcg", dcg_score), ("ndcg", ndcg_score)])
@given(
    gains=st.lists(st.integers(0, 3), min_size=2, max_size=9),
    scores=st.lists(st.integers(0, 2), min_size=9, max_size=9),
    k=st.integers(1, 10),
)
def test_expected_values_equal_scikit_learns_means_over_ties(
    name: str, theirs: Callable[..., float], gains: list[int], scores: list[int], k: int
) -> None:
    ids = [f"d{at}" for at in range(len(gains))]
    run = {"q": {id_: float(score) for id_, score in zip(ids, scores, strict=False)}}
    found = evaluate_ties(Metric(name, k), {"q": dict(zip(ids, gains, strict=True))}, run)["q"]
    assert found.expected == pytest.approx(theirs([gains], [list(run["q"].values())], k=k))


@given(qrels=QRELS, run=RUNS)
def test_without_ties_the_bounds_are_the_value(qrels: Qrels, run: Run) -> None:
    apart = {query: {id_: -float(rank) for rank, id_ in enumerate(ranking(run[query]))} for query in run}
    for name in NAMES:
        one = metric(name, 4)
        values = evaluate(one, qrels, apart)
        for query, bounds in evaluate_ties(one, qrels, apart).items():
            assert bounds.least == bounds.greatest == values[query]
            assert bounds.expected == pytest.approx(values[query], abs=1e-12)


def test_unanswered_queries_have_tie_bounds_of_zero() -> None:
    bounds = evaluate_ties(Metric("map"), {"q": {"a": 1}}, {"stranger": {"a": 1.0}})
    assert list(bounds) == ["q"]
    assert (bounds["q"].least, bounds["q"].expected, bounds["q"].greatest) == (0.0, 0.0, 0.0)


def test_a_thousand_ties_cost_no_orders() -> None:
    run = {"q": dict.fromkeys((f"d{at}" for at in range(1000)), 1.0)}
    bounds = evaluate_ties(Metric("success", 10), {"q": {"d999": 1}}, run)["q"]
    assert (bounds.least, bounds.greatest) == (0.0, 1.0)
    assert bounds.expected == pytest.approx(0.01)


def test_evidence_recall_has_no_tie_bounds() -> None:
    with pytest.raises(InvalidValue, match=r"a tie-aware metric must be one of dcg, .*got er@10"):
        evaluate_ties(Metric("er", 10), {"q": {}}, {})


def _values(measure: ir_measures.Measure, qrels: Qrels, run: Run) -> dict[str, float]:
    # It knows no query without ids; and where every gain is negative, trec_eval reads in front of its table
    # of levels and may count for hours. Either way the value is 0.
    judged = {query: gains for query, gains in qrels.items() if max(gains.values(), default=-1) >= 0}
    return {found.query_id: found.value for found in ir_measures.iter_calc([measure], judged, run)}
