"""The CSV has every figure of the JSON, in full, one line a row."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InvalidValue
from eval.metrics import Metric
from eval.report import Row, write_csv
from eval.significance import Difference
from tests.support.records import COLUMNS, RECORD

DCG20, ER = Metric("dcg", 20), Metric("er", 1000)
ROW = Row(
    chunker="lumber",
    picker="local",
    strategy='LumberChunker(size=3, unit="words, all")',
    retriever="hybrid",
    rule="span",
    books=("Emma", "Mrs_Dalloway"),
    questions=60,
    means={DCG20: 0.1 + 0.2, ER: 0.5},
    tokens_per_chunk=371.4,
    ceiling=0.8667,
    intervals={DCG20: (0.6, 0.85)},
)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_figure_is_written_in_full_under_its_name(tmp_path: Path) -> None:
    write_csv(tmp_path / "report.csv", [ROW], RECORD)
    (line,) = read(tmp_path / "report.csv")
    assert line["strategy"] == ROW.strategy
    assert line["books"] == "Emma Mrs_Dalloway"
    assert line["n"] == "60"
    assert float(line["dcg@20"]) == 0.1 + 0.2
    assert (float(line["dcg@20 low"]), float(line["dcg@20 high"])) == (0.6, 0.85)
    assert set(ROW.as_json()) - {"ci"} <= set(line)


def test_every_line_says_what_its_figures_depend_on(tmp_path: Path) -> None:
    write_csv(tmp_path / "report.csv", [ROW, replace(ROW, rule="substring")], RECORD)
    lines = read(tmp_path / "report.csv")
    assert set(COLUMNS) <= set(lines[0])
    assert [line["rule"] for line in lines] == ["span", "substring"]  # its own, not the report's
    assert {line["fingerprint"] for line in lines} == {"f1" * 32}


def test_rows_with_other_metrics_leave_cells_empty(tmp_path: Path) -> None:
    other = replace(ROW, picker=None, means={ER: 0.25}, intervals={})
    write_csv(tmp_path / "report.csv", [ROW, other], RECORD)
    first, second = read(tmp_path / "report.csv")
    assert first["picker"] == "local"
    cells = [second[name] for name in ("picker", "dcg@20", "dcg@20 low", "er@1000")]
    assert cells == ["", "", "", "0.25"]


def test_a_difference_has_a_column_for_its_mean_and_each_end(tmp_path: Path) -> None:
    write_csv(
        tmp_path / "report.csv", [ROW, replace(ROW, differences={ER: Difference(0.1, -0.05, 0.25)})], RECORD
    )
    baseline, line = read(tmp_path / "report.csv")
    names = [f"er@1000 difference {part}" for part in ("mean", "low", "high")]
    assert [line[name] for name in names] == ["0.1", "-0.05", "0.25"]
    assert [baseline[name] for name in names] == ["", "", ""]


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"--csv must name a writable file, got .*absent"):
        write_csv(tmp_path / "absent" / "report.csv", [ROW], RECORD)
