"""A person's own text and questions.

Questions are a CSV file with a header, or JSON lines. Each has ``question`` and either ``answer``, words that
stand in the text, or ``start`` and ``end``, code points into it; with both, the span decides. ``evidence``,
where it is given, must be the text at the span.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.errors import DataError, InvalidValue, NotFound
from core.values import Span
from eval.datasets.base import read_jsonl
from eval.datasets.tables import read_rows
from eval.evidence import verbatim_spans
from eval.placed import PlacedQuestion
from service.reading import read
from service.values import Source

FORMATS = (".csv", ".jsonl")


def read_own_text(path: Path) -> str:
    """The text of a file in any format that Sawyer ingests, as it is ingested.

    Raises:
        NotFound: no such file.
        InvalidInput: it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotFound(f"--text must name a file that can be read, got {path} ({error.strerror})") from error
    return read(Source(path.name, data)).text


def read_own_questions(path: Path, text: str) -> tuple[PlacedQuestion, ...]:
    """The questions of a file; an answer that stands in several places is answered by each.

    Raises:
        NotFound: no such file.
        InvalidValue: the file's name ends neither in .csv nor in .jsonl.
        DataError: a malformed line, an answer that stands nowhere in the text, or no question at all.
    """
    questions = tuple(
        PlacedQuestion(str(number), _question(where, row), _golds(where, row, text))
        for number, (where, row) in enumerate(_rows(path), start=1)
    )
    if not questions:
        raise DataError(f"{path}, line 1: there must be at least one question, got none")
    return questions


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    if path.suffix.lower() not in FORMATS:
        raise InvalidValue(
            f"--questions must name a file that ends in {' or '.join(FORMATS)}, got {path.name}"
        )
    if path.suffix.lower() == ".csv":
        for line, fields in read_rows(path, ("question",)):
            # A field that is empty, or that a short row lacks, says nothing.
            yield f"{path}, line {line}", {name: value for name, value in fields.items() if value}
    else:
        for line, row in read_jsonl(path, {"question": str}):
            yield f"{path}, line {line}", {name: value for name, value in row.items() if value is not None}


def _question(where: str, row: Mapping[str, object]) -> str:
    text = str(row.get("question", ""))
    if not text.strip():
        raise DataError(f"{where}: a question must not be blank, got {text!r}")
    return text


def _golds(where: str, row: Mapping[str, object], text: str) -> tuple[Span, ...]:
    if "start" in row or "end" in row:
        return (_span(where, row, text),)
    answer = row.get("answer", "")
    if not isinstance(answer, str) or not answer.strip():
        raise DataError(
            f"{where}: a question must have an answer, or start and end, got {json.dumps(answer)}"
        )
    found = tuple(verbatim_spans(text, answer))
    if not found:
        raise DataError(
            f"{where}: an answer must stand in the text word for word, got {answer[:60]!r}; "
            "quote the text, or give start and end"
        )
    return found


def _span(where: str, row: Mapping[str, object], text: str) -> Span:
    try:
        start, end = int(str(row.get("start"))), int(str(row.get("end")))
    except ValueError as error:
        raise DataError(
            f"{where}: start and end must be whole numbers, got {row.get('start')!r} and {row.get('end')!r}"
        ) from error
    if not 0 <= start < end <= len(text):
        raise DataError(f"{where}: a span must satisfy 0 <= start < end <= {len(text)}, got [{start}, {end})")
    span = Span(start, end)
    evidence = row.get("evidence", span.of(text))
    if evidence != span.of(text):
        raise DataError(
            f"{where}: evidence must be the text [{start}, {end}), got {str(evidence)[:40]!r}; "
            "count code points, with every line end as it stands in the file"
        )
    return span
