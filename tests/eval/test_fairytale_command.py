"""``python -m eval.fairytale`` from the command line: the sample, val, and what is said of train."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.datasets.sample import sample_directory
from eval.fairytale import main


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)


def report(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_without_a_data_folder_the_sample_is_scored_per_story_and_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, rows = tmp_path / "out.json", tmp_path / "out.csv"
    command = [
        "--chunker",
        "sentence",
        "sections",
        "--retriever",
        "bm25",
        "--json",
        str(out),
        "--csv",
        str(rows),
    ]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert len(printed.out.partition("\n\n")[0].splitlines()) == 6
    assert "get FairytaleQA from https://" in printed.err
    found = report(out)
    assert [(row["shape"], row["chunker"], row["n"]) for row in found["rows"]] == [
        ("story", "sentence", 9), ("story", "sections", 9),
        ("joined", "sentence", 9), ("joined", "sections", 9),
    ]  # fmt: skip
    assert found["provenance"]["command"] == f"python -m eval.fairytale {' '.join(command)}"
    assert found["provenance"]["embedder"] is None
    assert found["provenance"]["set"] == "bundled sample"
    # One story: joined, it is the same text.
    figures = [{name: value for name, value in row.items() if "@" in name} for row in found["rows"]]
    assert figures[:2] == figures[2:]
    assert figures[1]["er@1000"] == 1.0
    assert rows.read_text(encoding="utf-8").count("\n") == 5


def test_a_second_run_embeds_nothing_and_gives_the_same_rows(tmp_path: Path) -> None:
    found = []
    for run in ("one", "two"):
        out = tmp_path / f"{run}.json"
        command = ["--chunker", "recursive", "sections", "--retriever", "dense", "hybrid+rerank:overlap"]
        assert main([*command, "--cache", str(tmp_path / "kept"), "--json", str(out)]) == 0
        kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept/vectors").rglob("*.npy")}
        found.append((report(out)["rows"], kept))
    assert found[0] == found[1]
    assert len(found[0][1]) == 1  # the windows, for two cuts, two shapes and two retrievers


def test_differences_and_plots_of_both_shapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "fairytale.svg"
    command = ["--chunker", "sentence", "sections", "--retriever", "bm25", "--baseline", "sentence"]
    assert main([*command, "--json", str(out), "--plot", str(plot)]) == 0
    assert "| dcg@20 - baseline | er@1000 - baseline |" in capsys.readouterr().out
    rows = report(out)["rows"]
    assert ["difference" in row for row in rows] == [False, True, False, True]
    difference = rows[1]["difference"]["er@1000"]
    assert difference["mean"] == pytest.approx(rows[1]["er@1000"] - rows[0]["er@1000"])
    for name in ("fairytale", "fairytale-er", "fairytale-joined", "fairytale-joined-er"):
        assert "sections, bm25" in (tmp_path / f"{name}.svg").read_text(encoding="utf-8")


def test_the_experts_cut_of_val_is_its_380_sections(data_root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = ["--data", str(data_root), "--chunker", "sections", "--retriever", "bm25", "--limit", "40"]
    assert main([*command, "--json", str(out)]) == 0
    rows = report(out)["rows"]
    assert [(row["shape"], row["texts"], row["n"], row["chunks"]) for row in rows] == [
        ("story", 23, 40, 380), ("joined", 1, 40, 380),
    ]  # fmt: skip
    # What is easy to find in its story is harder to find in all of them.
    assert rows[0]["dcg@20"] >= rows[1]["dcg@20"] > 0.5
    assert [row["fitted_on"] for row in rows] == [[], []]


def test_rows_on_train_say_what_was_fitted_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for part in ("questions", "section-stories"):
        for path in (sample_directory() / "fairytaleqa" / part / "val").iterdir():
            copy = tmp_path / part / "train" / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    out = tmp_path / "out.json"
    command = ["--split", "train", "--data", str(tmp_path), "--retriever", "bm25", "--json", str(out)]
    assert main(command) == 0
    assert "| trigger, background weights |" in capsys.readouterr().out
    assert all(row["fitted_on"] == ["trigger", "background weights"] for row in report(out)["rows"])


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (["--chunker", "recursiv"], 2, "chunker must be one of"),
        (["--data", "/nowhere"], 4, "the data folder must be a data root"),
        (["--split", "train"], 4, "no train questions"),
        (["--json", "/nowhere/out.json"], 2, "--json must name a writable file, got /nowhere/out.json"),
        (["--baseline", "fixed"], 2, "--baseline must name a row"),
    ],
)
def test_an_error_is_one_line_with_the_exit_code_of_its_kind(
    wrong: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*wrong, "--retriever", "bm25"]) == code
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("python -m eval.fairytale: error: ")
    assert message in last
