"""Rows of figures with intervals, as Markdown, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InvalidValue

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
    """

    labels: Mapping[str, str | int]
    figures: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    deviations: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return {
            **self.labels,
            **self.figures,
            "ci": {metric: list(interval) for metric, interval in self.intervals.items()},
            **({"sd": dict(self.deviations)} if self.deviations else {}),
            **self.details,
        }


def markdown(rows: Sequence[TableRow], *, bounded: Collection[str] = ()) -> str:
    """One Markdown table: deviations beside their means, intervals beside the metrics in ``bounded``."""
    labels = _columns([row.labels for row in rows])
    metrics = _columns([row.figures for row in rows])
    lines = [[*labels, *metrics], ["---"] * len(labels) + ["---:"] * len(metrics)]
    for row in rows:
        line = [str(row.labels.get(label, _ABSENT)) for label in labels]
        line += [_figure(row, metric, bounded=metric in bounded) for metric in metrics]
        lines.append(line)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def write_json(path: Path, rows: Sequence[TableRow], provenance: Mapping[str, Any], **more: object) -> None:
    """Write ``{"rows", "provenance"}`` and what else is given.

    Raises:
        InvalidValue: the file cannot be written.
    """
    report = {"rows": [row.as_json() for row in rows], **more, "provenance": dict(provenance)}
    _write(path, json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: Path, rows: Sequence[TableRow]) -> None:
    """Write labels, figures, ends of intervals (``METRIC low``, ``METRIC high``), deviations (``METRIC sd``).

    Raises:
        InvalidValue: the file cannot be written.
    """
    labels = _columns([row.labels for row in rows])
    metrics = _columns([row.figures for row in rows])
    bounded = _columns([row.intervals for row in rows])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    spread = _columns([row.deviations for row in rows])
    ended = [f"{metric} {end}" for metric in bounded for end in ("low", "high")]
    writer.writerow(labels + metrics + ended + [f"{metric} sd" for metric in spread])
    for row in rows:
        ends = [row.intervals.get(metric, ("", ""))[end] for metric in bounded for end in (0, 1)]
        writer.writerow(
            [row.labels.get(label, "") for label in labels]
            + [row.figures.get(metric, "") for metric in metrics]
            + ends
            + [row.deviations.get(metric, "") for metric in spread]
        )
    _write(path, text.getvalue())


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"a report needs a writable file, got {path} ({error.strerror})") from error


def _columns(parts: Sequence[Mapping[str, Any]]) -> list[str]:
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
