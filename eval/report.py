"""What a command prints and writes: rows of figures, those that others published, and their provenance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InvalidValue
from eval.datasets.published import PublishedRow
from eval.metrics import Metric
from eval.relevance import Rule

_ABSENT = "–"


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

    @property
    def label(self) -> str:
        """The chunker as tables name it: ``recursive``, ``lumber[local]``."""
        return self.chunker if self.picker is None else f"{self.chunker}[{self.picker}]"

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
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
        }


def markdown(rows: Sequence[Row], published: Sequence[PublishedRow]) -> str:
    """One Markdown table: our rows, then the published ones, which have other books and another embedder."""
    metrics = list(dict.fromkeys(metric for row in rows for metric in row.means))
    bounded = list(dict.fromkeys(metric for row in rows for metric in row.intervals))
    header = ["chunker", "retriever", "rule", "books", "n", *map(str, metrics), "tokens/chunk", "ceiling"]
    header += [f"{metric} 95 %" for metric in bounded]
    lines = [header, ["---"] * 3 + ["---:"] * (len(header) - 3)]
    for row in rows:
        line = [row.label, row.retriever, row.rule, str(len(row.books)), str(row.questions)]
        line += [_figure(row.means.get(metric)) for metric in metrics]
        line += [f"{row.tokens_per_chunk:.0f}", _figure(row.ceiling)]
        line += [_interval(row.intervals.get(metric)) for metric in bounded]
        lines.append(line)
    for other in published:
        line = [f"published: {other.method}", other.retriever, other.rule, str(other.books), _ABSENT]
        line += [_figure(other.values.get(str(metric))) for metric in metrics]
        lines.append(line + [_ABSENT] * (2 + len(bounded)))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def write_json(
    path: Path, rows: Sequence[Row], published: Sequence[PublishedRow], provenance: Mapping[str, Any]
) -> None:
    """Write ``{"rows", "published", "provenance"}``.

    Raises:
        InvalidValue: the file cannot be written.
    """
    report = {
        "rows": [row.as_json() for row in rows],
        "published": [other.as_json() for other in published],
        "provenance": dict(provenance),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"--json must name a writable file, got {path} ({error.strerror})") from error


def _figure(value: float | None) -> str:
    return _ABSENT if value is None else f"{value:.3f}"


def _interval(bounds: tuple[float, float] | None) -> str:
    return _ABSENT if bounds is None else f"{bounds[0]:.3f} to {bounds[1]:.3f}"
