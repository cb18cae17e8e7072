"""Text to spans. A chunker says where to cut; only `chunkers.base.chunk_document` makes chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chunkers.base import Chunker
from chunkers.fixed import Fixed
from chunkers.limits import Limits
from chunkers.recipe import Models, Recipe
from chunkers.sizes import Characters, Size, Tokens, Words
from chunkers.structural import Structural
from core.errors import InvalidValue

UNITS: Mapping[str, Size] = {"chars": Characters(), "words": Words(), "tokens": Tokens()}

# What about 310 tokens of English prose measure: a passage of a few paragraphs.
DEFAULT_SIZES: Mapping[Size, int] = {Characters(): 1_300, Words(): 230, Tokens(): 310}


def _fixed(recipe: Recipe) -> Chunker:
    """Every n units; the size is `DEFAULT_SIZES` when none is said."""
    return Fixed(_sized(recipe), recipe.measure, recipe.overlap)


def _paragraph(recipe: Recipe) -> Chunker:
    """Every paragraph; with a size, as many whole ones as fit. Line ends inside paragraphs mean nothing."""
    return Structural(("paragraph", "sentence", "word"), recipe.size, recipe.measure, recipe.overlap)


def _sentence(recipe: Recipe) -> Chunker:
    """Every sentence; with a size, as many whole ones as fit, across paragraphs."""
    return Structural(("sentence", "word"), recipe.size, recipe.measure, recipe.overlap)


def _recursive(recipe: Recipe) -> Chunker:
    """Paragraphs, else lines, sentences, words, packed; the size is `DEFAULT_SIZES` when none is said."""
    levels = ("paragraph", "line", "sentence", "word")
    return Structural(levels, _sized(recipe), recipe.measure, recipe.overlap)


def _sized(recipe: Recipe) -> int:
    return DEFAULT_SIZES[recipe.measure] if recipe.size is None else recipe.size


CHUNKERS: Mapping[str, Callable[[Recipe], Chunker]] = {
    "fixed": _fixed,
    "paragraph": _paragraph,
    "sentence": _sentence,
    "recursive": _recursive,
}
# Cut by size and by the text's own structure: they have no limits beside their size and ask no model.
STRUCTURAL = frozenset(("fixed", "paragraph", "sentence", "recursive"))


def build(
    name: str,
    *,
    size: int | None = None,
    unit: str | None = None,
    overlap: int = 0,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    models: Models = Models(),  # noqa: B008 - a frozen value
) -> Chunker:
    """The chunker of that name.

    Args:
        name: a key of `CHUNKERS`.
        size: largest chunk in ``unit``; None takes the chunker's own default.
        unit: ``chars``, ``words`` or ``tokens``; None takes the chunker's own.
        overlap: what neighbouring chunks share at most, in ``unit``.
        limits: sizes that a content-driven chunker keeps to, in ``unit``.
        models: what a content-driven chunker may ask.

    Raises:
        InvalidValue: an unknown name or unit; unless ``size >= 1`` and ``0 <= overlap < size``; an
            overlap for a chunker that has no size; limits for a chunker that follows a size alone.
    """
    if name not in CHUNKERS:
        raise InvalidValue(f"chunker must be one of {', '.join(CHUNKERS)}, got {name!r}")
    if unit is not None and unit not in UNITS:
        raise InvalidValue(f"unit must be one of {', '.join(UNITS)}, got {unit!r}")
    if name in STRUCTURAL and limits != Limits():
        raise InvalidValue(
            f"limits are for chunkers that follow the content ({', '.join(CHUNKERS.keys() - STRUCTURAL)}), "
            f"got {limits} for {name}; give it a size instead"
        )
    return CHUNKERS[name](Recipe(size, None if unit is None else UNITS[unit], overlap, limits, models))
