"""``python -m eval.chunking`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.chunking import main


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)


def test_without_a_data_folder_every_part_runs_on_its_sample_beside_the_published_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, rows = tmp_path / "out.json", tmp_path / "out.csv"
    command = ["--chunker", "sentence", "recursive", "--retriever", "bm25", "--json", str(out)]
    assert main([*command, "--csv", str(rows)]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("| published: ") == 21
    assert "get chunking_evaluation from https://" in printed.err
    found = json.loads(out.read_text(encoding="utf-8"))
    # Two chunkers; choi: one range and all, with TextTiling and two nulls; sections: the same five once.
    assert [row["part"] for row in found["rows"]] == ["passages"] * 2 + ["choi"] * 10 + ["sections"] * 5
    assert len(found["published"]) == 21
    assert set(found["rows"][0]["sd"]) == {"recall", "precision", "precision_omega", "iou"}
    assert set(found["rows"][2]["ci"]) == {"pk", "window_diff", "f1", "f1~1", "cuts/gold"}
    header = rows.read_text(encoding="utf-8").splitlines()[0]
    assert "recall sd" in header
    assert "pk low" in header


def test_strips_are_drawn_along_one_text_of_each_part(tmp_path: Path) -> None:
    command = ["--chunker", "sentence", "recursive", "--retriever", "bm25", "--plot"]
    assert main([*command, str(tmp_path / "cuts.svg")]) == 0
    names = ["cuts-choi.svg", "cuts-passages.svg", "cuts-sections.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name, above in zip(names, ["gold", "evidence", "gold"], strict=True):
        drawn = (tmp_path / name).read_text(encoding="utf-8")
        assert all(f">{word}<" in drawn for word in (above, "sentence", "recursive"))
    other = tmp_path / "one.svg"
    assert main([*command, str(other), "--part", "choi", "--along", "3-5/1"]) == 0
    assert ">3-5/1<" in other.read_text(encoding="utf-8")


def test_a_text_that_no_part_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--part", "choi", "--chunker", "fixed", "--along", "Emma"]) == 2
    assert "--along must name a text of a part asked for, got Emma" in capsys.readouterr().err


def test_differences_to_a_baseline_stand_in_every_part(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = ["--chunker", "sentence", "recursive", "--retriever", "bm25", "lexical", "--json", str(out)]
    assert main([*command, "--baseline", "sentence/bm25"]) == 0
    compared = [
        (row["part"], row["chunker"], row.get("retriever"), sorted(row.get("difference", ())))
        for row in json.loads(out.read_text(encoding="utf-8"))["rows"]
    ]
    assert ("passages", "sentence", "bm25", []) in compared
    assert ("passages", "sentence", "lexical", ["iou", "recall"]) in compared
    assert ("passages", "recursive", "bm25", ["iou", "recall"]) in compared
    assert ("sections", "null: even", None, ["f1", "f1~1", "pk", "window_diff"]) in compared
    assert ("sections", "sentence", None, []) in compared


def test_a_size_and_its_unit_reach_the_chunkers(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = ["--part", "passages", "--chunker", "recursive", "--size", "40", "--unit", "words"]
    assert main([*command, "--retriever", "bm25", "--limit", "3", "--json", str(out)]) == 0
    (row,) = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert "size=40, unit=Words()" in row["strategy"]
    assert row["n"] == 3
    assert row["tokens/chunk"] <= 52


def test_the_stories_whose_layout_shows_their_sections_are_left_out(
    data_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--part", "sections", "--chunker", "recursive", "--data", str(data_root)]) == 0
    printed = capsys.readouterr()
    assert "5 stories left out" in printed.err
    assert "| 18 | recursive | " in printed.out


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (["--chunker", "recursiv"], 2, "chunker must be one of"),
        (["--k", "0"], 2, "--k must be at least 1, got 0"),
        (["--data", "/nowhere"], 4, "the data folder must be a data root"),
    ],
)
def test_an_error_is_one_line_with_the_exit_code_of_its_kind(
    wrong: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(wrong) == code
    assert message in capsys.readouterr().err.splitlines()[-1]
