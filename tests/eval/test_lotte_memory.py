"""A collection of millions of passages is indexed and ranked in memory that has a bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.lotte_memory import measure, write_collection
from service.values import RetrieverName

FIXED = 192 * 2**20  # bytes: the interpreter, its packages, a writer's buffer, a batch and a block
PER_PASSAGE = 120  # bytes: its number, where its windows start, its scores in flight
PER_VECTOR = 384 * 4


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("retriever", ["lexical", "dense"])
def test_neither_texts_nor_vectors_stay_in_memory(
    retriever: RetrieverName, soak: bool, tmp_path: Path
) -> None:
    passages = 2_400_000 if soak else 100_000
    folder = tmp_path / "drawn" / "dev"
    write_collection(folder, passages, words=12)
    cost = measure(folder, passages, retriever)
    allowed = FIXED + PER_PASSAGE * passages
    # What the lexical index has on the disk is mapped while it is searched, and given back when asked for.
    assert cost.resident < allowed + (cost.disk if retriever == "lexical" else 0)
    assert retriever == "lexical" or cost.disk >= PER_VECTOR * passages
