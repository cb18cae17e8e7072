"""From passages to one exact sentence, or to an honest "not in this text"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from answering.learnt import LEARNT, LearntName, load_learnt
from answering.published import PUBLISHED, load_published
from answering.selector import OverlapSelector
from answering.trigger import Trigger, load_trigger
from core.errors import InvalidValue
from core.protocols import Embedder, Scorer
from core.text import IdfTable

# From the embedder and the term weights of the collection that is asked to what scores its sentences.
SelectorOf = Callable[[Embedder, IdfTable], Scorer]


@dataclass(frozen=True)
class Selector:
    """What chooses a sentence, and when it is given out; `load_selector` makes those of `SELECTORS`.

    Attributes:
        name: as `load_selector` reads it.
        existence: the probability that an answer is there at all, of the best score; None where nothing
            was fitted for that.
    """

    name: str
    scorer_of: SelectorOf
    trigger: Trigger
    existence: Trigger | None = None


def _published(name: str, embedder: Embedder, idf: IdfTable) -> Scorer:  # noqa: ARG001 - every selector's seam
    return load_published().scorer(name, idf)


def _learnt(name: LearntName, embedder: Embedder, idf: IdfTable) -> Scorer:
    return load_learnt(name).scorer(embedder, idf)


SELECTORS: dict[str, SelectorOf] = {
    "overlap": OverlapSelector,
    **{name: partial(_published, name) for name in PUBLISHED},
    **{name: partial(_learnt, name) for name in LEARNT},
}
_LEARNT: dict[str, LearntName] = {name: name for name in LEARNT}


def selector_named(name: str) -> SelectorOf:
    """What builds the named selector's Scorer; its artefacts are read when it is first built.

    Raises:
        InvalidValue: no such selector.
    """
    if name not in SELECTORS:
        raise InvalidValue(f"a selector must be one of {', '.join(SELECTORS)}, got {name!r}")
    return SELECTORS[name]


def trigger_of(name: str) -> Trigger:
    """When the named selector answers: its probability and its stored threshold.

    Raises:
        InvalidValue: no such selector.
        ArtifactError: its artefact is missing or damaged.
    """
    selector_named(name)
    if name in _LEARNT:
        return load_learnt(_LEARNT[name]).trigger
    return load_trigger() if name == "overlap" else load_published().triggers[name]


def name_meant(asked: str | None, own: str) -> str:
    """The name of the selector that is meant: ``own`` where none is; ``@POINT`` is own's at that point."""
    if asked is None:
        return own
    return own.partition("@")[0] + asked if asked.startswith("@") else asked


def load_selector(name: str) -> Selector:
    """The named selector with its trigger.

    Args:
        name: a key of `SELECTORS`, or one with an operating point: ``overlap@balanced``.

    Raises:
        InvalidValue: no such selector, or its trigger has no such point.
        ArtifactError: its artefact is missing or damaged.
    """
    of, at, point = name.partition("@")
    trigger = trigger_of(of)
    existence = load_learnt(_LEARNT[of]).existence if of in _LEARNT else None
    return Selector(name, selector_named(of), trigger.at(point) if at else trigger, existence)
