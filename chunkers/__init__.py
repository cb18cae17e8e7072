"""Text to spans. A chunker says where to cut; only `chunkers.base.chunk_document` makes chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chunkers.base import Chunker
from chunkers.chat_rewriter import ChatRewriter
from chunkers.fixed import Fixed
from chunkers.limits import Limits
from chunkers.lumber_recipe import lumber
from chunkers.packing import check_sizes
from chunkers.proposition import PropositionChunker
from chunkers.recipe import Models, Recipe
from chunkers.semantic import Semantic
from chunkers.semantic_rules import MaxMin, Percentile, SemanticRule
from chunkers.sizes import Characters, Size, Tokens, Words
from chunkers.structural import Structural
from core.errors import InvalidValue, MissingModel

UNITS: Mapping[str, Size] = {"chars": Characters(), "words": Words(), "tokens": Tokens()}

# What about 310 tokens of English prose measure: a passage of a few paragraphs.
DEFAULT_SIZES: Mapping[Size, int] = {Characters(): 1_300, Words(): 230, Tokens(): 310}

# A chunk of one short sentence says nothing, one of many scenes says too much.
SEMANTIC_LIMITS: Mapping[Size, Limits] = {
    Characters(): Limits(270, 2_100, 3_200),
    Words(): Limits(48, 380, 570),
    Tokens(): Limits(64, 512, 768),
}


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


def _semantic(recipe: Recipe) -> Chunker:
    """Where neighbouring sentences are further apart than most in the text; a size bounds the chunks."""
    return _parting(recipe, Percentile())


def _semantic_maxmin(recipe: Recipe) -> Chunker:
    """Where a sentence is less like any in the chunk than its most unlike two; a size bounds the chunks."""
    return _parting(recipe, MaxMin())


def _parting(recipe: Recipe, rule: SemanticRule) -> Chunker:
    if recipe.models.embedder is None:
        raise MissingModel(
            "a semantic chunker needs an embedder, got none; give it one: models=Models(embedder=...)"
        )
    if recipe.overlap:
        raise InvalidValue(
            f"overlap must be 0 for a semantic chunker, whose chunks part where the content does, got "
            f"{recipe.overlap}; leave it out"
        )
    unit = Tokens() if recipe.unit is None else recipe.unit
    return Semantic(recipe.models.embedder, rule, limits=_limits(recipe, unit), unit=unit)


def _limits(recipe: Recipe, unit: Size) -> Limits:
    """Those asked for; a size alone bounds the chunks; else `SEMANTIC_LIMITS`, in the unit."""
    if recipe.size is None:
        return SEMANTIC_LIMITS[unit] if recipe.limits == Limits() else recipe.limits
    check_sizes(recipe.size, unit, 0)
    if recipe.limits.soft is not None or recipe.limits.hard is not None:
        raise InvalidValue(
            f"a semantic chunker's size is its hard limit, got size {recipe.size} and limits "
            f"{recipe.limits}; give one of the two"
        )
    return Limits(recipe.limits.least, hard=recipe.size)


def _proposition(recipe: Recipe) -> Chunker:
    """The chunks of ``recursive``, each also found by the propositions that a chat model states of it."""
    models = recipe.models
    if models.chat is None:
        raise MissingModel(
            "proposition needs a chat model, got none; set SAWYER_CHAT_MODEL, or cut otherwise"
        )
    if recipe.limits != Limits():
        raise InvalidValue(
            f"proposition cuts as recursive does, by size alone, got limits {recipe.limits}; give it a size"
        )
    return PropositionChunker(
        _recursive(recipe),
        ChatRewriter(models.chat),
        models.on_failure,
        workers=models.workers,
        max_calls=models.max_calls,
    )


def _sized(recipe: Recipe) -> int:
    return DEFAULT_SIZES[recipe.measure] if recipe.size is None else recipe.size


CHUNKERS: Mapping[str, Callable[[Recipe], Chunker]] = {
    "fixed": _fixed,
    "paragraph": _paragraph,
    "sentence": _sentence,
    "recursive": _recursive,
    "semantic": _semantic,
    "semantic-maxmin": _semantic_maxmin,
    "lumber": lumber,
    "proposition": _proposition,
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
