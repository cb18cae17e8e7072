"""Metrics against ir_measures and against a plain reading of their definitions, ties included."""

from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from eval.metrics import Metric, book_mean, evaluate, ranking, within_budget

CUTOFFS = st.integers(1, 12)

# Ids fall from id 9 to id 0: trec_eval ranks equal scores by falling id, and we by the order of the run,
# so that here both are the same order.
IDS = [f"d{n}" for n in range(9, -1, -1)]
GAINS = st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), max_size=6)
SCORES = st.lists(st.integers(-2, 2), min_size=10, max_size=10).flatmap(
    lambda values: st.integers(0, 10).map(
        lambda n: {id_: float(value) for id_, value in list(zip(IDS, values, strict=True))[:n]}
    )
)
QRELS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), GAINS, min_size=1)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "unjudged"]), SCORES)


@pytest.mark.parametrize("text", ["dcg@1", "dcg@10", "recall@20", "er@1000"])
def test_a_metric_is_its_text(text: str) -> None:
    assert str(Metric.parse(text)) == text
    assert Metric.parse(text) == Metric.parse(str(Metric.parse(text)))


MISWRITTEN = ["", "dcg", "dcg@", "dcg@ten", "dcg@0", "dcg@-1", "dcg@1.5", "ndgc@10", "@5", "dcg@²", "dcg@05"]


@pytest.mark.parametrize("text", [*MISWRITTEN, "dcg@" + "9" * 5_000])
def test_a_text_that_names_no_metric_is_refused_with_the_rule(text: str) -> None:
    with pytest.raises(InvalidValue, match="must be"):
        Metric.parse(text)


@given(QRELS, RUNS, CUTOFFS)
def test_recall_equals_ir_measures(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], k: int
) -> None:
    theirs = _values(ir_measures.R @ k, qrels, run)
    ours = evaluate(Metric("recall", k), qrels, run)
    assert list(ours) == list(qrels)
    for query, value in ours.items():
        assert value == pytest.approx(theirs.get(query, 0.0), abs=1e-6)


@given(QRELS, RUNS, CUTOFFS)
def test_dcg_equals_ir_measures_ndcg_times_the_ideal(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], k: int
) -> None:
    theirs = _values(ir_measures.nDCG @ k, qrels, run)
    for query, value in evaluate(Metric("dcg", k), qrels, run).items():
        ideal = sorted(qrels[query].values(), reverse=True)[:k]
        best = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(ideal))
        assert value == pytest.approx(theirs.get(query, 0.0) * best, abs=1e-6)


@given(QRELS, RUNS, st.integers(1, 60), st.lists(st.integers(0, 20), min_size=10, max_size=10))
def test_evidence_recall_equals_its_definition(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], budget: int, sizes: list[int]
) -> None:
    words = dict(zip(IDS, sizes, strict=True))
    for query, value in evaluate(Metric("er", budget), qrels, run, words).items():
        order = ranking(run.get(query, {}))
        reached = any(
            qrels[query].get(id_, 0) > 0 and 13 * sum(words[one] for one in order[: at + 1]) <= 10 * budget
            for at, id_ in enumerate(order)
        )
        assert value == float(reached)


def test_a_chunk_that_exactly_fills_the_budget_is_inside_it() -> None:
    # 1,000 words are 1,300 tokens; as a sum of floats, ten times 1.3 x 100 words is more than 1,300.
    words = {str(n): 100 for n in range(10)}
    run = {"q": {str(n): -float(n) for n in range(10)}}
    assert evaluate(Metric("er", 1300), {"q": {"9": 1}}, run, words) == {"q": 1.0}
    assert evaluate(Metric("er", 1299), {"q": {"9": 1}}, run, words) == {"q": 0.0}
    assert within_budget(769, 1000)
    assert not within_budget(770, 1000)


def test_evidence_recall_without_word_counts_is_refused() -> None:
    with pytest.raises(InvalidValue, match="er@10 needs the number of words"):
        evaluate(Metric("er", 10), {"q": {}}, {})


def test_unanswered_and_unanswerable_queries_count_zero_and_strangers_not_at_all() -> None:
    qrels = {"answered": {"a": 1}, "unanswered": {"a": 1}, "nothing relevant": {}}
    run = {"answered": {"a": 1.0}, "nothing relevant": {"a": 1.0}, "stranger": {"a": 1.0}}
    expected = {"answered": 1.0, "unanswered": 0.0, "nothing relevant": 0.0}
    assert evaluate(Metric("dcg", 5), qrels, run) == expected
    assert evaluate(Metric("recall", 5), qrels, run) == expected
    assert evaluate(Metric("er", 5), qrels, run, {"a": 1}) == expected


def test_equal_scores_keep_the_order_of_the_run() -> None:
    assert ranking({"b": 1.0, "a": 1.0, "c": 2.0}) == ["c", "b", "a"]


def test_every_book_weighs_the_same() -> None:
    assert book_mean([{"a": 1.0, "b": 0.0}, {"c": 1.0}]) == 0.75
    assert book_mean([{"a": 1.0}, {}]) == 1.0
    assert book_mean([]) == 0.0


def _values(
    measure: ir_measures.Measure, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> dict[str, float]:
    judged = {query: gains for query, gains in qrels.items() if gains}  # it knows no query without ids
    return {found.query_id: found.value for found in ir_measures.iter_calc([measure], judged, run)}
