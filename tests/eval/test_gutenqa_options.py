"""``python -m eval.gutenqa``: nulls, baseline, audit, limit, files, cache, processes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from eval.datasets.sample import BOOK, Sample
from eval.gutenqa import main


@pytest.fixture(autouse=True)
def own_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def rows(path: Path, *command: str) -> list[dict[str, Any]]:
    assert main([*command, "--json", str(path)]) == 0
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return found


def test_nulls_have_as_many_chunks_as_what_they_stand_beside(tmp_path: Path) -> None:
    found = rows(tmp_path / "1.json", "--chunker", "recursive", "paragraph", "--retriever", "bm25", "--nulls")
    assert [(row["chunker"], row["chunks"]) for row in found] == [
        (name, found[start]["chunks"])
        for start, of in ((0, "recursive"), (3, "paragraph"))
        for name in (of, f"random as {of}", f"even as {of}")
    ]
    (_, even) = rows(tmp_path / "2.json", "--chunker", "recursive", "--retriever", "bm25", "--nulls", "even")
    assert even == found[2]


def test_the_seed_moves_the_random_null_and_nothing_of_the_others(tmp_path: Path) -> None:
    command = ["--chunker", "recursive", "--retriever", "bm25", "--nulls"]
    first = rows(tmp_path / "1.json", *command, "--seed", "1")
    second = rows(tmp_path / "2.json", *command, "--seed", "2")
    moved = [
        one["tokens_per_chunk_max"] != two["tokens_per_chunk_max"]
        for one, two in zip(first, second, strict=True)
    ]
    assert moved == [False, True, False]


def test_differences_are_to_the_baseline_under_the_same_retriever_or_to_one_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--chunker", "fixed", "recursive", "--retriever", "bm25", "lexical"]
    found = rows(tmp_path / "1.json", *command, "--baseline", "recursive")
    assert ["difference" in row for row in found] == [True, True, False, False]
    for row, baseline in zip(found[:2], found[2:], strict=True):
        difference = row["difference"]["dcg@20"]
        assert difference["mean"] == pytest.approx(row["dcg@20"] - baseline["dcg@20"])
        assert difference["low"] <= difference["mean"] <= difference["high"]
    assert "| dcg@20 - baseline |" in capsys.readouterr().out
    found = rows(tmp_path / "2.json", *command, "--baseline", "recursive/bm25")
    assert ["difference" in row for row in found] == [True, True, False, True]


def test_a_baseline_that_is_no_row_is_refused_with_the_rows_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--chunker", "fixed", "--retriever", "bm25", "--baseline", "recursive"]) == 2
    assert "--baseline must name a row, as CHUNKER or CHUNKER/RETRIEVER (fixed)" in capsys.readouterr().err


def test_the_audit_follows_the_table_and_stands_in_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.json"
    assert main(["--chunker", "sentence", "--retriever", "bm25", "--audit", "--json", str(path)]) == 0
    (found,) = json.loads(path.read_text(encoding="utf-8"))["audit"]
    (row,) = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert found["held"] / found["n"] == row["ceiling"]
    printed = capsys.readouterr().out
    assert f"- sentence, {BOOK}: {found['held']} of 20 golds held (span)" in printed
    assert printed.count("straddles a boundary (chunks ") == 20 - found["held"] > 0


def test_a_limit_asks_so_many_questions(tmp_path: Path) -> None:
    (row,) = rows(tmp_path / "1.json", "--chunker", "fixed", "--retriever", "bm25", "--limit", "7")
    assert row["n"] == 7


def test_csv_has_a_line_a_row_and_plots_come_in_pairs(tmp_path: Path) -> None:
    table, plot = tmp_path / "out.csv", tmp_path / "out.svg"
    command = ["--chunker", "fixed", "recursive", "--retriever", "bm25", "--baseline", "fixed"]
    found = rows(tmp_path / "1.json", *command, "--csv", str(table), "--plot", str(plot))
    with table.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert [line["chunker"] for line in lines] == ["fixed", "recursive"]
    assert [float(line["dcg@20"]) for line in lines] == [row["dcg@20"] for row in found]
    assert lines[0]["dcg@20 difference mean"] == ""
    assert float(lines[1]["dcg@20 low"]) == found[1]["ci"]["dcg@20"][0]
    assert {"seconds", "model_calls", "tokens_embedded"} <= lines[0].keys()
    for path in (plot, tmp_path / "out-er.svg"):
        assert "recursive" in path.read_text(encoding="utf-8")


def test_hyde_without_stored_texts_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--chunker", "fixed", "--retriever", "hyde"]) == 4
    assert "retriever hyde needs a stored text for every question" in capsys.readouterr().err


def test_a_chunk_file_beside_a_chunker_of_its_name_keeps_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "paragraph.jsonl"
    chunks = Sample().text(BOOK).split("\n\n")
    lines = [json.dumps({"Book Name": BOOK, "Chunk ID": at, "Chunk": text}) for at, text in enumerate(chunks)]
    path.write_text("\n".join(lines), encoding="utf-8")
    command = ["--chunker", "paragraph", str(path), "--retriever", "bm25", "--rule", "substring"]
    found = rows(tmp_path / "1.json", *command, "--baseline", "paragraph")
    assert [row["chunker"] for row in found] == ["paragraph", str(path)]
    assert "difference" in found[1]


def test_a_file_of_other_words_without_golds_of_its_own_is_said_not_to_be_comparable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, sliced = tmp_path / "told.jsonl", tmp_path / "sliced.jsonl"
    for path, texts in (
        (told, ["Somebody kept a book.", "It was of tides."]),
        (sliced, [Sample().text(BOOK)]),
    ):
        rows_ = [{"Book Name": BOOK, "Chunk ID": at, "Chunk": text} for at, text in enumerate(texts)]
        path.write_text("\n".join(map(json.dumps, rows_)), encoding="utf-8")
    assert main(["--chunks", str(told), str(sliced), "--retriever", "bm25"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "not comparable" in line]
    assert [line.split()[0] for line in said] == ["told"]


def test_a_second_run_computes_nothing_and_a_longer_one_only_what_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--cache", str(tmp_path / "kept"), "--chunker", "recursive", "fixed", "--retriever"]
    first = rows(tmp_path / "1.json", *command, "dense")
    assert "done 2 of 2" in capsys.readouterr().err
    second = rows(tmp_path / "2.json", *command, "dense")
    told = capsys.readouterr().err
    assert "kept from before: 2 of 2" in told
    assert "done" not in told
    assert second == first
    assert (tmp_path / "1.json").read_text(encoding="utf-8").partition('"costs"')[2].partition("]")[0] == (
        (tmp_path / "2.json").read_text(encoding="utf-8").partition('"costs"')[2].partition("]")[0]
    )
    longer = rows(tmp_path / "3.json", *command, "dense", "hybrid")
    assert [row for row in longer if row["retriever"] == "dense"] == first
    vectors = list((tmp_path / "kept/vectors").rglob("*.npy"))
    assert len(vectors) == 1  # the windows, for two chunkers and two retrievers


def test_a_run_goes_on_where_it_stood_when_some_results_are_lost_or_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--cache", str(tmp_path / "kept"), "--chunker", "recursive", "fixed", "--retriever", "bm25"]
    first = rows(tmp_path / "1.json", *command)
    one, other = (tmp_path / "kept/results").rglob("*.json")
    one.unlink()
    assert rows(tmp_path / "2.json", *command) == first
    assert "kept from before: 1 of 2" in capsys.readouterr().err
    other.write_bytes(other.read_bytes()[:-9])
    assert rows(tmp_path / "3.json", *command) == first
    assert f"kept file {other} is damaged: computing it again" in capsys.readouterr().err


def test_two_processes_give_the_rows_of_one(tmp_path: Path) -> None:
    command = ["--chunker", "recursive", "fixed", "--retriever", "bm25", "--nulls"]
    alone = rows(tmp_path / "1.json", *command, "--cache", str(tmp_path / "one"), "--jobs", "1")
    shared = rows(tmp_path / "2.json", *command, "--cache", str(tmp_path / "two"), "--jobs", "2")
    assert shared == alone


@pytest.mark.parametrize("wrong", [["--jobs", "0"], ["--seed", "-1"], ["--limit", "-3"]])
def test_numbers_outside_their_rule_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--chunker", "fixed", "--retriever", "bm25", *wrong]) == 2
    assert "must be at least" in capsys.readouterr().err
