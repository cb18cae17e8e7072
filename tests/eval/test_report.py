"""A report says what was measured, in a table for people and in JSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InvalidValue
from eval.datasets.published import gutenqa_rows
from eval.metrics import Metric
from eval.report import Row, markdown, write_json

DCG20 = Metric("dcg", 20)


def row(picker: str | None = None) -> Row:
    return Row(
        chunker="lumber",
        picker=picker,
        strategy="LumberChunker(size=3)",
        retriever="hybrid",
        rule="span",
        books=("A", "B"),
        questions=60,
        means={DCG20: 0.7384, Metric("er", 1000): 0.5},
        tokens_per_chunk=371.4,
        ceiling=0.8667,
        intervals={DCG20: (0.6, 0.85)},
    )


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_table_has_one_line_a_row_and_names_the_picker() -> None:
    lines = markdown([row("local"), row()], []).splitlines()
    assert len(lines) == 4
    assert cells(lines[0])[-5:] == ["dcg@20", "er@1000", "tokens/chunk", "ceiling", "dcg@20 95 %"]
    assert cells(lines[2]) == [
        "lumber[local]", "hybrid", "span", "2", "60", "0.738", "0.500", "371", "0.867", "0.600 to 0.850",
    ]  # fmt: skip
    assert cells(lines[3])[0] == "lumber"
    assert {len(cells(line)) for line in lines} == {10}


def test_published_rows_stand_beside_with_their_own_books_and_embedder() -> None:
    lines = markdown([row()], gutenqa_rows()).splitlines()
    assert len(lines) == 3 + 6
    assert cells(lines[3])[:6] == [
        "published: LumberChunker", "text-embedding-ada-002", "substring", "100", "–", "0.621",
    ]  # fmt: skip
    assert cells(lines[3])[6:] == ["–"] * 4
    assert len({len(cells(line)) for line in lines}) == 1


def test_the_json_has_the_documented_shape(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_json(path, [row("chat:gpt")], gutenqa_rows(), {"seed": 1})
    report = json.loads(path.read_text(encoding="utf-8"))
    assert list(report) == ["rows", "published", "provenance"]
    assert report["rows"] == [
        {
            "chunker": "lumber",
            "picker": "chat:gpt",
            "strategy": "LumberChunker(size=3)",
            "retriever": "hybrid",
            "rule": "span",
            "books": ["A", "B"],
            "n": 60,
            "dcg@20": 0.7384,
            "er@1000": 0.5,
            "tokens_per_chunk": 371.4,
            "ceiling": 0.8667,
            "ci": {"dcg@20": [0.6, 0.85]},
        }
    ]
    assert report["published"][0]["chunker"] == "LumberChunker"
    assert report["published"][0]["dcg@20"] == 0.620977
    assert report["published"][0]["books"] == 100


def test_a_report_that_cannot_be_written_is_refused_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"--json must name a writable file, got .*report\.json"):
        write_json(tmp_path / "absent" / "report.json", [], [], {})
