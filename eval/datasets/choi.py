"""Choi's documents for text segmentation: passages of the Brown corpus set one after another.

Layout: ``**/RANGE/N.ref``, RANGE being the numbers of sentences a segment may have (``3-11``). A line of ten
or more ``=`` stands before, between and after segments; every other line is one tokenised sentence. In 21 of
the published documents a line is blank or a segment empty: a blank line is no sentence, and what holds no
sentence is no segment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import DataError, NotFound
from eval.datasets.base import Declaration, read_text

CHOI = Declaration(
    name="Choi's segmentation documents",
    folder="choi",
    marks=("choi",),
    home="https://github.com/koomri/text-segmentation",
    licence="none stated",
)

_BORDER = re.compile(r"={10,}")
_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class ChoiDocument:
    """Sentences in segments.

    Attributes:
        name: its path below the folder, without the ending: ``choi/1/3-11/0``.
        group: the folder that it lies in: ``3-11``.
    """

    name: str
    group: str
    segments: tuple[tuple[str, ...], ...]


def read_choi(folder: Path) -> tuple[ChoiDocument, ...]:
    """Every document below a folder, in the order of their names, numbers as numbers.

    Raises:
        NotFound: there is none.
        DataError: a malformed line.
    """
    paths = sorted(folder.rglob("*.ref"), key=lambda path: _order(path.relative_to(folder)))
    if not paths:
        raise NotFound(f"no documents in {folder}; {CHOI.instructions}")
    return tuple(
        ChoiDocument(
            path.relative_to(folder).with_suffix("").as_posix(), path.parent.name, read_segments(path)
        )
        for path in paths
    )


def read_segments(path: Path) -> tuple[tuple[str, ...], ...]:
    """The sentences of a document by segment, white space at their ends removed.

    Raises:
        NotFound: no such file.
        DataError: a sentence before the first border or after the last one, or none at all.
    """
    segments: list[list[str]] = []
    inside = False
    lines = read_text(path).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        sentence = line.strip()
        if _BORDER.fullmatch(sentence):
            segments.append([])
            inside = False
        elif sentence and not segments:
            raise DataError(
                f"{path}, line {number}: a document must start with a line of =, got {line[:40]!r}"
            )
        elif sentence:
            segments[-1].append(sentence)
            inside = True
    if inside:
        raise DataError(
            f"{path}, line {len(lines)}: a document must end with a line of =, got {lines[-1][:40]!r}"
        )
    found = tuple(tuple(segment) for segment in segments if segment)
    if not found:
        raise DataError(f"{path}, line 1: a document must hold at least one sentence, got none")
    return found


def _order(path: Path) -> list[tuple[int, str]]:
    parts = _NUMBER.split(path.as_posix())
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]
