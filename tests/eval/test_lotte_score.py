"""The official evaluator's behaviour, case by case."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.datasets.lotte_files import Answers
from eval.lotte import main
from eval.lotte_score import successes

# Three queries; the last has two answers.
QAS = (
    '{"qid": 0, "query": "a", "answer_pids": [10]}\n'
    '{"qid": 1, "query": "b", "answer_pids": [20]}\n'
    '{"qid": 2, "query": "c", "answer_pids": [30, 31]}\n'
)


@dataclass(frozen=True)
class Case:
    """What is given, and the figure printed, or words of the error with its exit code."""

    name: str
    ranking: str | None
    figure: str = ""
    k: int = 5
    warned: tuple[int, ...] = ()
    error: str = ""
    exit_code: int = 3
    qas: str | None = QAS


def lines(*rows: str) -> str:
    """Rows written with commas for tabs."""
    return "".join(row.replace(",", "\t") + "\n" for row in rows)


ALL = lines("0,10,1,9.5", "1,20,1,9.5", "2,31,1,9.5")

CASES = [
    Case("every query answered at rank 1", ALL, "100.0"),
    Case("an answer just inside k", lines("0,1,1,9", "0,10,2,8", "1,20,1,9", "2,1,1,9"), "66.7", k=2),
    Case("an answer just outside k", lines("0,1,1", "0,2,2", "0,10,3", "1,20,1", "2,1,1"), "33.3", k=2),
    Case("a missing qid counts as failure", lines("0,10,1,9", "2,30,1,9"), "66.7", warned=(1,)),
    Case("an extra qid is ignored", ALL + lines("7,10,1,9"), "100.0"),
    Case("unordered qids", lines("2,30,1,9", "0,10,1,9", "1,20,1,9"), "100.0"),
    Case("mixed qids", lines("2,1,1,9", "0,10,1,9", "2,30,2,8", "1,20,1,9"), "100.0"),
    Case("ties and rising scores do not matter", lines("0,1,1,1", "0,10,2,1", "1,20,1,0", "2,1,1,0"), "66.7"),
    Case("no score at all", lines("0,10,1", "1,20,1", "2,1,1"), "66.7"),
    Case("a duplicate pid wastes a place", lines("0,1,1,9", "0,1,2,9", "0,10,3,9"), "0.0", 2, (1, 2)),
    Case("every line of the judgements counts", lines("0,10,1,9"), "50.0", warned=(1,),
         qas='{"qid": 0, "query": "a", "answer_pids": [10]}\n'
             '{"qid": 0, "query": "a", "answer_pids": [10]}\n'
             '{"qid": 0, "query": "a", "answer_pids": []}\n'
             '{"qid": 1, "query": "b", "answer_pids": [20]}\n'),
    Case("an empty file", "", "0.0", warned=(0, 1, 2)),
    Case("a missing file", None, "???"),
    Case("missing judgements", ALL, "???", qas=None),
    Case("a gap in the ranks", lines("0,10,1,9", "0,1,3,8"), error="line 2: ranks must run 1, 2, 3, ..."),
    Case("ranks from 0", lines("0,10,0,9"), error="line 1: ranks must run 1, 2, 3, ... in a qid, got 0"),
    Case("a blank line", lines("0,10,1,9") + "\n" + lines("1,20,1,9"), error="line 2: a line must be qid"),
    Case("spaces for tabs", "0 10 1 9.5\n", error="line 1: a line must be qid, pid, rank and score"),
    Case("a pid that is no whole number", lines("0,10.0,1,9"), error="line 1: pid must be a whole number"),
    Case("a rank that is no number", lines("0,10,1,9", "1,20,first,9"), error="line 2: rank must be a whole"),
    Case("k = 0", ALL, k=0, error="--k must be at least 1, got 0", exit_code=2),
    Case("CR LF line ends", ALL.replace("\n", "\r\n"), "100.0"),
    Case("bytes not in UTF-8", lines("0,10,1") + "1\t\udcff\t1\n", error="line 2: a data file must be UTF-8"),
    Case("judgements that are no object", ALL, error="qas.search.jsonl, line 4", qas=QAS + "[]\n"),
    Case("judgements without a line", ALL, error="must hold at least one query", qas=""),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_ranking_is_scored_as_the_official_evaluator_does(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data" / "writing" / "test"
    folder.mkdir(parents=True)
    (folder / "questions.search.tsv").write_text("0\ta\n1\tb\n2\tc\n")
    if case.qas is not None:
        (folder / "qas.search.jsonl").write_text(case.qas)
    path = tmp_path / "rankings" / "test" / "writing.search.ranking.tsv"
    path.parent.mkdir(parents=True)
    if case.ranking is not None:
        path.write_bytes(case.ranking.encode("utf-8", "surrogateescape"))

    where = ["--data_path", str(tmp_path / "data"), "--rankings_path", str(tmp_path / "rankings")]
    code = main(["score", "--k", str(case.k), "--split", "test", *where])

    printed = capsys.readouterr()
    if case.error:
        assert code == case.exit_code
        assert printed.out == ""
        said = printed.err.splitlines()[-1]
        assert said.startswith("python -m eval.lotte: error: ")
        assert case.error in said
        assert case.exit_code != 3 or ".search." in said
        return
    assert code == 0
    assert (
        printed.out.splitlines()[0] == f"[query_type=search, dataset=writing] Success@{case.k}: {case.figure}"
    )
    warned = [line for line in printed.err.splitlines() if line.startswith("WARNING: qid ")]
    assert warned == [f"WARNING: qid {qid} not found in {path}!" for qid in case.warned]


@given(
    ranked=st.dictionaries(st.integers(0, 4), st.lists(st.integers(0, 6), max_size=8), max_size=5),
    judged=st.lists(st.tuples(st.integers(0, 4), st.frozensets(st.integers(0, 6), max_size=3)), max_size=8),
    k=st.integers(1, 8),
)
def test_success_is_an_answer_among_the_first_k_places_for_every_line(
    ranked: dict[int, list[int]], judged: list[tuple[int, frozenset[int]]], k: int
) -> None:
    expected = [float(any(pid in pids for pid in ranked.get(qid, [])[:k])) for qid, pids in judged]
    assert successes([Answers(qid, pids) for qid, pids in judged], ranked, k) == expected


def test_the_official_lines_stand_in_the_official_order_with_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for topic, split in (("pooled", "test"), ("lifestyle", "test"), ("boats", "test"), ("science", "dev")):
        folder = tmp_path / topic / split
        folder.mkdir(parents=True)
        (folder / "qas.forum.jsonl").write_text(QAS)
    for topic in ("pooled", "boats"):
        (tmp_path / f"{topic}.forum.ranking.tsv").write_text(ALL)
    report = tmp_path / "score.json"
    command = ["score", "--split", "test", "--data_path", str(tmp_path), "--rankings_path", str(tmp_path)]
    assert main([*command, "--json", str(report)]) == 0
    names = ["writing", "recreation", "science", "technology", "lifestyle", "boats", "pooled"]
    figures = dict.fromkeys(names, "???")
    expected = [f"[query_type=search, dataset={name}] Success@5: ???" for name in names] + [""]
    figures |= {"boats": "100.0", "pooled": "100.0"}
    expected += [f"[query_type=forum, dataset={name}] Success@5: {figures[name]}" for name in names] + [""]
    assert capsys.readouterr().out.splitlines() == expected
    rows = json.loads(report.read_text())["rows"]
    assert [(row["split"], row["topic"], row["type"], row["n"], row["success@5"]) for row in rows] == [
        ("test", "boats", "forum", 3, 1.0),
        ("test", "pooled", "forum", 3, 1.0),
    ]


def test_data_that_are_not_there_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["score", "--split", "test", "--data_path", str(tmp_path), "--rankings_path", str(tmp_path)]
    assert main(command) == 4
    assert "the data folder must be a data root" in capsys.readouterr().err
