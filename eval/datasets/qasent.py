"""QASent, also TREC-QA: questions of TREC's QA tracks and sentences of the newswire that was to answer them.

Layout: ``xml/SPLIT.xml``, lines between tags that stand alone on their lines: ``<QApairs id='7'>`` with one
``<question>`` and any number of ``<positive>`` and ``<negative>``. The first line of each is its tokens, tabs
between; the lines after it (parts of speech, parse, entities) are not read. For evaluation only: no licence
is stated, and newswire is its publishers'.

The files put a question's right sentences before its wrong ones, so that whoever keeps their order among
equal scores is told the answer: word counts alone would have MRR .94 on dev, .82 in random order. Sentences
are therefore put into the order of their digests, which no label decides.

Source: Wang, Smith and Mitamura 2007, "What is the Jeopardy Model?", as Yao et al. 2013 laid it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from core.errors import DataError, NotFound
from core.identity import digest
from eval.datasets.base import Declaration
from eval.datasets.lines import read_lines
from eval.datasets.selection import JudgedSentence, SelectionQuery

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")

QASENT = Declaration(
    name="QASent",
    folder="qasent",
    marks=tuple(f"xml/{split.upper()}.xml" for split in SPLITS),
    home="https://github.com/castorini/data/tree/master/TrecQA",
    licence="none stated",
)

_OPENING = re.compile(r"<QApairs id='([^'<>]+)'>")
_KINDS = ("question", "positive", "negative")


def split_file(folder: Path, split: Split) -> Path:
    """The file that decides a split."""
    return folder / "xml" / f"{split.upper()}.xml"


def read_qasent(folder: Path, split: Split) -> tuple[SelectionQuery, ...]:
    """The queries of a split in the order of the file; a query without sentences is left out.

    A sentence's id is its place in the file, ``"0"`` on; a group is a query.

    Args:
        folder: the set's own folder, as `datasets.base.locate` finds it.

    Raises:
        NotFound: the split is not there.
        DataError: a malformed line.
    """
    path = split_file(folder, split)
    if not path.exists():
        raise NotFound(f"no {path.name} in {path.parent}; {QASENT.instructions}")
    queries = tuple(query for query in _queries(path) if query.sentences)
    ids = [query.id for query in queries]
    if len(set(ids)) < len(ids):
        twice = next(id_ for id_ in ids if ids.count(id_) > 1)
        raise DataError(f"{path}: an id must stand once, got QApairs {twice} again")
    return queries


def _queries(path: Path) -> Iterator[SelectionQuery]:
    id_: str | None = None
    question: str | None = None
    sentences: list[JudgedSentence] = []
    number = 0
    lines = read_lines(path)
    for number, line in lines:
        where, opening = f"{path}, line {number}", _OPENING.fullmatch(line)
        if opening and id_ is None:
            id_, question, sentences = opening[1], None, []
        elif line == "</QApairs>" and id_ is not None:
            if question is None:
                raise DataError(f"{where}: QApairs must hold a question, got none in {id_}")
            yield SelectionQuery(id_, question, _mixed(sentences), group=id_)
            id_ = None
        elif id_ is not None and (kind := line.removeprefix("<").removesuffix(">")) in _KINDS:
            text = _element(path, lines, kind, number)
            if kind == "question":
                if question is not None:
                    raise DataError(f"{where}: QApairs must hold one question, got a second in {id_}")
                question = text
            else:
                sentences.append(JudgedSentence(str(len(sentences)), text, kind == "positive"))
        elif line.strip():
            raise DataError(f"{where}: a line must be a tag where one may stand, got {line[:40]!r}")
    if id_ is not None:
        raise DataError(f"{path}, line {number}: the file must end with </QApairs>, got {id_} unended")


def _mixed(sentences: Sequence[JudgedSentence]) -> tuple[JudgedSentence, ...]:
    """In the order of their digests; of one text that is judged right and wrong, the wrong one first."""
    return tuple(sorted(sentences, key=lambda one: (digest(one.text), one.right)))


def _element(path: Path, lines: Iterator[tuple[int, str]], kind: str, opened: int) -> str:
    """The text of an element whose tag was just read; what follows it up to its end is passed over."""
    text: str | None = None
    for number, line in lines:
        if line == f"</{kind}>":
            if not text:
                raise DataError(f"{path}, line {number}: {kind} must have a line of tokens, got none")
            return text
        if line.startswith(("</QApairs", "<QApairs")):
            break
        if text is None:
            text = " ".join(line.split())
    raise DataError(f"{path}, line {opened}: {kind} must end with </{kind}>, got none")
