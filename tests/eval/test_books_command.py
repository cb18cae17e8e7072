"""``python -m eval.books`` from the command line."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from eval.books import main
from eval.datasets.sample import sample_directory


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)


def test_without_a_data_folder_the_story_is_asked_what_it_answers_and_what_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, rows, plot = tmp_path / "out.json", tmp_path / "out.csv", tmp_path / "risk.svg"
    command = ["--limit", "12", "--json", str(out), "--csv", str(rows), "--plot", str(plot)]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "get FairytaleQA from https://" in printed.err
    table, _, below = printed.out.partition("\n\n")
    assert len(table.splitlines()) == 3
    assert below.startswith("- recursive: `Structural(")
    assert "embedder minilm, fingerprint " in below
    found = json.loads(out.read_text(encoding="utf-8"))
    (row,) = found["rows"]
    assert row["n"] + row["without answer"] == 12
    assert row["right@1"] <= row["right@3"]
    assert 0 <= row["answered without"] <= 1
    assert all(0 <= row[name] <= 1 for name in ("aurc", "ece"))
    assert "coverage: share of questions answered" in plot.read_text(encoding="utf-8")
    assert ">sample<" in plot.read_text(encoding="utf-8")
    assert list(row["ci"]) == ["right@1", "right@3", "answered"]
    assert found["provenance"]["chunker"].startswith("Structural(")
    assert found["provenance"]["embedder"]["name"] == "minilm"
    (written,) = csv.DictReader(rows.read_text(encoding="utf-8").splitlines())
    assert float(written["right@3"]) == row["right@3"]
    assert written["selector"] == row["selector"] == "overlap"
    assert found["provenance"]["selector"] == ["overlap"]


def test_every_book_has_a_row_and_all_have_one_and_the_look_is_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part, name in (("gutenqa/dev", "questions.jsonl"), ("books", "the_tide_book.md")):
        for book in ("One_-_A_Nobody", "Two_-_A_Nobody"):
            copy = tmp_path / part / f"{book}.{name.rpartition('.')[2]}"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(sample_directory() / name, copy)
    out = tmp_path / "out.json"
    command = ["--set", "gutenqa", "--data", str(tmp_path), "--limit", "10", "--chunker", "sentence"]
    assert main([*command, "--retriever", "lexical", "--json", str(out), "--selector", "wd-cnt"]) == 0
    assert "a look at gutenqa/dev" in capsys.readouterr().err
    first, second, both = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert [row["text"] for row in (first, second, both)] == ["One_-_A_Nobody", "Two_-_A_Nobody", "all 2"]
    assert both["n"] == first["n"] + second["n"] == 10
    assert both["right@3"] == pytest.approx((first["right@3"] + second["right@3"]) / 2)


def test_selectors_are_asked_one_after_the_other_and_stand_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "risk.svg"
    command = ["--limit", "6", "--json", str(out), "--plot", str(plot), "--selector"]
    assert main([*command, "overlap", "cnn-cnt", "overlap"]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [row["selector"] for row in found["rows"]] == ["overlap", "cnn-cnt"]
    assert found["rows"][0]["n"] == found["rows"][1]["n"]
    assert "- selector: `overlap, cnn-cnt`" in capsys.readouterr().out
    assert ">sample, cnn-cnt<" in plot.read_text(encoding="utf-8")
    assert main(["--selector", "overlap", "psychic"]) == 2
    assert "a selector must be one of overlap, " in capsys.readouterr().err


def test_a_set_that_is_not_there_is_named_with_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "gutenqa"]) == 4
    assert "--set gutenqa needs data: get GutenQA from https://" in capsys.readouterr().err
