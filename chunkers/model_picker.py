"""The boundary picker that asks no chat model: features of the whole text, read once, and a small model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chunkers.boundaries import paragraph_spans, white_end
from chunkers.boundary_features import vector_features, word_features
from chunkers.boundary_model import BoundaryModel, first_boundary, load_boundary
from chunkers.marks import PROSE, mark_kinds
from chunkers.sizes import Tokens
from chunkers.windows import window_spans
from core.errors import InvalidValue
from core.protocols import Embedder
from core.values import Span

_BETWEEN = "\n\n"


@dataclass(frozen=True)
class ModelPicker:
    """Picks where the shipped model sees the content shift, with the vectors that the index needs anyway.

    The model knows the vectors of one embedder. With another one, or none, it goes by words alone: then its
    name is ``local-words``, and `notices` say so.

    A heading or a rule between scenes right before a passage is a boundary in any case.

    Attributes:
        embedder: asked for the vectors of exactly the windows that `window_spans` gives, once a text.
        scale: of the sizes that chunks tend to; 1 was chosen for retrieval, with windows of 550 tokens.
        model: None takes the shipped one.

    Raises:
        InvalidValue: unless ``scale`` is above 0.
        ArtifactError: the shipped model cannot be read.
    """

    embedder: Embedder | None = field(default=None, repr=False, compare=False)
    scale: float = 1.0
    model: BoundaryModel | None = field(default=None, repr=False, compare=False)
    name: str = field(init=False)
    identity: str = field(init=False)

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise InvalidValue(f"scale must be above 0, got {self.scale}; 1 is the usual size of chunks")
        model = self._model
        known = self.embedder is not None and self.embedder.fingerprint == model.fingerprint
        object.__setattr__(self, "name", "local" if known else "local-words")
        object.__setattr__(self, "identity", model.identity)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of how boundaries are found."""
        if self.name == "local":
            return ()
        embedder = "no embedder" if self.embedder is None else f"the embedder {self.embedder.name}"
        return (
            f"the local picker knows the vectors of minilm and has {embedder}: it goes by words alone; "
            "take the embedder minilm for its best",
        )

    def pick(self, passages: Sequence[str]) -> int:
        """See `BoundaryPicker`."""
        spans, at = [], 0
        for passage in passages:
            spans.append(Span(at, at + len(passage)))
            at += len(passage) + len(_BETWEEN)
        sizes = np.array([Tokens()(passage) for passage in passages], np.float64)
        return self.pick_scored(self.scores(_BETWEEN.join(passages), spans), sizes)

    def scores(self, text: str, units: Sequence[Span]) -> NDArray[np.float64]:
        """See `BoundaryScorer`."""
        if not units:
            return np.zeros(0)
        model = self._model
        prose = _without_marks(text, units)
        features = word_features(text, prose)
        if self.name == "local" and self.embedder is not None:
            windows = window_spans(text)
            vectors = self.embedder.embed_passages([window.of(text) for window in windows])
            features = np.hstack([features, vector_features(prose, windows, vectors)])
            found = model.with_vectors.score(features)
        else:
            found = model.words_alone.score(features)
        marked = [unit.start != bare.start for unit, bare in zip(units, prose, strict=True)]
        found[marked] = np.inf
        found[0] = -np.inf
        return found

    def pick_scored(self, scores: NDArray[np.float64], sizes: NDArray[np.float64]) -> int:
        """See `BoundaryScorer`: the first boundary of the best way of cutting the window."""
        return first_boundary(scores, sizes, self._model.prior.scaled(self.scale))

    @property
    def _model(self) -> BoundaryModel:
        return _shipped() if self.model is None else self.model


@lru_cache(maxsize=1)
def _shipped() -> BoundaryModel:
    return load_boundary()


def _without_marks(text: str, units: Sequence[Span]) -> list[Span]:
    """Each unit without the headings and rules that it starts with; one that holds nothing else stays."""
    paragraphs = paragraph_spans(text)
    kinds = mark_kinds(text, paragraphs)
    ends = {paragraphs[at].start: paragraphs[at].end for at in np.flatnonzero(kinds != PROSE)}
    prose = []
    for unit in units:
        at = unit.start
        while at in ends and ends[at] < unit.end:
            at = white_end(text, ends[at])
        prose.append(Span(at, unit.end) if at < unit.end else unit)
    return prose
