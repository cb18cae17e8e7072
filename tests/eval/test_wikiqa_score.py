"""The official evaluator: the paper's own figures, and refusals where its script would be silently wrong."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidValue
from eval.datasets.sample import sample_directory
from eval.selection_scoring import Triggering, counted, selection, tops
from eval.values import Qrels, Run
from eval.wikiqa import main
from eval.wikiqa_score import read_pair, score

SAMPLE = sample_directory() / "wikiqa"
REF = "1 0 0 0\n1 0 1 1\n2 0 0 1\n2 0 1 0\n3 0 0 0\n"


def ranks(*scores: object) -> str:
    pairs = [line.split()[0::2] for line in REF.splitlines()]
    return "".join(f"{query} 0 {id_} 0 {one} 0\n" for (query, id_), one in zip(pairs, scores, strict=True))


GOOD = ranks(0.1, 0.9, 0.2, 0.1, 0.3)


def called(tmp_path: Path, ref: str, rank: str, *more: str) -> int:
    (tmp_path / "a.ref").write_text(ref, encoding="utf-8")
    (tmp_path / "a.rank").write_text(rank, encoding="utf-8")
    return main(["score", "--ref", str(tmp_path / "a.ref"), "--rank", str(tmp_path / "a.rank"), *more])


def script(qrels: Qrels, run: Run, threshold: float) -> tuple[float, float]:
    """Precision and recall as the corpus's script computes them, line by line."""
    labels, given, answerable, best = [], [], [], []
    for query, gains in qrels.items():
        value, place = 0.0, -1
        for id_, gain in gains.items():
            labels.append(gain)
            given.append(1 if run[query][id_] >= threshold else 0)
            if run[query][id_] > value:
                value, place = run[query][id_], len(labels) - 1
        answerable.append(any(gains.values()))
        best.append(place)
    answered = sum(given[place] >= threshold for place in best)
    right = sum(
        able and given[place] >= threshold and labels[place] == 1
        for able, place in zip(answerable, best, strict=True)
    )
    return right / answered, right / sum(answerable)


SCORES = st.integers(1, 8).map(lambda n: n / 8)
QUESTIONS = st.lists(
    st.lists(st.tuples(st.integers(0, 1), SCORES), min_size=1, max_size=4), min_size=1, max_size=6
)


@settings(deadline=None)
@given(QUESTIONS, SCORES)
def test_where_the_script_is_right_the_figures_are_its_own(
    questions: list[list[tuple[int, float]]], threshold: float
) -> None:
    qrels = {str(q): {str(s): gain for s, (gain, _) in enumerate(one)} for q, one in enumerate(questions)}
    run = {str(q): {str(s): value for s, (_, value) in enumerate(one)} for q, one in enumerate(questions)}
    if not any(gain for gains in qrels.values() for gain in gains.values()):
        return
    if all(max(values.values()) < threshold for values in run.values()):
        with pytest.raises(InvalidValue, match="some question must be answered"):
            score(qrels, run, threshold)
        return
    found = score(qrels, run, threshold).official
    assert (found.precision, found.recall) == pytest.approx(script(qrels, run, threshold))


@pytest.mark.parametrize(
    ("model", "selected", "triggered", "other"),
    [
        ("CNN", (0.6625, 0.6683), (0.2941, 0.3968, 0.3378), 0.6024),
        ("CNN-Cnt", (0.6739, 0.6787), (0.3671, 0.4603, 0.4085), 0.6667),
    ],
)
def test_the_papers_own_files_give_what_they_gave(
    data_root: Path,
    tmp_path: Path,
    model: str,
    selected: tuple[float, float],
    triggered: tuple[float, float, float],
    other: float,
) -> None:
    folder, out = data_root / "wikiqa", tmp_path / "out.json"
    rank = folder / f"emnlp-table/WikiQA.{model}.dev.rank"
    assert (
        main(["score", "--ref", str(folder / "WikiQA-dev.ref"), "--rank", str(rank), "--json", str(out)]) == 0
    )
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert {name: row["n"] for name, row in found["selection"].items()} == {
        "all": 296,
        "answerable": 126,
        "filtered": 122,
    }
    kept = found["selection"]["filtered"]
    assert (kept["map"], kept["mrr"]) == pytest.approx(selected, abs=5e-5)
    official = found["triggering"]["official"]
    assert (official["p"], official["r"], official["f1"]) == pytest.approx(triggered, abs=5e-5)
    assert official["ci"][0] < official["f1"] < official["ci"][1]
    assert found["triggering"]["alternative"]["r"] == pytest.approx(other, abs=5e-5)
    assert official["threshold"] == 0.11


def test_the_sample_is_scored_in_an_empty_clone(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["score", "--ref", str(SAMPLE / "WikiQA-dev.ref"), "--rank", str(SAMPLE / "sample.dev.rank")]
    assert main([*command, "--threshold", "0.2"]) == 0
    printed = capsys.readouterr().out
    assert "| filtered | 4 | 1.0000 | 1.0000 | 1.0000 |" in printed
    assert "| official | 0.2 | 100.00 | 100.00 | 100.00 |" in printed


def test_the_first_of_equals_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(tmp_path, REF, ranks(0.5, 0.5, 0.5, 0.5, 0.1)) == 0
    assert "| official | 0.11 | 50.00 | 50.00 | 50.00 |" in capsys.readouterr().out


def test_a_score_at_the_threshold_answers() -> None:
    qrels, run = {"1": {"0": 1}, "2": {"0": 0}}, {"1": {"0": 0.11}, "2": {"0": 0.1099}}
    assert score(qrels, run).official.precision == 1.0
    assert score(qrels, run).answered == 1


def test_the_three_denominators() -> None:
    qrels = {"1": {"0": 0}, "2": {"0": 1}, "3": {"0": 0, "1": 1}}
    run = {query: dict.fromkeys(gains, 1.0) for query, gains in qrels.items()}
    assert [list(counted(qrels, name)) for name in ("all", "answerable", "filtered")] == [
        ["1", "2", "3"],
        ["2", "3"],
        ["3"],
    ]
    assert [selection(qrels, run, name)["mrr"] for name in ("all", "answerable", "filtered")] == [
        0.5,
        0.75,
        0.5,
    ]
    assert selection({"1": {"0": 0}}, run, "filtered") == {"map": 0.0, "mrr": 0.0, "p@1": 0.0, "n": 0}


def test_a_correct_abstention_earns_nothing_and_costs_nothing() -> None:
    qrels, run = {"1": {"0": 1}, "2": {"0": 0}}, {"1": {"0": 0.9}, "2": {"0": 0.1}}
    found = Triggering.of(tops(qrels, run), 0.5)
    assert (found.official.precision, found.official.recall) == (1.0, 1.0)
    assert found.interval[1] == 1.0


@pytest.mark.parametrize(
    ("ref", "rank", "said"),
    [
        (REF, GOOD.replace("2 0 0", "2 0 7"), "a.rank, line 3: .*2 0, got 2 7"),
        (REF, GOOD.replace("\n3 0", "\n4 0"), "a.rank, line 5: .*3 0, got 4 0"),
        (REF, "\n".join(GOOD.split("\n")[:3]) + "\n", "a.rank, line 4: .*5, got 3"),
        (REF, GOOD + "3 0 1 0 0.5 0\n", "a.rank, line 6: .*5, got 6"),
        (REF, GOOD[:-3], "a.rank, line 5: .*6 columns"),
        (REF, ranks(0.1, 0.9, 0.2, 0.1, "nan"), "a.rank, line 5: a score must be a finite number, got 'nan'"),
        (REF, ranks(0.1, 0.9, 0.2, 0.1, "inf"), "got 'inf'"),
        (REF, ranks(0.1, 0.9, 0.2, 0.1, "1_0"), "got '1_0'"),
        (REF, ranks(0.1, 0.9, -0.2, -0.1, 0.3), "a.rank, line 3: .*above 0, got -0.1 at best for 2"),
        (REF, ranks(0.1, 0.9, 0.2, 0.1, 0), "a.rank, line 5: .*the last line of a.rank"),
        (REF.replace(" 1\n", " 0\n"), GOOD, "a.ref: some sentence must be labelled 1"),
        (REF.replace("0 1 1", "0 1 2"), GOOD, "a.ref, line 2: a label must be 0 or 1"),
        ("", "", "a.rank, line 1: .*a line for each of a.ref, 0, got 0"),
        ("1 0 0 1\n2 0 0 0\n1 0 1 0\n", "1 0 0 0 1 0\n2 0 0 0 1 0\n1 0 1 0 1 0\n", "together, got 1"),
        ("1 0 0 1\n1 0 0 0\n", "1 0 0 0 1 0\n1 0 0 0 1 0\n", "must stand once, got 1 0 again"),
    ],
)  # fmt: skip
def test_what_the_script_gets_silently_wrong_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ref: str, rank: str, said: str
) -> None:
    assert called(tmp_path, ref, rank) == 3
    message = capsys.readouterr().err
    assert message.startswith("python -m eval.wikiqa: error: ")
    assert len(message.splitlines()) == 1
    assert re.search(said, message), message


@pytest.mark.parametrize("threshold", ["0", "-0.1", "1.01", "nan", "inf"])
def test_a_threshold_outside_0_to_1_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], threshold: str
) -> None:
    assert called(tmp_path, REF, ranks(0.1, 0.9, 0.2, 0.1, 0.3), f"--threshold={threshold}") == 2
    assert "a threshold must be in (0, 1], got" in capsys.readouterr().err


def test_no_answer_at_all_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(tmp_path, REF, ranks(0.1, 0.3, 0.2, 0.1, 0.3), "--threshold", "1") == 2
    assert "some question must be answered, got none at threshold 1.0" in capsys.readouterr().err


def test_a_missing_file_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(SAMPLE / "WikiQA-dev.ref", tmp_path / "a.ref")
    assert main(["score", "--ref", str(tmp_path / "a.ref"), "--rank", str(tmp_path / "none.rank")]) == 4
    assert "none.rank cannot be read" in capsys.readouterr().err


def test_a_filtered_reference_takes_its_own_ranks(tmp_path: Path) -> None:
    reference = SAMPLE / "WikiQA-dev-filtered.ref"
    kept = {tuple(line.split()[0::2]) for line in reference.read_text(encoding="utf-8").splitlines()}
    lines = (SAMPLE / "sample.dev.rank").read_text(encoding="utf-8").splitlines()
    chosen = [line for line in lines if (line.split()[0], line.split()[2]) in {pair[:2] for pair in kept}]
    (tmp_path / "kept.rank").write_text("\n".join(chosen) + "\n", encoding="utf-8")
    qrels, run = read_pair(reference, tmp_path / "kept.rank")
    assert len(qrels) == len(run) == 4
