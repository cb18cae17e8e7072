"""Rankings in LoTTE's official form: ``TOPIC.TYPE.ranking.tsv``, lines of qid, pid, rank, score.

What counts is the order of the lines: ranks run 1, 2, 3, ... within each qid, the qids come in any order,
mixed if they like. Scores are written and never read; they may be absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.errors import DataError, InvalidValue
from eval.datasets.lines import read_lines, whole_number
from eval.datasets.lotte import QueryType


def ranking_file(folder: Path, topic: str, query_type: QueryType) -> Path:
    """The file of the official name in the folder of a split."""
    return folder / f"{topic}.{query_type}.ranking.tsv"


def write_ranking(path: Path, rankings: Iterable[tuple[int, Sequence[tuple[int, float]]]]) -> None:
    """Write each qid's (pid, score), best first; folders are made where they are missing.

    Raises:
        InvalidValue: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as stream:
            for qid, ranking in rankings:
                for rank, (pid, score) in enumerate(ranking, start=1):
                    stream.write(f"{qid}\t{pid}\t{rank}\t{score:.6f}\n")
    except OSError as error:
        raise InvalidValue(
            f"--rankings must name a writable folder, got {path} ({error.strerror})"
        ) from error


def read_ranking(path: Path, k: int) -> dict[int, list[int]]:
    """The first ``k`` pids of every qid in a ranking.

    Raises:
        DataError: a line has fewer than three fields between tabs, or one of qid, pid and rank is no whole
            number, or the rank is not the qid's next.
    """
    first: dict[int, list[int]] = {}
    seen: dict[int, int] = {}
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        fields = line.strip().split("\t")
        if len(fields) < 3:
            raise DataError(
                f"{where}: a line must be qid, pid, rank and score between tabs, got {line[:40]!r}"
            )
        qid, pid, rank = (
            whole_number(field, name, where)
            for field, name in zip(fields, ("qid", "pid", "rank"), strict=False)
        )
        seen[qid] = due = seen.get(qid, 0) + 1
        if rank != due:
            raise DataError(
                f"{where}: ranks must run 1, 2, 3, ... in a qid, got {rank} for qid {qid} where {due} is due"
            )
        pids = first.setdefault(qid, [])
        if len(pids) < k:
            pids.append(pid)
    return first
