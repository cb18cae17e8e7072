"""Chroma's evaluation of chunking: corpora, and questions with the exact passages that answer them.

Layout: ``questions_df.csv`` (question, references, corpus_id; references is a JSON list of content,
start_index, end_index) and ``corpora/CORPUS_ID.md``, read without newline translation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.errors import DataError
from core.values import Span
from eval.datasets.base import Declaration, read_text
from eval.datasets.tables import read_rows

CHUNKING_EVALUATION = Declaration(
    name="chunking_evaluation",
    folder="chunking_evaluation",
    marks=("questions_df.csv",),
    home="https://github.com/brandonstarxel/chunking_evaluation",
    licence="MIT",
)

QUESTIONS = "questions_df.csv"


@dataclass(frozen=True, slots=True)
class CorpusQuestion:
    """A question, and the spans of its corpus that answer it, as the file lists them."""

    text: str
    corpus: str
    references: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Corpora:
    """Texts by name, in the order in which questions name them, and the questions in file order."""

    texts: Mapping[str, str]
    questions: tuple[CorpusQuestion, ...]


@dataclass(frozen=True, slots=True)
class PublishedChunking:
    """A row of Chroma's table; mean and standard deviation of each metric, in [0, 1]."""

    chunker: str
    size: str
    overlap: int
    embedder: str
    means: Mapping[str, float]
    deviations: Mapping[str, float]


def read_corpora(folder: Path) -> Corpora:
    """The questions of a folder and the corpora that they ask about.

    Raises:
        NotFound: no such file.
        DataError: a malformed line; a reference that is not its corpus's text at its place.
    """
    path = folder / QUESTIONS
    text_of = cache(lambda corpus: read_text(folder / "corpora" / f"{corpus}.md"))
    questions = tuple(_questions(path, text_of))
    if not questions:
        raise DataError(f"{path}, line 2: there must be at least one question, got none")
    corpora = dict.fromkeys(question.corpus for question in questions)
    return Corpora({corpus: text_of(corpus) for corpus in corpora}, questions)


def published_chunking() -> tuple[tuple[PublishedChunking, ...], str]:
    """The rows of Chroma's two tables, in their order, and where they stand."""
    text = files("eval.datasets").joinpath("chunking_published.json").read_text(encoding="utf-8")
    data = json.loads(text)
    rows = tuple(
        PublishedChunking(
            chunker=row["chunker"],
            size=row["size"],
            overlap=row["overlap"],
            embedder=table["embedder"],
            means={metric: round(row[metric][0] / 100, 4) for metric in data["metrics"]},
            deviations={metric: round(row[metric][1] / 100, 4) for metric in data["metrics"]},
        )
        for table in data["tables"]
        for row in table["rows"]
    )
    return rows, data["source"]


def _questions(path: Path, text_of: Any) -> Iterator[CorpusQuestion]:
    corpora = {file.stem for file in (path.parent / "corpora").glob("*.md")}
    for line, row in read_rows(path, ("question", "references", "corpus_id")):
        where = f"{path}, line {line}"
        corpus = row["corpus_id"]
        if corpus not in corpora:
            raise DataError(f"{where}: corpus_id must name a file of corpora/, got {corpus[:40]!r}")
        references = tuple(_references(where, row["references"], text_of(corpus)))
        if not references:
            raise DataError(f"{where}: a question must have at least one reference, got none")
        yield CorpusQuestion(row["question"], corpus, references)


def _references(where: str, field: str, text: str) -> Iterator[Span]:
    try:
        listed = [(item["content"], item["start_index"], item["end_index"]) for item in json.loads(field)]
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{where}: references must be a JSON list of content, start_index and end_index, got {error!r}"
        ) from error
    for content, start, end in listed:
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end):
            raise DataError(f"{where}: a reference must satisfy 0 <= start < end, got [{start}, {end})")
        if Span(start, end).of(text) != content:
            raise DataError(
                f"{where}: a reference must be its corpus's text [{start}, {end}), "
                f"got {str(content)[:40]!r}; read the corpus without newline translation"
            )
        yield Span(start, end)
