"""WikiQA's official evaluator: judgements and a file of scores, line by line, to the paper's figures.

Source: ``eval.py`` of the corpus (answer triggering), and the paper's section 4.3 for MAP and MRR. The script
reads both files by line number, begins each question at a best score of 0, and reads the file's last line for
a question in which no score is above it; where that gives a figure of something else, this evaluator refuses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from core.errors import DataError, InvalidValue
from eval.datasets.lines import read_lines
from eval.datasets.wikiqa import Judgement, read_judgements
from eval.selection_scoring import Triggering, tops
from eval.values import Qrels, Run

# The script's own, which gives the paper's figures for its best model.
THRESHOLD = 0.11
_COLUMNS = "query Q0 sentence rank score tag"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class _Scored(NamedTuple):
    where: str
    query: str
    sentence: str
    score: float


def read_pair(reference: Path, ranks: Path) -> tuple[Qrels, Run]:
    """Judgements and scores that speak of the same sentences in the same order.

    Raises:
        NotFound: a file is not there.
        DataError: a malformed line; files of other ids or lengths; a question whose lines stand apart, or
            without a score above 0; no right sentence at all.
    """
    judged, scored = list(read_judgements(reference)), list(_scores(ranks))
    _check_same(reference, ranks, judged, scored)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    last = ""
    for judgement, score in zip(judged, scored, strict=True):
        if judgement.query != last and judgement.query in qrels:
            raise DataError(
                f"{judgement.where}: the lines of a query must stand together, got {judgement.query} again"
            )
        last = judgement.query
        gains = qrels.setdefault(judgement.query, {})
        if judgement.sentence in gains:
            raise DataError(
                f"{judgement.where}: query and sentence must stand once, "
                f"got {judgement.query} {judgement.sentence} again"
            )
        gains[judgement.sentence] = int(judgement.right)
        run.setdefault(judgement.query, {})[judgement.sentence] = score.score
    _check_scores(ranks, scored, run)
    if not any(judgement.right for judgement in judged):
        raise DataError(
            f"{reference}: some sentence must be labelled 1, got none, so that recall has no meaning"
        )
    return qrels, run


def score(qrels: Qrels, run: Run, threshold: float = THRESHOLD) -> Triggering:
    """Triggering as the script computes it.

    Raises:
        InvalidValue: unless ``0 < threshold <= 1``, or when it answers no question.
    """
    # The script compares its own 0 and 1 with the threshold: outside, all questions are answered, or none.
    if not 0 < threshold <= 1:
        raise InvalidValue(f"a threshold must be in (0, 1], got {threshold}")
    found = tops(qrels, run)
    figures = Triggering.of(found, threshold)
    if not figures.answered:
        best = max(one.score for one in found if one.score is not None)
        raise InvalidValue(
            f"some question must be answered, got none at threshold {threshold}; the best score is {best}"
        )
    return figures


def _scores(path: Path) -> Iterator[_Scored]:
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        columns = line.split()
        if len(columns) != len(_COLUMNS.split()):
            raise DataError(f"{where}: a line must have the 6 columns {_COLUMNS}, got {len(columns)} of them")
        if not _NUMBER.fullmatch(columns[4]) or not math.isfinite(float(columns[4])):
            raise DataError(f"{where}: a score must be a finite number, got {columns[4][:40]!r}")
        yield _Scored(where, columns[0], columns[2], float(columns[4]))


def _check_same(reference: Path, ranks: Path, judged: list[Judgement], scored: list[_Scored]) -> None:
    for judgement, one in zip(judged, scored, strict=False):
        if (judgement.query, judgement.sentence) != (one.query, one.sentence):
            raise DataError(
                f"{one.where}: query and sentence must be those of the same line of {reference.name}, "
                f"{judgement.query} {judgement.sentence}, got {one.query} {one.sentence}"
            )
    if len(judged) != len(scored) or not judged:
        raise DataError(
            f"{ranks}, line {min(len(judged), len(scored)) + 1}: the file must have a line for each of "
            f"{reference.name}, {len(judged)}, got {len(scored)}"
        )


def _check_scores(ranks: Path, scored: list[_Scored], run: Run) -> None:
    for query, values in run.items():
        best = max(values.values())
        if best <= 0:
            where = next(one.where for one in scored if one.query == query)
            raise DataError(
                f"{where}: a query must have a score above 0, got {best} at best for {query}; the official "
                f"script would read the last line of {ranks.name} for it: give probabilities"
            )
