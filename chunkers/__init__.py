"""Text to spans. A chunker says where to cut; only `chunkers.base.chunk_document` makes chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chunkers.base import Chunker
from chunkers.fixed import Fixed
from chunkers.sizes import Characters, Size, Tokens, Words
from chunkers.structural import Structural
from core.errors import InvalidValue

UNITS: Mapping[str, Size] = {"chars": Characters(), "words": Words(), "tokens": Tokens()}

# What about 310 tokens of English prose measure: a passage of a few paragraphs.
DEFAULT_SIZES: Mapping[Size, int] = {Characters(): 1_300, Words(): 230, Tokens(): 310}


def _fixed(size: int | None, unit: Size, overlap: int) -> Chunker:
    """Every n units; ``size`` is `DEFAULT_SIZES` when None."""
    return Fixed(DEFAULT_SIZES[unit] if size is None else size, unit, overlap)


def _paragraph(size: int | None, unit: Size, overlap: int) -> Chunker:
    """Every paragraph; with a size, as many whole ones as fit. Line ends inside paragraphs mean nothing."""
    return Structural(("paragraph", "sentence", "word"), size, unit, overlap)


def _sentence(size: int | None, unit: Size, overlap: int) -> Chunker:
    """Every sentence; with a size, as many whole ones as fit, across paragraphs."""
    return Structural(("sentence", "word"), size, unit, overlap)


def _recursive(size: int | None, unit: Size, overlap: int) -> Chunker:
    """Paragraphs, else lines, sentences, words, packed; ``size`` is `DEFAULT_SIZES` when None."""
    size = DEFAULT_SIZES[unit] if size is None else size
    return Structural(("paragraph", "line", "sentence", "word"), size, unit, overlap)


CHUNKERS: Mapping[str, Callable[[int | None, Size, int], Chunker]] = {
    "fixed": _fixed,
    "paragraph": _paragraph,
    "sentence": _sentence,
    "recursive": _recursive,
}


def build(name: str, *, size: int | None = None, unit: str = "chars", overlap: int = 0) -> Chunker:
    """The chunker of that name.

    Args:
        name: a key of `CHUNKERS`.
        size: largest chunk in ``unit``; None takes the chunker's own default.
        unit: ``chars``, ``words`` or ``tokens``.
        overlap: what neighbouring chunks share at most, in ``unit``.

    Raises:
        InvalidValue: an unknown name or unit; unless ``size >= 1`` and ``0 <= overlap < size``; an
            overlap for a chunker that has no size.
    """
    if name not in CHUNKERS:
        raise InvalidValue(f"chunker must be one of {', '.join(CHUNKERS)}, got {name!r}")
    if unit not in UNITS:
        raise InvalidValue(f"unit must be one of {', '.join(UNITS)}, got {unit!r}")
    return CHUNKERS[name](size, UNITS[unit], overlap)
