"""Questions in GutenQA's form with exact spans: ``{"question", "answer", "start", "end", "evidence"}``."""

from __future__ import annotations

from pathlib import Path

from core.errors import DataError
from core.values import Span
from eval.datasets.base import read_jsonl
from eval.values import Query

FIELDS = {"question": str, "answer": str, "start": int, "end": int, "evidence": str}


def read_span_queries(path: Path, text: str | None) -> tuple[Query, ...]:
    """Questions whose gold is the evidence, with its span.

    Args:
        text: the book that the spans refer to, to hold them to it; None leaves them unchecked.

    Raises:
        NotFound: no such file.
        DataError: a malformed line, ``evidence`` is not ``text[start:end]``, or no line at all.
    """
    queries: list[Query] = []
    for number, row in read_jsonl(path, FIELDS):
        where = f"{path}, line {number}"
        start, end = row["start"], row["end"]
        if not 0 <= start < end:
            raise DataError(f"{where}: a span must satisfy 0 <= start < end, got [{start}, {end})")
        span = Span(start, end)
        if text is not None and span.of(text) != row["evidence"]:
            raise DataError(
                f"{where}: evidence must be the book's text [{start}, {end}), got {row['evidence'][:40]!r}; "
                "read the book without newline translation"
            )
        id_ = f"{path.stem}/{len(queries)}"
        queries.append(Query(id_, row["question"], row["answer"], row["evidence"], span))
    if not queries:
        raise DataError(f"{path}, line 1: a question file must hold at least one question, got none")
    return tuple(queries)
