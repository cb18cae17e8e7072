"""A table's rows as two pictures: DCG by cutoff, and evidence recall by token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from eval.metrics import Metric
from eval.plots import Line, Words, beside, plot_dcg, plot_evidence_recall
from eval.table import TableRow


def plot_table(
    path: Path, rows: Sequence[TableRow], words: Words, *, named: Callable[[TableRow], str]
) -> None:
    """Draw DCG into ``path`` and evidence recall beside it, ``-er`` before the ending.

    Args:
        named: what the legend calls a row.

    Raises:
        InvalidValue: a path that cannot be written, or an ending that is not PNG's or SVG's.
        MissingExtra: matplotlib is not installed.
    """
    plot_dcg(path, [metric_line(row, "dcg", named(row)) for row in rows], words)
    plot_evidence_recall(beside(path, "er"), [metric_line(row, "er", named(row)) for row in rows], words)


def metric_line(row: TableRow, metric: str, label: str, *, band: bool = True) -> Line:
    """One metric of a row at all its cutoffs, rising, with its intervals."""
    parsed = (Metric.parse(name) for name in row.figures if name.startswith(f"{metric}@"))
    cutoffs = sorted(one.cutoff for one in parsed if one.cutoff is not None)
    names = [f"{metric}@{cutoff}" for cutoff in cutoffs]
    bounds = [row.intervals[name] for name in names] if band else []
    return Line(label, [float(cutoff) for cutoff in cutoffs], [row.figures[name] for name in names], bounds)
