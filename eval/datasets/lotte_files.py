"""The files of one topic in LoTTE's layout, read line by line; what is malformed is named."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import DataError
from eval.datasets.base import read_jsonl
from eval.datasets.lines import MOST_DIGITS, read_lines, whole_number


@dataclass(frozen=True, slots=True)
class Passage:
    """What is retrieved; ``text`` may be empty."""

    pid: int
    text: str


@dataclass(frozen=True, slots=True)
class LotteQuery:
    """What is searched for."""

    qid: int
    text: str


@dataclass(frozen=True, slots=True)
class Answers:
    """The passages that answer a query, any of which is a success; none when nothing does."""

    qid: int
    pids: frozenset[int]


@dataclass(frozen=True, slots=True)
class Thread:
    """The forum's question that passages were answers to."""

    forum: str
    posts: int


def read_passages(path: Path) -> Iterator[Passage]:
    """The passages of a ``collection.tsv``, as a stream; eight bytes a passage are kept.

    A passage is all that follows the first tab: it may be empty, or hold tabs.

    Raises:
        NotFound: no such file.
        DataError: a line without a tab or without a number before it; at the file's end, a pid that
            stands on two lines.
    """
    pids = array("q")
    for number, line in read_lines(path):
        pid, text = _pair(line, "pid", "passage", f"{path}, line {number}")
        pids.append(pid)
        yield Passage(pid, text)
    _check_unique(np.array(pids, np.int64), path)


def read_queries(path: Path) -> tuple[LotteQuery, ...]:
    """The queries of a ``questions.TYPE.tsv``.

    Raises:
        NotFound: no such file.
        DataError: a malformed line, a blank query, or a qid that stands on two lines.
    """
    queries: dict[int, LotteQuery] = {}
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        qid, text = _pair(line, "qid", "query", where)
        if not text.strip():
            raise DataError(f"{where}: a query must not be blank, got {text!r}")
        if qid in queries:
            raise DataError(f"{where}: a qid must be unique in its file, got {qid} again")
        queries[qid] = LotteQuery(qid, text)
    return tuple(queries.values())


def read_answers(path: Path) -> tuple[Answers, ...]:
    """The judgements of a ``qas.TYPE.jsonl``, a value a line.

    Raises:
        NotFound: no such file.
        DataError: a malformed line, or no line at all.
    """
    answers: list[Answers] = []
    for number, row in read_jsonl(path, {"qid": int, "query": str, "answer_pids": list}):
        pids = row["answer_pids"]
        wrong = next((pid for pid in pids if not _is_pid(pid)), None)
        if wrong is not None:
            raise DataError(
                f"{path}, line {number}: 'answer_pids' must hold whole numbers of at most {MOST_DIGITS} "
                f"digits, got {str(wrong)[:40]}"
            )
        answers.append(Answers(row["qid"], frozenset(pids)))
    if not answers:
        raise DataError(f"{path}, line 1: a file of judgements must hold at least one query, got none")
    return tuple(answers)


def read_threads(path: Path) -> Iterator[Thread]:
    """The threads of a ``metadata.jsonl``, as a stream: the pooled file is larger than memory should hold.

    Raises:
        NotFound: no such file.
        DataError: a malformed line.
    """
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(f"{where}: a line must be one JSON object, got {error}") from error
        if not isinstance(row, dict):
            raise DataError(f"{where}: a line must be one JSON object, got {line[:40]!r}")
        if not isinstance(row.get("dataset"), str) or not isinstance(row.get("post_ids"), list):
            raise DataError(f"{where}: a thread must have 'dataset', a string, and 'post_ids', a list")
        yield Thread(row["dataset"], len(row["post_ids"]))


def _pair(line: str, number: str, text: str, where: str) -> tuple[int, str]:
    before, tab, after = line.partition("\t")
    if not tab:
        raise DataError(f"{where}: a line must be {number}, tab, {text}, got {line[:40]!r}")
    return whole_number(before, number, where), after


def _is_pid(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**MOST_DIGITS


def _check_unique(pids: NDArray[np.int64], path: Path) -> None:
    order = np.argsort(pids, kind="stable")
    again = order[1:][pids[order][1:] == pids[order][:-1]]
    if len(again):
        line = int(again.min())
        raise DataError(f"{path}, line {line + 1}: a pid must be unique in its file, got {pids[line]} again")
