"""Runs and judgements in the form of TREC, for trec_eval, ir_measures and their kin.

A run's line is ``query Q0 id rank score tag``, a judgement's ``query iteration id gain``, parted by
spaces or tabs. As in trec_eval, scores decide the order and ranks do not; unlike there, equal scores
keep the order of the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from core.errors import DataError, InvalidValue
from eval.datasets.base import read_text
from eval.metrics import ranking
from eval.values import Qrels, Run

Value = TypeVar("Value")

# Stands for the ids of a query that nothing answers: without a line it would not be counted.
NO_ID = "-"

_WHITE = re.compile(r"[ \t\v\f\r]+")
# What would not come back: white space parts columns, a mark at the start of a file is removed, a lone
# surrogate has no bytes.
_UNFIT = re.compile(r"[ \t\n\v\f\r\ufeff\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")  # what 64 bits hold
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """The scores of a run, in the order of the file; blank lines are passed over.

    Raises:
        NotFound: no such file.
        DataError: a line has not six columns, its rank is no whole number, its score no finite number,
            or its query and id stood before.
    """
    run: dict[str, dict[str, float]] = {}
    for where, (query, _, id_, rank, score, _) in _lines(path, "query Q0 id rank score tag"):
        if not _WHOLE.fullmatch(rank):
            raise DataError(f"{where}: a rank must be a whole number, got {rank[:40]!r}")
        if not _NUMBER.fullmatch(score) or not math.isfinite(float(score)):
            raise DataError(f"{where}: a score must be a finite number, got {score[:40]!r}")
        _add(where, run.setdefault(query, {}), query, id_, float(score))
    return run


def write_run(path: Path, run: Run, *, tag: str = "sawyer") -> None:
    """Write a run, best first; `read_run` gives the same scores and the same order.

    A query without ids has no line: evaluators count it as unanswered.

    Raises:
        InvalidValue: a query, id or tag that is empty or holds white space, a score that is not finite,
            or a file that cannot be written.
    """
    lines = []
    for query, scores in run.items():
        for rank, id_ in enumerate(ranking(scores), start=1):
            if not math.isfinite(scores[id_]):
                raise InvalidValue(f"a score must be a finite number, got {scores[id_]} for {query} {id_}")
            columns = _columns(query, "Q0", id_, str(rank), repr(float(scores[id_])), tag)
            lines.append(" ".join(columns))
    _write(path, lines)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """The gains of each query's ids, in the order of the file; blank lines are passed over.

    The id ``-`` with gain 0 stands for none: its query has no ids, and counts.

    Raises:
        NotFound: no such file.
        DataError: a line has not four columns, its gain is no whole number, or its query and id stood
            before.
    """
    qrels: dict[str, dict[str, int]] = {}
    for where, (query, _, id_, gain) in _lines(path, "query iteration id gain"):
        if not _WHOLE.fullmatch(gain):
            raise DataError(f"{where}: a gain must be a whole number, got {gain[:40]!r}")
        gains = qrels.setdefault(query, {})
        if id_ != NO_ID or int(gain):
            _add(where, gains, query, id_, int(gain))
    return qrels


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write judgements; `read_qrels` gives the same.

    Raises:
        InvalidValue: a query or id that is empty or holds white space, the id ``-``, or a file that
            cannot be written.
    """
    lines = []
    for query, gains in qrels.items():
        if NO_ID in gains:
            raise InvalidValue(f"an id must not be {NO_ID!r}, which stands for no id, got it for {query}")
        for id_, gain in (gains or {NO_ID: 0}).items():
            lines.append(" ".join(_columns(query, "0", id_, str(gain))))
    _write(path, lines)


def _lines(path: Path, columns: str) -> Iterator[tuple[str, list[str]]]:
    """File and line number, and columns, of every line that is not blank."""
    expected = len(columns.split())
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        found = _WHITE.split(line.strip(" \t\v\f\r"))
        if found == [""]:
            continue
        where = f"{path}, line {number}"
        if len(found) != expected:
            raise DataError(
                f"{where}: a line must have the {expected} columns {columns}, got {len(found)} of them"
            )
        yield where, found


def _add(where: str, values: dict[str, Value], query: str, id_: str, value: Value) -> None:
    if id_ in values:
        raise DataError(f"{where}: query and id must stand once, got {query} {id_} again")
    values[id_] = value


def _columns(*columns: str) -> tuple[str, ...]:
    for column in columns:
        if not column or _UNFIT.search(column):
            raise InvalidValue(f"a TREC column must be text without white space, got {column!r}")
    return columns


def _write(path: Path, lines: Iterable[str]) -> None:
    try:
        # newline="": a line ends in LF on every system.
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise InvalidValue(f"a run must go to a writable file, got {path} ({error.strerror})") from error
