"""A report's rows as CSV: one line a row, one column a figure, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from core.errors import InvalidValue


class Record(Protocol):
    """A row of ours (`eval.report.Row`) or of others (`eval.datasets.published.PublishedRow`)."""

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""


def write_csv(path: Path, rows: Sequence[Record], published: Sequence[Record] = ()) -> None:
    """Write what the JSON has of each row, under its names; our rows, then the published ones.

    An interval's ends stand as ``METRIC low`` and ``METRIC high``, other nested figures as
    ``METRIC GROUP NAME``, book names in one cell parted by ``; ``. What a row lacks is an empty cell, and
    published rows alone have a ``source``. Figures are written in full, to be read back as they were.

    Raises:
        InvalidValue: the file cannot be written.
    """
    records = [dict(_cells(row.as_json())) for row in (*rows, *published)]
    columns = dict.fromkeys(name for record in records for name in record)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    try:
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidValue(f"--csv must name a writable file, got {path} ({error.strerror})") from error


def _cells(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if name == "ci":
            for metric, (low, high) in value.items():
                yield f"{metric} low", low
                yield f"{metric} high", high
        elif name == "books":
            # Ours name their books; of a published row only the number is known.
            yield "n_books", len(value) if isinstance(value, list) else value
            yield name, "; ".join(value) if isinstance(value, list) else ""
        elif isinstance(value, Mapping):
            yield from (
                (f"{metric} {name} {part}", figure)
                for metric, figures in value.items()
                for part, figure in figures.items()
            )
        else:
            yield name, "" if value is None else value
