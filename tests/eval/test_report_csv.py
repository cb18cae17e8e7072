"""The CSV has every figure of the JSON, in full, one line a row."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidValue
from eval.datasets.published import gutenqa_rows
from eval.metrics import Metric
from eval.report import Row
from eval.report_csv import write_csv

DCG20, ER = Metric("dcg", 20), Metric("er", 1000)
ROW = Row(
    chunker="lumber",
    picker="local",
    strategy='LumberChunker(size=3, unit="words, all")',
    retriever="hybrid",
    rule="span",
    books=("Emma", "Mrs Dalloway, a novel"),
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
    write_csv(tmp_path / "report.csv", [ROW])
    (line,) = read(tmp_path / "report.csv")
    assert line["strategy"] == ROW.strategy
    assert line["books"] == "Emma; Mrs Dalloway, a novel"
    assert (line["n_books"], line["n"]) == ("2", "60")
    assert float(line["dcg@20"]) == 0.1 + 0.2
    assert (float(line["dcg@20 low"]), float(line["dcg@20 high"])) == (0.6, 0.85)
    plain = {name for name in ROW.as_json() if name not in ("ci", "books")}
    assert plain <= set(line)


def test_rows_with_other_metrics_leave_cells_empty(tmp_path: Path) -> None:
    other = replace(ROW, picker=None, means={ER: 0.25}, intervals={})
    write_csv(tmp_path / "report.csv", [ROW, other])
    first, second = read(tmp_path / "report.csv")
    assert first["picker"] == "local"
    assert (second["picker"], second["dcg@20"], second["dcg@20 low"], second["er@1000"]) == (
        "",
        "",
        "",
        "0.25",
    )


def test_published_rows_follow_with_their_source(tmp_path: Path) -> None:
    write_csv(tmp_path / "report.csv", [ROW], gutenqa_rows())
    ours, *theirs = read(tmp_path / "report.csv")
    assert ours["source"] == ""
    assert len(theirs) == 6
    assert theirs[0]["chunker"] == "LumberChunker"
    assert (theirs[0]["n_books"], theirs[0]["books"], theirs[0]["dcg@20"]) == ("100", "", "0.620977")
    assert all(line["source"] for line in theirs)


@dataclass(frozen=True)
class Compared:
    """A row with figures of figures, as a difference to a baseline is one."""

    name: str

    def as_json(self) -> dict[str, Any]:
        return {"chunker": self.name, "difference": {"dcg@20": {"mean": 0.1, "low": -0.05, "high": 0.25}}}


def test_nested_figures_have_a_column_each(tmp_path: Path) -> None:
    write_csv(tmp_path / "report.csv", [Compared("recursive")])
    assert (tmp_path / "report.csv").read_text() == (
        "chunker,dcg@20 difference mean,dcg@20 difference low,dcg@20 difference high\n"
        "recursive,0.1,-0.05,0.25\n"
    )


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"--csv must name a writable file, got .*absent"):
        write_csv(tmp_path / "absent" / "report.csv", [ROW])
    write_csv(tmp_path / "empty.csv", [])
    assert (tmp_path / "empty.csv").read_text() == "\n"
