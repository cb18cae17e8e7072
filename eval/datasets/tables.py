"""Comma-separated files with a header, row by row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import DataError
from eval.datasets.base import read_text


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The line on which each row ends, from 1, and the row by column name.

    Args:
        columns: those that the header must name; others may be there.

    Raises:
        NotFound: no such file.
        DataError: the header lacks a column, or a row has more or fewer fields than it.
    """
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        missing = set(columns) - set(reader.fieldnames or ())
        if missing:
            raise DataError(f"{path}, line 1: a header must name {', '.join(columns)}, got no {min(missing)}")
        for row in reader:
            if None in row or any(row[column] is None for column in columns):
                raise DataError(
                    f"{path}, line {reader.line_num}: a row must have {len(reader.fieldnames or ())} fields"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise DataError(
            f"{path}, line {max(1, reader.line_num)}: a row must be valid CSV, got {error}"
        ) from error
