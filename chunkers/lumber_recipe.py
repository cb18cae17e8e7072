"""Makes `Lumber` from what was asked for, and decides who picks."""

from __future__ import annotations

from collections.abc import Mapping

from chunkers.lumber import THETA, Lumber
from chunkers.model_picker import ModelPicker
from chunkers.pickers import ChatPicker
from chunkers.recipe import Models, Recipe
from chunkers.sizes import Characters, Size, Tokens, Words
from core.errors import InvalidValue, MissingModel

# What 550 tokens of English prose measure.
WINDOWS: Mapping[Size, int] = {Tokens(): THETA, Words(): 410, Characters(): 2_300}

_NO_CHAT = (
    "no chat model is set: the local picker finds the boundaries, and no text leaves this machine for them; "
    "set SAWYER_CHAT_MODEL to ask one"
)


def lumber(recipe: Recipe) -> Lumber:
    """The chat model picks where one is set and ``picker`` does not say ``local``, else the local picker.

    Raises:
        InvalidValue: an overlap.
        MissingModel: no chat model for ``chat``; no embedder for the local picker.
    """
    models = recipe.models
    unit = Tokens() if recipe.unit is None else recipe.unit
    size = WINDOWS[unit] if recipe.size is None else recipe.size
    if recipe.overlap:
        raise InvalidValue(
            f"overlap must be 0 for lumber, whose chunks part where the content does, got {recipe.overlap}; "
            "leave it out"
        )
    if models.picker == "local" or (models.picker == "auto" and models.chat is None):
        picker = _local(models, size / WINDOWS[unit])
        foreword = ((_NO_CHAT,) if models.picker == "auto" else ()) + picker.notices
        return Lumber(picker, size, unit, recipe.limits, foreword=foreword)
    if models.chat is None:
        raise MissingModel(
            "picker chat needs a chat model, got none; set SAWYER_CHAT_MODEL, or say --picker local"
        )
    return Lumber(
        ChatPicker(models.chat),
        size,
        unit,
        recipe.limits,
        on_failure=models.on_failure,
        fallback=_local(models, size / WINDOWS[unit]) if models.on_failure == "local" else None,
        workers=models.workers,
        max_calls=models.max_calls,
        memory=models.memory,
    )


def _local(models: Models, scale: float) -> ModelPicker:
    """Smaller windows make smaller chunks, as they do under a chat model."""
    if models.embedder is None:
        raise MissingModel(
            "lumber's local picker needs an embedder, got none; give it one: models=Models(embedder=...)"
        )
    return ModelPicker(models.embedder, scale)
