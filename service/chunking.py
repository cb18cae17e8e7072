"""The chunker that the settings describe, and the models that it may ask."""

from __future__ import annotations

import chunkers
from chunkers.base import Chunker
from chunkers.limits import Limits
from chunkers.recipe import Models
from core.protocols import Embedder
from service.chat import build_chat
from service.pick_memory import FILE, SqlitePickMemory
from service.settings import Settings


def chunking_models(settings: Settings, embedder: Embedder) -> Models:
    """What content-driven chunkers may ask; text goes to a chat model only where the settings name one.

    Its picks are remembered in the data directory, whoever owns that: the file is made for several
    processes, and only when a chat model is about to be asked.

    Args:
        settings: which chat model, and how it is asked.
        embedder: asked for the vectors that local rules read.
    """
    chat = build_chat(settings)
    return Models(
        embedder=embedder,
        chat=chat,
        picker=settings.picker,
        on_failure=settings.on_failure,
        workers=settings.chat_workers,
        max_calls=settings.max_calls,
        memory=None if chat is None else SqlitePickMemory(settings.data_dir / FILE),
    )


def build_chunker(settings: Settings, models: Models) -> Chunker:
    """The chunker of the settings.

    Raises:
        InvalidValue: settings that do not fit the chunker, or one another.
        MissingModel: it needs a model that is not set.
    """
    return chunkers.build(
        settings.chunker,
        size=settings.chunk_size,
        unit=settings.chunk_unit,
        overlap=settings.chunk_overlap,
        limits=Limits(settings.chunk_least, settings.chunk_soft, settings.chunk_hard),
        models=models,
    )
