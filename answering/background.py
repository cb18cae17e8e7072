"""How rare words are in long texts at large, for collections too small to tell by themselves.

In a story of fifteen chunks nearly every word of a good question stands in most of them, and the one word
that is missing would weigh more than all the others together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.artifacts import Artifact, load, models_directory, save
from core.text import IdfTable

NAME = "background_idf"
# The background speaks with the voice of this many chunks: a novel outvotes it, a story does not.
VOICE = 200.0
# The artefact counts per this many chunks.
TOTAL = 1000


def with_background(terms: Iterable[str], collection: IdfTable) -> IdfTable:
    """The table of these terms over the collection and `VOICE` chunks of other texts together."""
    background = load_background()
    share = VOICE / background.total
    frequency = {
        term: share * background.frequency.get(term, 0) + collection.frequency.get(term, 0)
        for term in set(terms)
    }
    return IdfTable(VOICE + collection.total, frequency)


@lru_cache(maxsize=4)
def load_background(base: Path | None = None) -> IdfTable:
    """Read the artefact, by default the shipped one: document frequencies scaled to `TOTAL` chunks.

    Raises:
        ArtifactError: see `core.artifacts.load`.
    """
    artifact = load(base or models_directory() / NAME)
    counts = artifact.arrays["frequency"].astype(int).tolist()
    words = artifact.arrays["terms"].tobytes().decode("utf-8").split("\n")
    return IdfTable(int(artifact.config["total"]), dict(zip(words, counts, strict=True)))


def save_background(table: IdfTable, base: Path | None = None, **provenance: object) -> int:
    """Scale a table to `TOTAL` texts and write it; terms that round to none are left out.

    Returns:
        How many terms were kept.
    """
    scaled = {term: round(count * TOTAL / table.total) for term, count in table.frequency.items()}
    kept = sorted(term for term, count in scaled.items() if count)
    arrays: dict[str, NDArray[Any]] = {
        "terms": np.frombuffer("\n".join(kept).encode("utf-8"), dtype=np.uint8),
        "frequency": np.array([scaled[term] for term in kept], dtype=np.uint16),
    }
    config = {"total": TOTAL, "provenance": provenance}
    save(base or models_directory() / NAME, Artifact(arrays, config))
    return len(kept)
