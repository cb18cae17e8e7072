"""Rows of figures: printed, and written as JSON and CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from core.errors import InvalidValue
from eval.significance import Difference
from eval.table import TableRow, markdown, write_csv, write_json
from tests.support.records import COLUMNS, RECORD

ROWS = [
    TableRow(
        {"chunker": "fixed", "n": 3}, {"dcg@1": 0.5, "size": 240.4}, {"dcg@1": (0.25, 0.75)}, {"of": [1]}
    ),
    TableRow({"chunker": "even, odd", "n": 3}, {"dcg@1": 0.0, "pk": 0.1}),
]


def test_figures_stand_under_their_metric_and_intervals_beside_those_asked_for() -> None:
    assert markdown(ROWS, bounded=["dcg@1"]).splitlines() == [
        "| chunker | n | dcg@1 | size | pk |",
        "| --- | --- | ---: | ---: | ---: |",
        "| fixed | 3 | 0.500 (0.250 to 0.750) | 240 | – |",
        "| even, odd | 3 | 0.000 | – | 0.100 |",
    ]


def test_the_json_holds_rows_with_all_intervals_and_details(tmp_path: Path) -> None:
    write_json(tmp_path / "out.json", ROWS, {"seed": 1}, published=[2])
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert list(found) == ["rows", "published", "provenance"]
    assert found["rows"][0] == {
        "chunker": "fixed", "n": 3, "dcg@1": 0.5, "size": 240.4, "ci": {"dcg@1": [0.25, 0.75]}, "of": [1],
    }  # fmt: skip


def test_the_csv_has_a_column_for_each_end_of_an_interval(tmp_path: Path) -> None:
    write_csv(tmp_path / "out.csv", ROWS, RECORD)
    written = (tmp_path / "out.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(written.splitlines()))
    assert list(rows[0]) == ["chunker", "n", "dcg@1", "size", "pk", "dcg@1 low", "dcg@1 high", *COLUMNS]
    assert {row["run_seconds"] for row in rows} == {"1.5"}
    assert (rows[0]["dcg@1 low"], rows[1]["dcg@1 low"], rows[1]["chunker"]) == ("0.25", "", "even, odd")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"needs a writable file, got .*nowhere"):
        write_csv(tmp_path / "nowhere" / "out.csv", ROWS, RECORD)


def test_a_deviation_stands_beside_its_mean_everywhere(tmp_path: Path) -> None:
    row = TableRow({"chunker": "fixed"}, {"iou": 0.25, "n": 3.0}, deviations={"iou": 0.125})
    assert markdown([row]).splitlines()[2] == "| fixed | 0.250 ± 0.125 | 3.000 |"
    assert row.as_json()["sd"] == {"iou": 0.125}
    write_csv(tmp_path / "out.csv", [row], RECORD)
    header, line = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert header == ",".join(["chunker,iou,n,iou sd", *COLUMNS])
    assert line.startswith("fixed,0.25,3.0,0.125,bundled sample,7b21c0")


def test_a_difference_stands_in_a_column_of_its_own_everywhere(tmp_path: Path) -> None:
    row = TableRow({"chunker": "fixed"}, {"iou": 0.25}, differences={"iou": Difference(0.05, -0.01, 0.1)})
    other = TableRow({"chunker": "recursive"}, {"iou": 0.2}, details={"strategy": "Structural()"})
    lines = markdown([row, other]).splitlines()
    assert lines[0] == "| chunker | iou | iou - baseline |"
    assert lines[2:] == ["| fixed | 0.250 | +0.050 (-0.010 to +0.100) |", "| recursive | 0.200 | – |"]
    assert row.as_json()["difference"] == {"iou": {"mean": 0.05, "low": -0.01, "high": 0.1}}
    assert "difference" not in other.as_json()
    write_csv(tmp_path / "out.csv", [row, other], RECORD)
    first, second = csv.DictReader((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines())
    assert (first["iou difference mean"], first["iou difference high"], first["strategy"]) == (
        "0.05",
        "0.1",
        "",
    )
    assert (second["iou difference mean"], second["strategy"]) == ("", "Structural()")
