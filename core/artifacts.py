"""Small trained artefacts on disk: named arrays and a JSON configuration, never a pickle.

An artefact ``NAME`` is two files side by side: ``NAME.npz`` (arrays) and ``NAME.json``
(``{"format": 1, "arrays_sha256": ..., "config": {...}}``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ArtifactError

FORMAT = 1


@dataclass(frozen=True)
class Artifact:
    """Arrays by name and what they mean."""

    arrays: Mapping[str, NDArray[Any]]
    config: Mapping[str, Any]


def models_directory() -> Path:
    """Where the shipped artefacts lie, in a checkout and in an installed wheel alike."""
    return Path(str(files("models")))


def file_digest(path: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits.

    Raises:
        ArtifactError: when the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ArtifactError(
            f"model file {path} cannot be read ({error.strerror}); reinstall sawyer-rag"
        ) from error


def save(base: Path, artifact: Artifact) -> None:
    """Write ``base.npz`` and ``base.json``; the same artefact gives the same bytes.

    Raises:
        ArtifactError: when an array holds Python objects.
    """
    if any(array.dtype.hasobject for array in artifact.arrays.values()):
        raise ArtifactError(f"arrays must hold numbers or fixed-width text, {base.name} holds Python objects")
    base.parent.mkdir(parents=True, exist_ok=True)
    arrays_path = base.with_suffix(".npz")
    np.savez_compressed(arrays_path, allow_pickle=False, **dict(sorted(artifact.arrays.items())))
    head = {"format": FORMAT, "arrays_sha256": file_digest(arrays_path), "config": dict(artifact.config)}
    text = json.dumps(head, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    base.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def load(base: Path) -> Artifact:
    """Read what `save` wrote.

    Raises:
        ArtifactError: a file is missing, of another format version, or its digest differs.
    """
    head_path, arrays_path = base.with_suffix(".json"), base.with_suffix(".npz")
    try:
        head = json.loads(head_path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArtifactError(
            f"model file {head_path} cannot be read ({error}); reinstall sawyer-rag"
        ) from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        found = head.get("format") if isinstance(head, dict) else None
        raise ArtifactError(
            f"{head_path} must have format {FORMAT}, got {found}; retrain it with this version"
        )
    if file_digest(arrays_path) != head.get("arrays_sha256"):
        raise ArtifactError(
            f"{arrays_path} is not the file that {head_path.name} describes; reinstall or retrain"
        )
    with np.load(arrays_path, allow_pickle=False) as archive:
        return Artifact({name: archive[name] for name in archive.files}, head["config"])
