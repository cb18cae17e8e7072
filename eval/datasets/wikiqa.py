"""WikiQA: questions of a search engine's users, and the sentences of one Wikipedia summary each.

Layout: ``WikiQA-SPLIT.txt`` (tokenised question, sentence, label; tabs between), ``WikiQA-SPLIT.ref`` (query,
0, sentence, label; line by line the same pairs) and ``WikiQA-SPLIT-filtered.ref`` (the lines of the queries
that have both labels; train has none). ``WikiQA-SPLIT.tsv`` holds the same pairs untokenised, with a header.

Source: Yang, Yih and Meek 2015, "WikiQA: A Challenge Dataset for Open-Domain Question Answering" (EMNLP).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from core.errors import DataError, NotFound
from eval.datasets.base import Declaration
from eval.datasets.lines import read_lines
from eval.datasets.selection import JudgedSentence, SelectionQuery, grouped_by_sentences

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
# Tokenised, as the paper's models read it, or as it stands in Wikipedia, which is what a service sees.
Form = Literal["tokenised", "raw"]

WIKIQA = Declaration(
    name="WikiQA",
    folder="wikiqa",
    marks=tuple(f"WikiQA-{split}.txt" for split in SPLITS),
    home="https://www.microsoft.com/en-us/download/details.aspx?id=52419",
    licence="Microsoft Research Data License (research and technology development)",
)

_RAW_COLUMNS = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")


class _Pair(NamedTuple):
    where: str
    question: str
    sentence: str
    right: bool


class Judgement(NamedTuple):
    """One line of a reference file; ``where`` is file and line, for messages."""

    where: str
    query: str
    sentence: str
    right: bool


def present_splits(folder: Path) -> tuple[Split, ...]:
    """The splits whose files lie in the folder, train first."""
    return tuple(split for split in SPLITS if (folder / f"WikiQA-{split}.txt").exists())


def split_files(folder: Path, split: Split, form: Form = "tokenised") -> tuple[Path, ...]:
    """The files that decide a split."""
    names = [f"WikiQA-{split}.{'txt' if form == 'tokenised' else 'tsv'}", f"WikiQA-{split}.ref"]
    filtered = folder / f"WikiQA-{split}-filtered.ref"
    return (*(folder / name for name in names), *([filtered] if filtered.exists() else []))


def read_wikiqa(folder: Path, split: Split, form: Form = "tokenised") -> tuple[SelectionQuery, ...]:
    """The queries of a split in the order of the files; group: queries that share a sentence.

    Args:
        folder: the set's own folder, as `datasets.base.locate` finds it.

    Raises:
        NotFound: the split is not there.
        DataError: a malformed line, or files that do not speak of the same pairs.
    """
    texts, reference = split_files(folder, split, form)[:2]
    if not texts.exists():
        raise NotFound(f"no {texts.name} in {folder}; {WIKIQA.instructions}")
    pairs = list(_tokenised(texts) if form == "tokenised" else _raw(texts))
    judged = list(read_judgements(reference))
    if len(pairs) != len(judged):
        raise DataError(
            f"{reference}, line {min(len(pairs), len(judged)) + 1}: {reference.name} and {texts.name} must "
            f"have one line a pair, got {len(judged)} and {len(pairs)}"
        )
    queries = grouped_by_sentences(list(_queries(pairs, judged)))
    filtered = folder / f"WikiQA-{split}-filtered.ref"
    if filtered.exists():
        _check_filtered(filtered, queries)
    return queries


def read_splits(folder: Path, *splits: Split) -> tuple[SelectionQuery, ...]:
    """The queries of several splits, ids as ``SPLIT/ID``, grouped over all of them.

    Raises:
        NotFound: a split is not there.
        DataError: see `read_wikiqa`.
    """
    found = [
        replace(query, id=f"{split}/{query.id}") for split in splits for query in read_wikiqa(folder, split)
    ]
    return grouped_by_sentences(found)


def _tokenised(path: Path) -> Iterator[_Pair]:
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        fields = line.split("\t")
        if len(fields) != 3:
            raise DataError(
                f"{where}: a line must have question, sentence and label, tabs between, got {len(fields)}"
            )
        yield _pair(where, *fields)


def _raw(path: Path) -> Iterator[_Pair]:
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        fields = line.split("\t")
        if number == 1:
            if fields != list(_RAW_COLUMNS):
                raise DataError(f"{where}: a header must name {', '.join(_RAW_COLUMNS)}, got {line[:60]!r}")
            continue
        if len(fields) != len(_RAW_COLUMNS):
            raise DataError(
                f"{where}: a line must have {len(_RAW_COLUMNS)} fields, tabs between, got {len(fields)}"
            )
        yield _pair(where, fields[1], fields[5], fields[6])


def _pair(where: str, question: str, sentence: str, label: str) -> _Pair:
    if not question.strip() or not sentence.strip():
        raise DataError(f"{where}: question and sentence must not be blank, got {question!r}, {sentence!r}")
    return _Pair(where, question, sentence, _label(label, where))


def read_judgements(path: Path) -> Iterator[Judgement]:
    """The lines of a reference file.

    Raises:
        NotFound: no such file.
        DataError: a malformed line.
    """
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        columns = line.split()
        if len(columns) != 4:
            raise DataError(
                f"{where}: a line must have the 4 columns query 0 sentence label, got {len(columns)}"
            )
        yield Judgement(where, columns[0], columns[2], _label(columns[3], where))


def _label(text: str, where: str) -> bool:
    if text not in {"0", "1"}:
        raise DataError(f"{where}: a label must be 0 or 1, got {text[:40]!r}")
    return text == "1"


def _queries(pairs: list[_Pair], judged: list[Judgement]) -> Iterator[SelectionQuery]:
    done: set[str] = set()
    at = 0
    while at < len(pairs):
        query, text = judged[at].query, pairs[at].question
        if query in done:
            raise DataError(
                f"{judged[at].where}: the lines of a query must stand together, got {query} again"
            )
        done.add(query)
        sentences: dict[str, JudgedSentence] = {}
        while at < len(pairs) and judged[at].query == query:
            pair, judgement = pairs[at], judged[at]
            if pair.right != judgement.right:
                raise DataError(f"{judgement.where}: a label must be that of the text's line, got another")
            if pair.question != text:
                raise DataError(f"{pair.where}: a query must have one question, got {pair.question[:40]!r}")
            if judgement.sentence in sentences:
                raise DataError(
                    f"{judgement.where}: query and sentence must stand once, "
                    f"got {query} {judgement.sentence} again"
                )
            sentences[judgement.sentence] = JudgedSentence(judgement.sentence, pair.sentence, pair.right)
            at += 1
        yield SelectionQuery(query, text, tuple(sentences.values()), group=query)


def _check_filtered(path: Path, queries: tuple[SelectionQuery, ...]) -> None:
    """Hold the filtered file to what it is: the lines of the queries with both labels, no others."""
    expected = [(query.id, one.id, one.right) for query in queries if query.mixed for one in query.sentences]
    found = list(read_judgements(path))
    for place, (judgement, wanted) in enumerate(zip(found, expected, strict=False)):
        if judgement[1:] != wanted:
            raise DataError(
                f"{path}, line {place + 1}: a line must be that of the next query with both labels, "
                f"{wanted[0]} {wanted[1]} {int(wanted[2])}, got {judgement.query} {judgement.sentence} "
                f"{int(judgement.right)}"
            )
    if len(found) != len(expected):
        raise DataError(
            f"{path}, line {min(len(found), len(expected)) + 1}: the file must have a line for each sentence "
            f"of the queries with both labels, {len(expected)}, got {len(found)}"
        )
