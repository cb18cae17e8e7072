"""A report's rows as two pictures: DCG by cutoff, and evidence recall by token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.plots import Line, Words, beside, plot_dcg, plot_evidence_recall
from eval.provenance import plot_note
from eval.report import Row

MOST_LINES = 12  # in one picture; with more, each rule and retriever gets its own


def plot_rows(path: Path, rows: Sequence[Row], record: Mapping[str, Any]) -> list[Path]:
    """Draw DCG into ``path`` and evidence recall beside it, ``-er`` before the ending; the paths written.

    With many rows the rule and the retriever stand in the names as well: ``FILE-span-hybrid.png``.

    Args:
        record: the report's provenance.

    Raises:
        InvalidValue: a path that cannot be written, or an ending that is not PNG's or SVG's.
        MissingExtra: matplotlib is not installed.
    """
    if len(rows) <= MOST_LINES:
        return _pair(path, rows, record, "")
    written: list[Path] = []
    for rule, retriever in dict.fromkeys((row.rule, row.retriever) for row in rows):
        part = [row for row in rows if (row.rule, row.retriever) == (rule, retriever)]
        name = f"{path.stem}-{rule}-{retriever}".replace("+", "-").replace(":", "-")
        written += _pair(path.with_name(name + path.suffix), part, record, f", {retriever}, {rule} rule")
    return written


def _pair(path: Path, rows: Sequence[Row], record: Mapping[str, Any], of: str) -> list[Path]:
    note = plot_note(record, {row.label: row.strategy for row in rows})
    recall = beside(path, "er")
    plot_dcg(path, [_line(row, "dcg", rows) for row in rows], Words(f"DCG, {record['set']}{of}", note))
    budgets = [_line(row, "er", rows) for row in rows]
    plot_evidence_recall(recall, budgets, Words(f"Evidence recall, {record['set']}{of}", note))
    return [path, recall]


def _line(row: Row, name: str, rows: Sequence[Row]) -> Line:
    found = sorted(
        (
            (metric.cutoff, value)
            for metric, value in row.means.items()
            if metric.name == name and metric.cutoff
        )
    )
    label = row.label
    if len({other.retriever for other in rows}) > 1:
        label += f", {row.retriever}"
    if len({other.rule for other in rows}) > 1:
        label += f", {row.rule}"
    intervals = {metric.cutoff: bounds for metric, bounds in row.intervals.items() if metric.name == name}
    band = [intervals[x] for x, _ in found]
    return Line(label, [float(x) for x, _ in found], [value for _, value in found], band)
