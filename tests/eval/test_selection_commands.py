"""``eval.wikiqa``, ``eval.qasent`` and ``eval.selqa`` from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import eval.qasent
import eval.selqa
import eval.wikiqa
from answering.published import PUBLISHED
from eval.datasets.sample import sample_directory
from service.values import DEFAULT_SELECTOR


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)


def report(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("command", [eval.wikiqa, eval.qasent, eval.selqa])
def test_each_command_scores_the_sample_by_default(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    printed = capsys.readouterr()
    assert f"| {DEFAULT_SELECTOR} | dev |" in printed.out
    assert "no data folder: scoring the bundled sample; for the real set, get " in printed.err


def test_a_model_that_learnt_from_the_split_is_said_to_be_flattered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(sample_directory() / "wikiqa", tmp_path / "wikiqa")
    shutil.copytree(sample_directory() / "selqa", tmp_path / "selqa")
    given = ["--data", str(tmp_path), "--model"]
    assert eval.wikiqa.main([*given, "lexical", "wd-cnt"]) == 0
    said = capsys.readouterr().err
    assert (
        "lexical learnt from WikiQA dev, so these figures flatter it; `python -m eval.train lexical" in said
    )
    assert "wd-cnt learnt" not in said
    assert eval.wikiqa.main([*given, "cnn", "--split", "train"]) == 0
    assert "cnn learnt from WikiQA train" in capsys.readouterr().err
    assert eval.selqa.main([*given, "clean", "lexical"]) == 0
    said = capsys.readouterr().err
    assert "clean learnt from SelQA dev" in said
    assert "lexical learnt" not in said


def test_the_json_is_of_the_promised_form(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert eval.wikiqa.main(["--model", "wgt-wd-cnt", "--json", str(out)]) == 0
    found = report(out)
    assert list(found) == [
        "model", "split", "selection", "triggering", "aurc", "auroc", "ece", "provenance",
    ]  # fmt: skip
    assert (found["model"], found["split"]) == ("wgt-wd-cnt", "dev")
    assert {name: row["n"] for name, row in found["selection"].items()} == {
        "filtered": 4,
        "answerable": 5,
        "all": 7,
    }
    assert all(set(row) == {"map", "mrr", "p@1", "n"} for row in found["selection"].values())
    assert set(found["triggering"]["official"]) == {"p", "r", "f1", "threshold", "ci"}
    assert set(found["triggering"]["alternative"]) == {"p", "r", "f1", "threshold"}
    assert found["provenance"]["embedder"] is None
    assert found["provenance"]["set"] == "bundled sample"


def test_several_models_make_several_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert eval.wikiqa.main(["--model", *PUBLISHED, "--json", str(out)]) == 0
    assert [one["model"] for one in report(out)["models"]] == list(PUBLISHED)
    assert len(capsys.readouterr().out.strip().splitlines()) == 2 + len(PUBLISHED)


def test_the_official_evaluator_agrees_with_the_command(tmp_path: Path) -> None:
    ours, theirs, rank = tmp_path / "ours.json", tmp_path / "theirs.json", tmp_path / "dev.rank"
    command = ["--model", "cnn-cnt", "--json", str(ours), "--write-rank", str(rank)]
    assert eval.wikiqa.main(command) == 0
    found = report(ours)
    reference = sample_directory() / "wikiqa/WikiQA-dev.ref"
    threshold = str(found["triggering"]["official"]["threshold"])
    again = ["score", "--ref", str(reference), "--rank", str(rank), "--threshold", threshold]
    assert eval.wikiqa.main([*again, "--json", str(theirs)]) == 0
    assert report(theirs) == {name: found[name] for name in ("selection", "triggering")}


def test_another_split_is_read_where_it_lies(tmp_path: Path) -> None:
    for ending in (".txt", ".ref", "-filtered.ref"):
        shutil.copy(sample_directory() / f"wikiqa/WikiQA-dev{ending}", tmp_path / f"WikiQA-test{ending}")
    out = tmp_path / "out.json"
    command = ["--model", "wd-cnt", "--split", "test", "--data", str(tmp_path), "--json", str(out)]
    assert eval.wikiqa.main(command) == 0
    assert report(out)["split"] == "test"


def test_stats_count_the_files_present(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert eval.wikiqa.main(["--stats", "--json", str(out)]) == 0
    entries = report(out)["splits"]
    assert [(one["split"], one["questions"], one["sentences"]) for one in entries] == [
        ("train", 3, 7),
        ("dev", 7, 18),
        ("train + dev", 10, 25),
    ]
    assert [one["questions with an answer"] for one in entries] == [2, 5, 7]
    assert all(sum(one["classes"].values()) == pytest.approx(1) for one in entries)
    assert "| train + dev | 10 | 25 | 7 |" in capsys.readouterr().out


def test_stats_of_the_real_files_are_what_the_paper_counted(data_root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert eval.wikiqa.main(["--stats", "--data", str(data_root), "--json", str(out)]) == 0
    whole = report(out)["splits"][-1]
    if whole["split"] == "train + dev":
        found = (whole["questions"], whole["sentences"], whole["questions with an answer"])
        assert found == (2414, 23093, 999)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["--model", "best"], "a selector must be one of overlap, wd-cnt"),
        (["--model", "cnn", "wd-cnt", "--write-rank", "x.rank"], "--write-rank takes one model, got 2"),
    ],
)
def test_what_cannot_be_is_refused(capsys: pytest.CaptureFixture[str], command: list[str], said: str) -> None:
    assert eval.wikiqa.main(command) == 2
    assert said in capsys.readouterr().err


def test_a_split_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval.wikiqa.main(["--model", "wd-cnt", "--split", "test"]) == 4
    assert "no WikiQA-test.txt" in capsys.readouterr().err
    assert eval.wikiqa.main(["--model", "wd-cnt", "--data", str(tmp_path)]) == 4
    assert "get WikiQA from https" in capsys.readouterr().err


def test_published_models_are_on_dev_at_least_what_the_papers_files_give(
    data_root: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    command = ["--model", "wd-cnt", "cnn-cnt", "--data", str(data_root), "--json", str(out)]
    assert eval.wikiqa.main(command) == 0
    found = {one["model"]: one for one in report(out)["models"]}
    assert found["wd-cnt"]["selection"]["filtered"]["map"] == pytest.approx(0.6800, abs=5e-4)
    kept = found["cnn-cnt"]["selection"]["filtered"]
    assert kept["map"] >= 0.674
    assert kept["mrr"] >= 0.679
    assert found["cnn-cnt"]["triggering"]["official"]["f1"] >= 0.41


def test_raw_text_changes_little_on_dev(data_root: Path, tmp_path: Path) -> None:
    figures = []
    for name, more in (("tokenised", []), ("raw", ["--raw"])):
        out = tmp_path / f"{name}.json"
        command = ["--model", "cnn-cnt", "--data", str(data_root), "--json", str(out), *more]
        assert eval.wikiqa.main(command) == 0
        figures.append(report(out)["selection"]["filtered"]["map"])
    assert abs(figures[0] - figures[1]) < 0.01
