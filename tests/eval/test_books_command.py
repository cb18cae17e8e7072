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
    assert len(table.splitlines()) == 6
    assert below.startswith("- recursive: `Structural(")
    assert "embedder minilm, fingerprint " in below
    found = json.loads(out.read_text(encoding="utf-8"))
    own, unanswerable, removed, every = found["rows"]
    assert own["n"] + unanswerable["n"] == 12
    assert own["n"] == removed["n"]
    assert own["right@1"] <= own["right@3"]
    assert every["mix"] == f"{own['n']} answerable : {unanswerable['n']} unanswerable : {own['n']} removed"
    assert all(0 <= row["answered"] <= 1 for row in found["rows"])
    assert all(0 <= every[name] <= 1 for name in ("aurc", "ece"))
    assert "coverage: share of questions answered" in plot.read_text(encoding="utf-8")
    assert ">sample<" in plot.read_text(encoding="utf-8")
    assert set(own["ci"]) == {"right@1", "right@3", "answered", "right of answered"}
    assert found["provenance"]["chunker"].startswith("Structural(")
    assert found["provenance"]["embedder"]["name"] == "minilm"
    written = next(csv.DictReader(rows.read_text(encoding="utf-8").splitlines()))
    assert float(written["right@3"]) == own["right@3"]
    assert written["selector"] == own["selector"] == "clean"
    assert found["provenance"]["selector"] == ["clean"]


def test_every_book_is_asked_of_itself_of_a_foreign_one_and_of_a_sibling_and_the_look_is_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("One_-_A_Nobody", "Two_-_No_One")
    for part, name, books in (
        ("gutenqa/dev", "questions.jsonl", asked),
        ("books", "the_tide_book.md", (*asked, "Three_-_A_Nobody")),
    ):
        for book in books:
            copy = tmp_path / part / f"{book}.{name.rpartition('.')[2]}"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(sample_directory() / name, copy)
    out = tmp_path / "out.json"
    command = ["--set", "gutenqa", "--data", str(tmp_path), "--limit", "10", "--chunker", "sentence"]
    assert main([*command, "--retriever", "lexical", "--json", str(out), "--selector", "wd-cnt"]) == 0
    assert "a look at gutenqa/dev" in capsys.readouterr().err
    rows = {(row["text"], row["asked"]): row for row in json.loads(out.read_text(encoding="utf-8"))["rows"]}
    kinds = ("answerable", "other author", "sibling", "removed", "all")
    without_sibling = ("answerable", "other author", "removed", "all")
    assert set(rows) == {
        *((text, kind) for text in ("One_-_A_Nobody", "all 2") for kind in kinds),
        *(("Two_-_No_One", kind) for kind in without_sibling),
    }
    first, second, both = (rows[text, "answerable"] for text in (*asked, "all 2"))
    assert both["n"] == first["n"] + second["n"] == 10
    assert both["right@3"] == pytest.approx((first["right@3"] + second["right@3"]) / 2)
    assert rows["all 2", "other author"]["n"] == 10
    assert rows["all 2", "sibling"]["n"] == first["n"]


def test_only_the_kinds_that_were_named_are_asked(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = ["--limit", "3", "--asked", "answerable", "--selector", "wd-cnt", "--retriever", "lexical"]
    assert main([*command, "--json", str(out)]) == 0
    (row,) = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert (row["asked"], row["n"]) == ("answerable", 3)


def test_selectors_are_asked_one_after_the_other_and_stand_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "risk.svg"
    command = ["--limit", "6", "--json", str(out), "--plot", str(plot), "--selector"]
    assert main([*command, "overlap", "cnn-cnt", "overlap"]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    rows = [(row["selector"], row["asked"], row["n"]) for row in found["rows"]]
    assert [name for name, *_ in rows] == ["overlap"] * 4 + ["cnn-cnt"] * 4
    assert [row[1:] for row in rows[:4]] == [row[1:] for row in rows[4:]]
    assert "- selector: `overlap, cnn-cnt`" in capsys.readouterr().out
    assert ">sample, cnn-cnt<" in plot.read_text(encoding="utf-8")
    assert main(["--selector", "overlap", "psychic"]) == 2
    assert "a selector must be one of overlap, " in capsys.readouterr().err


def test_a_point_alone_is_the_shipped_selectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    command = ["--limit", "3", "--asked", "answerable", "--retriever", "lexical", "--json", str(out)]
    assert main([*command, "--selector", "@eager", "clean@eager"]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [row["selector"] for row in found["rows"]] == ["clean@eager"]
    assert main(["--selector", "@bold"]) == 2
    assert "eager with this selector, got 'bold'" in capsys.readouterr().err


def test_a_set_that_is_not_there_is_named_with_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "gutenqa"]) == 4
    assert "--set gutenqa needs data: get GutenQA from https://" in capsys.readouterr().err
