"""SelQA: questions that people wrote on sections of Wikipedia articles, half of them as paraphrases.

Layout: ``ass/selqa-ass-SPLIT.json``, a list of objects with article, section, question, candidates (the
section's sentences) and answers (places of those that answer). 42 candidates of the development split are
empty, and are left out, as in the authors' own tokenised files.

Source: Jurczyk, Zhai and Choi 2016, "SelQA: A New Benchmark for Selection-based Question Answering".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from core.errors import DataError, NotFound
from eval.datasets.base import Declaration, read_text
from eval.datasets.selection import JudgedSentence, SelectionQuery

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")

SELQA = Declaration(
    name="SelQA",
    folder="selqa",
    marks=tuple(f"ass/selqa-ass-{split}.json" for split in SPLITS),
    home="https://github.com/emorynlp/selqa",
    licence="Apache-2.0",
)

_FIELDS: dict[str, type] = {"article": str, "question": str, "candidates": list, "answers": list}


def split_file(folder: Path, split: Split) -> Path:
    """The file that decides a split."""
    return folder / "ass" / f"selqa-ass-{split}.json"


def read_selqa(folder: Path, split: Split) -> tuple[SelectionQuery, ...]:
    """The queries of a split in the order of the file; ids are places, a group is an article.

    Args:
        folder: the set's own folder, as `datasets.base.locate` finds it.

    Raises:
        NotFound: the split is not there.
        DataError: the file is no list of objects with these fields, or an answer is no candidate's place.
    """
    path = split_file(folder, split)
    if not path.exists():
        raise NotFound(f"no {path.name} in {path.parent}; {SELQA.instructions}")
    try:
        rows = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # the latter for brackets without end
        raise DataError(f"{path}: the file must be one JSON list, got {error}") from error
    if not isinstance(rows, list):
        raise DataError(f"{path}: the file must be one JSON list, got {type(rows).__name__}")
    return tuple(_query(row, place, f"{path}, entry {place + 1}") for place, row in enumerate(rows))


def _query(row: Any, place: int, where: str) -> SelectionQuery:
    if not isinstance(row, dict):
        raise DataError(f"{where}: an entry must be an object, got {type(row).__name__}")
    for name, kind in _FIELDS.items():
        if not isinstance(row.get(name), kind):
            raise DataError(f"{where}: {name!r} must be {kind.__name__}, got {row.get(name)!r:.40}")
    candidates, answers = row["candidates"], row["answers"]
    if not row["question"].strip():
        raise DataError(f"{where}: a question must not be blank, got {row['question']!r}")
    if not all(isinstance(text, str) for text in candidates):
        raise DataError(f"{where}: 'candidates' must be strings, got another kind")
    for answer in answers:
        # bool is an int to Python and not to a data set
        if type(answer) is not int or not 0 <= answer < len(candidates) or not candidates[answer].strip():
            raise DataError(
                f"{where}: 'answers' must be places of candidates that are not empty, in "
                f"[0, {len(candidates)}), got {answer!r}"
            )
    right = set(answers)
    sentences = tuple(
        JudgedSentence(str(at), text.strip(), at in right, *_around(candidates, at))
        for at, text in enumerate(candidates)
        if text.strip()
    )
    return SelectionQuery(str(place), row["question"].strip(), sentences, group=row["article"])


def _around(candidates: list[str], at: int) -> tuple[str, str]:
    """The sentences before and after one: a section's candidates are its sentences."""
    before = candidates[at - 1] if at else ""
    after = candidates[at + 1] if at + 1 < len(candidates) else ""
    return before.strip(), after.strip()
