"""Rows of figures with intervals, as Markdown, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from core.errors import InvalidValue
from eval.provenance import record_columns
from eval.significance import Difference

Name = TypeVar("Name")

_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a report.

    Attributes:
        labels: what the line is of, by column: chunker, retriever, number of questions.
        figures: metric to value.
        intervals: metric to 95 % interval.
        details: what is written and not printed.
        deviations: metric to the standard deviation over what its mean is over.
        values: metric to what its mean is over, by name; neither printed nor written.
        differences: metric to the mean difference to the baseline, where there is one to compare with.
    """

    labels: Mapping[str, str | int]
    figures: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    deviations: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        differences = {metric: asdict(found) for metric, found in self.differences.items()}
        return {
            **self.labels,
            **self.figures,
            "ci": {metric: list(interval) for metric, interval in self.intervals.items()},
            **({"sd": dict(self.deviations)} if self.deviations else {}),
            **({"difference": differences} if differences else {}),
            **self.details,
        }


def markdown(rows: Sequence[TableRow], *, bounded: Collection[str] = ()) -> str:
    """One Markdown table: deviations beside their means, intervals beside the metrics in ``bounded``.

    Differences to a baseline, where there are any, have columns of their own at the end.
    """
    labels = _columns([row.labels for row in rows])
    metrics = _columns([row.figures for row in rows])
    compared = _columns([row.differences for row in rows])
    headings = [*labels, *metrics, *(f"{metric} - baseline" for metric in compared)]
    lines = [headings, ["---"] * len(labels) + ["---:"] * (len(headings) - len(labels))]
    for row in rows:
        line = [str(row.labels.get(label, _ABSENT)) for label in labels]
        line += [_figure(row, metric, bounded=metric in bounded) for metric in metrics]
        line += [str(row.differences.get(metric, _ABSENT)) for metric in compared]
        lines.append(line)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def write_json(path: Path, rows: Sequence[TableRow], provenance: Mapping[str, Any], **more: object) -> None:
    """Write ``{"rows", "provenance"}`` and what else is given.

    Raises:
        InvalidValue: the file cannot be written.
    """
    report = {"rows": [row.as_json() for row in rows], **more, "provenance": dict(provenance)}
    _write(path, json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: Path, rows: Sequence[TableRow], provenance: Mapping[str, Any]) -> None:
    """Write labels, figures, ends of intervals (``METRIC low``, ``METRIC high``), deviations (``METRIC sd``),
    differences (``METRIC difference mean``, ``low``, ``high``), then strategy and record on every line.

    Raises:
        InvalidValue: the file cannot be written.
    """
    lines = [dict(_cells(row)) for row in rows]
    # A column each, labels first, in whatever row it comes up.
    parts = ("label", "figure", "interval", "deviation", "difference", "strategy")
    columns = [key for part in parts for key in _columns(lines) if key[0] == part]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    record = record_columns(provenance)
    writer.writerow([*(name for _, name in columns), *record])
    for line in lines:
        writer.writerow([*(line.get(column, "") for column in columns), *record.values()])
    _write(path, text.getvalue())


def _cells(row: TableRow) -> Iterator[tuple[tuple[str, str], object]]:
    """Kind and heading of each column that the row fills, and what stands there."""
    yield from ((("label", name), value) for name, value in row.labels.items())
    yield from ((("figure", name), value) for name, value in row.figures.items())
    for metric, (low, high) in row.intervals.items():
        yield from ((("interval", f"{metric} low"), low), (("interval", f"{metric} high"), high))
    yield from ((("deviation", f"{metric} sd"), value) for metric, value in row.deviations.items())
    for metric, found in row.differences.items():
        for end, value in asdict(found).items():
            yield ("difference", f"{metric} difference {end}"), value
    if "strategy" in row.details:
        yield ("strategy", "strategy"), row.details["strategy"]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"a report needs a writable file, got {path} ({error.strerror})") from error


def _columns(parts: Sequence[Mapping[Name, Any]]) -> list[Name]:
    return list(dict.fromkeys(name for part in parts for name in part))


def _figure(row: TableRow, metric: str, *, bounded: bool) -> str:
    value = row.figures.get(metric)
    if value is None:
        return _ABSENT
    shown = f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}"
    if metric in row.deviations:
        shown += f" ± {row.deviations[metric]:.3f}"
    interval = row.intervals.get(metric) if bounded else None
    return shown if interval is None else f"{shown} ({interval[0]:.3f} to {interval[1]:.3f})"
