"""UIUC's labelled questions: the taxonomy of 6 coarse and 50 fine classes of what a question asks for.

Layout: ``train.txt`` and ``test.txt``, Latin-1; a line is ``COARSE:fine question``, tokenised.

Source: Li and Roth 2002, "Learning question classifiers" (COLING).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from answering.question_class import CLASSES
from core.errors import DataError, NotFound
from eval.datasets.base import Declaration

Split = Literal["train", "test"]

TREC_QC = Declaration(
    name="the UIUC question classes",
    folder="trec_qc",
    marks=("train.txt", "test.txt"),
    home="https://cogcomp.seas.upenn.edu/Data/QA/QC/",
    licence="none stated",
)


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and its class, one of `answering.question_class.CLASSES`: ``NUM:date``."""

    text: str
    label: str


def read_trec_qc(folder: Path, split: Split = "train") -> tuple[LabelledQuestion, ...]:
    """The questions of a split in the order of the file.

    Args:
        folder: the set's own folder, as `datasets.base.locate` finds it.

    Raises:
        NotFound: the split is not there.
        DataError: a malformed line, or a class that the taxonomy does not have.
    """
    path = folder / f"{split}.txt"
    try:
        text = path.read_bytes().decode("latin-1")
    except OSError as error:
        raise NotFound(f"no {path.name} in {folder} ({error.strerror}); {TREC_QC.instructions}") from error
    found = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        label, space, question = line.removesuffix("\r").partition(" ")
        where = f"{path}, line {number}"
        if not space or not question.strip():
            raise DataError(f"{where}: a line must be a class, a space and a question, got {line[:40]!r}")
        if label not in CLASSES:
            raise DataError(
                f"{where}: a class must be one of the {len(CLASSES)} of the taxonomy, got {label!r}"
            )
        found.append(LabelledQuestion(question.strip(), label))
    return tuple(found)
