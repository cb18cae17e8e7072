"""What is said of a chunker besides its name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from chunkers.limits import Limits
from chunkers.pick_memory import PickMemory
from chunkers.sizes import Characters, Size
from core.protocols import ChatModel, Embedder

PickerName = Literal["auto", "chat", "local"]
OnFailure = Literal["raise", "keep", "local"]


@dataclass(frozen=True, slots=True)
class Models:
    """What a content-driven chunker may ask; the others need none of it.

    Attributes:
        embedder: makes the vectors that ``semantic`` and the local boundary picker read.
        chat: the chat model that the user has set; None when none is.
        picker: who picks the boundaries of ``lumber``: ``auto`` is the chat model where one is set.
        on_failure: what becomes of a window for which the chat model gave no usable pick.
        workers: windows sent to the chat model at once.
        max_calls: windows that may be sent for one text; None sets no limit.
        memory: where picks of the chat model are kept, and found again.
    """

    embedder: Embedder | None = None
    chat: ChatModel | None = None
    picker: PickerName = "auto"
    on_failure: OnFailure = "raise"
    workers: int = 8
    max_calls: int | None = None
    memory: PickMemory | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a chunker; None takes the chunker's own default.

    Attributes:
        size: largest chunk, in ``unit``; of ``lumber``, the window that a picker is shown.
        limits: sizes that a content-driven chunker keeps to, in ``unit``.
    """

    size: int | None = None
    unit: Size | None = None
    overlap: int = 0
    limits: Limits = field(default_factory=Limits)
    models: Models = field(default_factory=Models)

    @property
    def measure(self) -> Size:
        """The unit, characters where none is said."""
        return Characters() if self.unit is None else self.unit
