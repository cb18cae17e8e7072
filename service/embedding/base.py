"""What every embedder promises about the texts it is given and the rows it gives back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.protocols import Vectors


def unit_rows(vectors: NDArray[np.floating]) -> Vectors:
    """(n, dim) rows divided by their lengths, as float32; a zero row stays zero."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)  # (n, 1)
    rows: Vectors = (wide / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return rows
