"""What a command prints and writes: rows of figures, those that others published, and their provenance."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import InvalidValue
from eval.costs import Cost
from eval.datasets.published import PublishedRow
from eval.metrics import Metric
from eval.provenance import record_columns
from eval.relevance import Rule
from eval.significance import Difference

_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class TokenSpread:
    """How large chunks are, in tokens: their number, two percentiles and the largest."""

    chunks: int
    p5: float
    p95: float
    most: float

    def as_json(self) -> dict[str, Any]:
        """The spread as plain values."""
        return {
            "tokens_per_chunk_p5": self.p5,
            "tokens_per_chunk_p95": self.p95,
            "tokens_per_chunk_max": self.most,
            "chunks": self.chunks,
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One chunker under one retriever and one rule, over some books.

    Attributes:
        picker: what picks the boundaries of a chunker that asks: ``local``, ``chat:MODEL``, else None.
        strategy: the ``repr`` of the chunker, or of the chunk file.
        questions: how many; each book weighs the same in the means, whatever it has of them.
        means: over each book's questions, then over books.
        tokens_per_chunk: mean over chunks.
        ceiling: the share of questions whose gold some chunk can hold; no DCG is above it.
        intervals: metric to 95 % bootstrap interval.
        tokens: None where nobody measured it, as for ``cost``.
        differences: metric to the mean difference to the baseline, where there is one to compare with.
    """

    chunker: str
    picker: str | None
    strategy: str
    retriever: str
    rule: Rule
    books: tuple[str, ...]
    questions: int
    means: Mapping[Metric, float]
    tokens_per_chunk: float
    ceiling: float
    intervals: Mapping[Metric, tuple[float, float]]
    tokens: TokenSpread | None = None
    cost: Cost | None = None
    differences: Mapping[Metric, Difference] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The chunker as tables name it: ``recursive``, ``lumber[local]``."""
        return self.chunker if self.picker is None else f"{self.chunker}[{self.picker}]"

    def as_json(self) -> dict[str, Any]:
        """The row as plain values, without its cost, which no two runs have in common."""
        differences = {str(metric): asdict(found) for metric, found in self.differences.items()}
        return {
            "chunker": self.chunker,
            "picker": self.picker,
            "strategy": self.strategy,
            "retriever": self.retriever,
            "rule": self.rule,
            "books": list(self.books),
            "n": self.questions,
            **{str(metric): value for metric, value in self.means.items()},
            "tokens_per_chunk": self.tokens_per_chunk,
            "ceiling": self.ceiling,
            "ci": {str(metric): list(interval) for metric, interval in self.intervals.items()},
            **({} if self.tokens is None else self.tokens.as_json()),
            **({"difference": differences} if differences else {}),
        }


# A column's heading, and what a row has there.
Column = tuple[str, Callable[[Row], str]]


def markdown(
    rows: Sequence[Row], published: Sequence[PublishedRow], *, bounded: Sequence[Metric] | None = None
) -> str:
    """One Markdown table: our rows, then the published ones, which have other books and another embedder.

    Args:
        bounded: the metrics whose intervals are shown; None shows all that there are.
    """
    named: list[Column] = [
        ("chunker", lambda row: row.label),
        ("retriever", lambda row: row.retriever),
        ("rule", lambda row: row.rule),
    ]
    counted: list[Column] = [
        ("books", lambda row: str(len(row.books))),
        ("n", lambda row: str(row.questions)),
    ]
    metrics = list(dict.fromkeys(metric for row in rows for metric in row.means))
    measured: list[Column] = [(str(metric), partial(_mean, metric)) for metric in metrics]
    columns = [*named, *counted, *measured, *_size_columns(rows), *_compared_columns(rows, bounded)]
    lines = [[heading for heading, _ in columns]]
    lines.append(["---"] * len(named) + ["---:"] * (len(columns) - len(named)))
    lines += [[cell(row) for _, cell in columns] for row in rows]
    for other in published:
        line = [f"published: {other.method}", other.retriever, other.rule, str(other.books), _ABSENT]
        line += [_figure(other.values.get(str(metric))) for metric in metrics]
        lines.append(line + [_ABSENT] * (len(columns) - len(line)))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _size_columns(rows: Sequence[Row]) -> list[Column]:
    """Sizes and, where they were measured, their spread and what the rows cost."""
    columns: list[Column] = [("tokens/chunk", lambda row: f"{row.tokens_per_chunk:.0f}")]
    if any(row.tokens for row in rows):
        columns.append(("p5 to p95, max", _spread))
    columns.append(("ceiling", lambda row: _figure(row.ceiling)))
    if any(row.cost for row in rows):
        columns.append(("seconds", lambda row: f"{row.cost.seconds:.1f}" if row.cost else _ABSENT))
        columns.append(("calls", lambda row: f"{row.cost.model_calls}" if row.cost else _ABSENT))
        columns.append(("tokens in", lambda row: f"{row.cost.tokens_embedded}" if row.cost else _ABSENT))
    return columns


def _compared_columns(rows: Sequence[Row], bounded: Sequence[Metric] | None) -> list[Column]:
    """Intervals, then differences to the baseline."""
    if bounded is None:
        bounded = list(dict.fromkeys(metric for row in rows for metric in row.intervals))
    compared = dict.fromkeys(metric for row in rows for metric in row.differences)
    return [
        *((f"{metric} 95 %", partial(_bounds, metric)) for metric in bounded),
        *((f"{metric} - baseline", partial(_difference, metric)) for metric in compared),
    ]


def _mean(metric: Metric, row: Row) -> str:
    return _figure(row.means.get(metric))


def _spread(row: Row) -> str:
    if row.tokens is None:
        return _ABSENT
    return f"{row.tokens.p5:.0f} to {row.tokens.p95:.0f}, {row.tokens.most:.0f}"


def _bounds(metric: Metric, row: Row) -> str:
    bounds = row.intervals.get(metric)
    return _ABSENT if bounds is None else f"{bounds[0]:.3f} to {bounds[1]:.3f}"


def _difference(metric: Metric, row: Row) -> str:
    return str(row.differences[metric]) if metric in row.differences else _ABSENT


def write_json(
    path: Path,
    rows: Sequence[Row],
    published: Sequence[PublishedRow],
    provenance: Mapping[str, Any],
    **more: object,
) -> None:
    """Write ``{"rows", "published", "provenance"}``, what else is given, and ``costs``, one a row, where
    they were measured.

    Raises:
        InvalidValue: the file cannot be written.
    """
    report: dict[str, Any] = {
        "rows": [row.as_json() for row in rows],
        "published": [other.as_json() for other in published],
        "provenance": dict(provenance),
        **more,
    }
    if any(row.cost for row in rows):
        report["costs"] = [row.cost.as_json() if row.cost else None for row in rows]
    _write("--json", path, json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: Path, rows: Sequence[Row], provenance: Mapping[str, Any]) -> None:
    """Write a line a row: what the table shows, each number in full in a column of its own; then the record.

    Raises:
        InvalidValue: the file cannot be written.
    """
    record = {name: value for name, value in record_columns(provenance).items() if name != "rule"}
    flat = [{**dict(_flat(row)), **record} for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(
        text, list(dict.fromkeys(name for line in flat for name in line)), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(flat)
    _write("--csv", path, text.getvalue())


def _flat(row: Row) -> Iterator[tuple[str, object]]:
    for name, value in row.as_json().items():
        if name == "books":
            yield name, " ".join(row.books)
        elif name not in ("ci", "difference"):
            yield name, value
    for metric, (low, high) in row.intervals.items():
        yield from ((f"{metric} low", low), (f"{metric} high", high))
    for metric, found in row.differences.items():
        for part, value in asdict(found).items():
            yield f"{metric} difference {part}", value
    if row.cost is not None:
        yield from row.cost.as_json().items()


def _write(flag: str, path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"{flag} must name a writable file, got {path} ({error.strerror})") from error


def _figure(value: float | None) -> str:
    return _ABSENT if value is None else f"{value:.3f}"
