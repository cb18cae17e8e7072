"""``python -m eval.lotte`` from passages to official lines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eval.datasets.lotte_places import sample_place
from eval.lotte import main
from eval.lotte_report import official_lines, published_systems
from eval.lotte_score import LotteScore

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = sample_place().given


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)


def report(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def figures(path: Path) -> dict[tuple[str, str], float]:
    return {(row["topic"], row["type"]): row["success@5"] for row in report(path)["rows"]}


def test_without_data_the_sample_is_ranked_scored_and_put_beside_the_published_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rankings, path = tmp_path / "rankings", tmp_path / "report.json"
    assert main(["--rankings", str(rankings), "--json", str(path)]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert [line.rpartition(":")[0] for line in lines[:7]] == [
        "[query_type=search, dataset=gardening] Success@5",
        "[query_type=search, dataset=sailing] Success@5",
        "[query_type=search, dataset=pooled] Success@5",
        "",
        "[query_type=forum, dataset=gardening] Success@5",
        "[query_type=forum, dataset=sailing] Success@5",
        "[query_type=forum, dataset=pooled] Success@5",
    ]
    table = [line for line in lines if line.startswith("|")]
    assert table[0].endswith("| lifestyle | gardening | sailing | pooled |")
    assert sum(row.startswith("| ours: hybrid, minilm | dev |") for row in table) == 2
    assert "| published: BM25 | test | search | – | – | – | – | – | – | – | 48.3 |" in table
    assert (
        "| published: ColBERTv2 | test | forum | 76.3 | 70.8 | 46.1 | 53.6 | 76.9 | – | – | 63.4 |" in table
    )
    assert f"data: {SAMPLE} (bundled sample), dev: gardening, sailing, pooled" in printed.err
    assert "pooled: no such folder, so joined from gardening, sailing" in printed.err

    found = report(path)
    assert [(row["split"], row["topic"], row["type"], row["n"]) for row in found["rows"]] == [
        ("dev", "gardening", "search", 3),
        ("dev", "sailing", "search", 4),
        ("dev", "pooled", "search", 7),
        ("dev", "gardening", "forum", 2),
        ("dev", "sailing", "forum", 3),
        ("dev", "pooled", "forum", 5),
    ]
    assert figures(path)["pooled", "search"] == 1.0
    assert all(
        row["ci"]["success@5"][0] <= row["success@5"] <= row["ci"]["success@5"][1] for row in found["rows"]
    )
    record = found["provenance"]
    assert (record["retriever"], record["embedder"]["name"], record["limit"]) == ("hybrid", "minilm", None)
    assert record["fusion"].startswith("Fusion(lexical_weight=")

    # The official evaluator, on the rankings that were kept, says the same.
    again = tmp_path / "again.json"
    where = ["--data_path", str(SAMPLE), "--rankings_path", str(rankings)]
    assert main(["score", "--k", "5", "--split", "dev", *where, "--json", str(again)]) == 0
    assert figures(again) == figures(path)
    assert {line for line in lines if line.startswith("[")} < set(capsys.readouterr().out.splitlines())


def test_rankings_are_written_in_the_official_form(tmp_path: Path) -> None:
    command = [
        "--retriever",
        "lexical",
        "--topic",
        "sailing",
        "--type",
        "search",
        "--rankings",
        str(tmp_path),
    ]
    assert main(command) == 0
    (path,) = (tmp_path / "dev").iterdir()
    assert path.name == "sailing.search.ranking.tsv"
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    assert rows[0][:3] == ["0", "0", "1"]
    for qid in sorted({row[0] for row in rows}):
        own = [row for row in rows if row[0] == qid]
        assert [row[2] for row in own] == [str(rank) for rank in range(1, len(own) + 1)]
        scores = [float(row[3]) for row in own]
        assert scores == sorted(scores, reverse=True)


def test_a_query_that_finds_nothing_is_warned_about_and_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "boats" / "test"
    folder.mkdir(parents=True)
    (folder / "collection.tsv").write_text("5\tthe tide turns\n6\t\n7\ta rope\n")
    (folder / "questions.search.tsv").write_text("0\ttides\n1\tzebra\n")
    (folder / "qas.search.jsonl").write_text(
        '{"qid": 0, "query": "tides", "answer_pids": [5]}\n{"qid": 1, "query": "zebra", "answer_pids": [6]}\n'
    )
    assert main(["--data", str(folder), "--retriever", "lexical"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == "[query_type=search, dataset=boats] Success@5: 50.0"
    assert "WARNING: qid 1 not found in " in printed.err
    assert f"data: {folder} (folder of a topic's split), test: boats" in printed.err
    assert "boats.search: 1 of 2 queries have no answer among the passages" in printed.err


def test_cranfield_end_to_end(data_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rankings, path = tmp_path / "rankings", tmp_path / "report.json"
    command = ["--data", str(data_root), "--topic", "cranfield", "--retriever", "lexical"]
    assert main([*command, "--rankings", str(rankings), "--json", str(path)]) == 0
    assert capsys.readouterr().out.startswith("[query_type=search, dataset=cranfield] Success@5: 80.0\n")
    (row,) = report(path)["rows"]
    assert (row["split"], row["topic"], row["type"], row["n"]) == ("dev", "cranfield", "search", 225)
    ranked = (rankings / "dev" / "cranfield.search.ranking.tsv").read_text().splitlines()
    pids = {int(line.split("\t")[1]) for line in ranked}
    assert not pids & {470, 994}
    assert len({line.split("\t")[0] for line in ranked}) == 225


@pytest.mark.slow
@pytest.mark.parametrize(("retriever", "success"), [("hybrid", 0.809), ("dense", 0.729), ("lexical", 0.8)])
def test_cranfields_figures_are_those_of_the_readme(
    retriever: str, success: float, data_root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    command = ["--data", str(data_root), "--topic", "cranfield", "--retriever", retriever]
    assert main([*command, "--json", str(path)]) == 0
    assert figures(path)["cranfield", "search"] == pytest.approx(success, abs=0.0005)


def test_topics_without_passages_are_left_out_and_said(
    data_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(data_root), "--retriever", "lexical", "--limit", "20"]) == 0
    printed = capsys.readouterr()
    assert "no collection.tsv, left out: writing, recreation, science, technology, lifestyle" in printed.err
    assert [line[:40] for line in printed.out.splitlines() if line.startswith("[")] == [
        "[query_type=search, dataset=cranfield] S"
    ]
    assert "| ours: lexical, first 20 passages | dev |" in printed.out
    assert main(["--data", str(data_root), "--topic", "writing", "--retriever", "lexical"]) == 4
    assert "--topic must name topics with passages in dev (cranfield), got writing" in capsys.readouterr().err


def test_another_k_stands_without_the_published_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--retriever", "lexical", "--k", "1", "--topic", "sailing"]) == 0
    printed = capsys.readouterr().out
    assert "Success@1: " in printed
    assert "published" not in printed
    assert published_systems(1) == []


def test_the_published_figures_are_those_of_the_paper() -> None:
    found = {(row.system, row.query_type): row.figures for row in published_systems(5)}
    pooled = {name: figure["pooled"] for (name, kind), figure in found.items() if kind == "search"}
    assert pooled == {
        "BM25": 0.483,
        "ColBERT": 0.673,
        "RocketQAv2": 0.698,
        "SPLADEv2": 0.689,
        "ColBERTv2": 0.716,
    }
    pooled = {name: figure["pooled"] for (name, kind), figure in found.items() if kind == "forum"}
    assert pooled == {
        "BM25": 0.472,
        "ColBERT": 0.582,
        "RocketQAv2": 0.577,
        "SPLADEv2": 0.601,
        "ColBERTv2": 0.634,
    }
    assert list(found["ColBERTv2", "search"].values()) == [0.801, 0.723, 0.567, 0.661, 0.847, 0.716]
    assert list(found["ColBERTv2", "forum"].values()) == [0.763, 0.708, 0.461, 0.536, 0.769, 0.634]


def test_official_lines_are_written_as_lottes_page_writes_them() -> None:
    scores = [
        LotteScore("test", "writing", "search", 5, (1.0, 1.0, 0.0)),
        LotteScore("test", "pooled", "search", 5, (1.0,)),
        LotteScore("test", "writing", "forum", 5, None),
    ]
    assert official_lines(scores) == (
        "[query_type=search, dataset=writing] Success@5: 66.7\n"
        "[query_type=search, dataset=pooled] Success@5: 100.0\n"
        "\n"
        "[query_type=forum, dataset=writing] Success@5: ???\n"
    )


def test_forum_and_metadata_may_be_absent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(SAMPLE / "sailing", tmp_path / "sailing")
    for name in ("metadata.jsonl", "questions.forum.tsv", "qas.forum.jsonl"):
        (tmp_path / "sailing" / "dev" / name).unlink()
    command = ["--data", str(tmp_path), "--retriever", "lexical"]
    assert main(command) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("[")] == [
        "[query_type=search"
    ]
    assert main([*command, "--type", "forum"]) == 4
    assert "--type must name queries that the topics have, got forum" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("collection.tsv", "18 no tab", "line 19: a line must be pid, tab, passage"),
        ("questions.search.tsv", "4", "line 5: a line must be qid, tab, query"),
        ("qas.forum.jsonl", "{}", "line 4: 'qid' must be int, got nothing"),
        ("metadata.jsonl", "{}", "line 6: a thread must have 'dataset'"),
    ],
)
def test_a_bad_line_in_any_file_ends_the_run_and_is_named(
    name: str, line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(SAMPLE / "sailing", tmp_path / "sailing")
    path = tmp_path / "sailing" / "dev" / name
    path.write_text(path.read_text() + line + "\n")
    assert main(["--data", str(tmp_path), "--retriever", "lexical"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith(f"python -m eval.lotte: error: {path}, {message}")


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (["--k", "0"], 2, "--k must be at least 1, got 0"),
        (["--limit", "0"], 2, "--limit must be at least 1 passage, got 0"),
        (["--split", "test"], 4, "--split must be one that "),
        (
            ["--topic", "cooking"],
            4,
            "--topic must name topics with passages in dev (gardening, sailing, pooled)",
        ),
        (["--data", "/nowhere"], 4, "the data folder must be a data root"),
        (["--embedder", "word2vec", "--retriever", "dense"], 2, "embedder must be "),
        (["--retriever", "lexical", "--rankings", "/dev/null"], 2, "--rankings must name a writable folder"),
        (["--retriever", "lexical", "--json", "/dev/null/report"], 2, "--json must name a writable file"),
    ],
)
def test_what_cannot_be_is_said_with_the_exit_code_of_its_kind(
    wrong: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(wrong) == code
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_it_runs_as_a_module_in_a_folder_of_no_meaning(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "SAWYER_DATA"}
    done = subprocess.run(
        [sys.executable, "-m", "eval.lotte", "--retriever", "lexical"],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Success@5: ") == 6
    assert list(tmp_path.iterdir()) == []
