"""Runs and judgements survive TREC's form, and other evaluators read ours as we do."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import DataError, InvalidValue, NotFound
from eval.metrics import Metric, evaluate, ranking
from eval.trec import read_qrels, read_run, write_qrels, write_run

NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" \ufeff"), min_size=1, max_size=6
)
IDS = NAMES.filter(lambda name: name != "-")
SCORES = st.floats(allow_nan=False, allow_infinity=False)
RUNS = st.dictionaries(NAMES, st.dictionaries(IDS, SCORES, min_size=1, max_size=5), max_size=4)
QRELS = st.dictionaries(NAMES, st.dictionaries(IDS, st.integers(-2, 5), max_size=5), max_size=4)

rewriting = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@rewriting
@given(run=RUNS)
def test_a_run_comes_back_with_its_scores_and_its_order(
    tmp_path: Path, run: dict[str, dict[str, float]]
) -> None:
    write_run(tmp_path / "run", run)
    found = read_run(tmp_path / "run")
    assert found == run
    assert list(found) == list(run)
    assert {query: ranking(found[query]) for query in found} == {query: ranking(run[query]) for query in run}


@rewriting
@given(qrels=QRELS)
def test_judgements_come_back_with_queries_that_nothing_answers(
    tmp_path: Path, qrels: dict[str, dict[str, int]]
) -> None:
    write_qrels(tmp_path / "qrels", qrels)
    found = read_qrels(tmp_path / "qrels")
    assert found == qrels
    assert [(query, list(gains)) for query, gains in found.items()] == [
        (query, list(gains)) for query, gains in qrels.items()
    ]


def test_a_run_is_written_best_first_with_ranks_from_one(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"q1": {"a": 0.25, "b": 2.0}, "q2": {}, "q3": {"c": -1e-9}}, tag="mine")
    assert (
        tmp_path / "run"
    ).read_bytes() == b"q1 Q0 b 1 2.0 mine\nq1 Q0 a 2 0.25 mine\nq3 Q0 c 1 -1e-09 mine\n"


def test_judgements_are_written_as_trec_writes_them(tmp_path: Path) -> None:
    write_qrels(tmp_path / "qrels", {"q1": {"a": 1, "b": 0}, "q2": {}})
    assert (tmp_path / "qrels").read_bytes() == b"q1 0 a 1\nq1 0 b 0\nq2 0 - 0\n"


def test_others_read_our_files_and_find_our_figures(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {}, "q3": {"d": 1}}
    run = {"q1": {"c": 3.0, "b": 2.5, "a": 1.0}, "q2": {"a": 1.0}}
    write_run(tmp_path / "run", run)
    write_qrels(tmp_path / "qrels", qrels)
    theirs = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10, ir_measures.AP],
        ir_measures.read_trec_qrels(str(tmp_path / "qrels")),
        ir_measures.read_trec_run(str(tmp_path / "run")),
    )
    for metric, value in zip(
        ("ndcg@10", "map"), (theirs[ir_measures.nDCG @ 10], theirs[ir_measures.AP]), strict=True
    ):
        ours = evaluate(Metric.parse(metric), qrels, run)
        assert sum(ours.values()) / 3 == pytest.approx(value)


def test_columns_may_be_parted_by_tabs_and_lines_may_end_in_crlf(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"q1\tQ0\ta\t1\t1e3\tx\r\n\r\n q1  Q0 b 2 -.5 x\n")
    assert read_run(tmp_path / "run") == {"q1": {"a": 1000.0, "b": -0.5}}
    (tmp_path / "qrels").write_bytes(b"\xef\xbb\xbfq1 0 a +1\r\nq1\t0\tb\t-1")
    assert read_qrels(tmp_path / "qrels") == {"q1": {"a": 1, "b": -1}}


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("q1 Q0 a 1 0.5", "a line must have the 6 columns query Q0 id rank score tag, got 5 of them"),
        ("q1 Q0 a 1 0.5 x y", "got 7 of them"),
        ("q1 Q0 a one 0.5 x", "a rank must be a whole number, got 'one'"),
        ("q1 Q0 a 1.0 0.5 x", "a rank must be a whole number, got '1.0'"),
        ("q1 Q0 a 1 half x", "a score must be a finite number, got 'half'"),
        ("q1 Q0 a 1 nan x", "a score must be a finite number, got 'nan'"),
        ("q1 Q0 a 1 1e999 x", "a score must be a finite number, got '1e999'"),
        ("q1 Q0 a 1 1_0 x", "a score must be a finite number, got '1_0'"),
        ("q0 Q0 d0 2 0.1 x", "query and id must stand once, got q0 d0 again"),
    ],
)
def test_a_malformed_run_line_is_named_by_file_line_and_rule(tmp_path: Path, line: str, rule: str) -> None:
    path = tmp_path / "bad.run"
    path.write_text(f"q0 Q0 d0 1 1.0 x\n\n{line}\n")
    with pytest.raises(DataError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("q1 0 a", "a line must have the 4 columns query iteration id gain, got 3 of them"),
        ("q1 0 a 1.5", "a gain must be a whole number, got '1.5'"),
        (f"q1 0 a {10**18}", "a gain must be a whole number, got '1000"),
        ("q1 0 a yes", "a gain must be a whole number, got 'yes'"),
        ("q0 0 d0 0", "query and id must stand once, got q0 d0 again"),
    ],
)
def test_a_malformed_judgement_is_named_by_file_line_and_rule(tmp_path: Path, line: str, rule: str) -> None:
    path = tmp_path / "bad.qrels"
    path.write_text(f"q0 0 d0 1\n{line}\n")
    with pytest.raises(DataError) as caught:
        read_qrels(path)
    assert str(caught.value).startswith(f"{path}, line 2: ")
    assert rule in str(caught.value)


def test_bytes_that_are_no_text_are_named_too(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"q1 Q0 a 1 1.0 x\nq1 Q0 \xff 2 0.5 x\n")
    with pytest.raises(DataError, match="run, line 2: a data file must be UTF-8"):
        read_run(tmp_path / "run")
    with pytest.raises(NotFound):
        read_run(tmp_path / "absent")


def test_what_the_form_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with pytest.raises(InvalidValue, match="without white space, got 'two words'"):
        write_run(path, {"two words": {"a": 1.0}})
    with pytest.raises(InvalidValue, match="must be text without white space, got ''"):
        write_qrels(path, {"q": {"": 1}})
    with pytest.raises(InvalidValue, match=r"got '\\ufeffq'"):
        write_run(path, {"\ufeffq": {"a": 1.0}})
    with pytest.raises(InvalidValue, match=r"got '\\ud800'"):
        write_qrels(path, {"q": {"\ud800": 1}})
    with pytest.raises(InvalidValue, match="finite number, got -inf for q a"):
        write_run(path, {"q": {"a": float("-inf")}})
    with pytest.raises(InvalidValue, match="an id must not be '-'"):
        write_qrels(path, {"q": {"-": 1}})
    with pytest.raises(InvalidValue, match="without white space, got 'a tag'"):
        write_run(path, {"q": {"a": 1.0}}, tag="a tag")
    assert not path.exists()
    with pytest.raises(InvalidValue, match=r"must go to a writable file, got .*absent"):
        write_run(tmp_path / "absent" / "run", {"q": {"a": 1.0}})
