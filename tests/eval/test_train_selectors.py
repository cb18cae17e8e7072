"""`eval.train question_class` and `eval.train published`: the promised accuracy, and a run on a small set."""

from __future__ import annotations

from pathlib import Path

import pytest

from answering.published import PUBLISHED
from eval.datasets.base import locate
from eval.datasets.trec_qc import TREC_QC, read_trec_qc
from eval.train import main
from eval.train_question_class import held_out


@pytest.mark.slow
def test_question_classes_are_held_out_at_least_as_good_as_promised(data_root: Path) -> None:
    questions = read_trec_qc(locate(TREC_QC, data_root).folder)
    fine, coarse = held_out(questions, seed=13)
    assert fine >= 0.82
    assert coarse >= 0.90


def _wikiqa(folder: Path, split: str, subjects: list[str]) -> None:
    pairs, judged = [], []
    for at, subject in enumerate(subjects, start=1):
        right = int(at % 3 > 0)  # a third of the questions has no answer
        for place, (sentence, label) in enumerate(
            [(f"It rained on day {at} .", 0), (f"The {subject} was built by Ada in 18{at:02} .", right)]
        ):
            pairs.append(f"Who built the {subject if right else 'moon'} ?\t{sentence}\t{label}\n")
            judged.append(f"{at} 0 {place} {label}\n")
    folder.mkdir(exist_ok=True)
    (folder / f"WikiQA-{split}.txt").write_text("".join(pairs), encoding="utf-8")
    (folder / f"WikiQA-{split}.ref").write_text("".join(judged), encoding="utf-8")


@pytest.mark.slow
def test_the_published_models_are_trained_and_reported_by_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make test-slow installs it")
    subjects = "tower mill boat wall quay bell stair lamp bridge house loom ferry".split()
    _wikiqa(tmp_path / "wikiqa", "train", subjects)
    _wikiqa(tmp_path / "wikiqa", "dev", subjects[:6])
    assert main(["published", "--data", str(tmp_path), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert [line.split(" | ")[0] for line in printed.splitlines() if line.startswith("| ")][1:] == [
        f"| {name}" for name in PUBLISHED
    ]
    assert "wrote" not in printed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lexical", "hybrid"])
def test_the_projects_own_are_trained_to_the_same_figures_by_one_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subjects = [
        f"{one} {other}"
        for one in "old new far red wet dry big low".split()
        for other in "tower mill boat wall quay bell stair lamp bridge house loom ferry".split()
    ]
    _wikiqa(tmp_path / "wikiqa", "train", subjects)
    _wikiqa(tmp_path / "wikiqa", "dev", subjects[:6])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main([name, "--data", str(tmp_path), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert [line.split(" | ")[0] for line in printed.splitlines() if line.startswith("| ")] == [
        "| columns",
        f"| {name} as shipped",
        f"| {name} and position",
    ]
    assert "wrote" not in printed
    assert main([name, "--data", str(tmp_path), "--dry-run"]) == 0
    assert capsys.readouterr().out == printed
