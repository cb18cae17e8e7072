"""Three small documents, and what "in all stores" and "in none" mean."""

from __future__ import annotations

import pytest

from core.errors import NotFound
from core.protocols import Vectors
from service.stores import Generation, Stores
from tests.support.generations import EMBEDDER, generation

HARBOUR = generation("harbour.txt", "The harbour lay still under a pewter sky. " * 6)
ORCHARD = generation("orchard.txt", "In the orchard the quinces had begun to fall. " * 5)
XYLOGRAPH = generation("secret.txt", "A xylograph of the old mill hung in the hall. " * 6)


def answers(stores: Stores, question: str, collection: str = "default") -> tuple[object, ...]:
    """All that a question can get out of the stores, by each way there is."""
    table = stores.table(collection)
    hits = stores.lexical(collection).search(question, 10)
    query = EMBEDDER.embed_query(question)
    return (
        table.chunk_ids,
        table.window_ids,
        table.pairs.tolist(),
        None if table.vectors is None else table.vectors.tobytes(),
        hits,
        # The engine's sums differ in the last bit from one opening to the next.
        sorted((name, round(near, 4)) for name, near in stores.nearest(collection, query, 1000)),
        stores.chunks([chunk_id for chunk_id, _ in hits]),
    )


def holds(stores: Stores, made: Generation) -> None:
    """The generation is in all three stores, whole."""
    wanted = [chunk.id for chunk in made.chunks]
    table = stores.table(made.collection)
    assert set(wanted) <= set(table.chunk_ids)
    assert set(wanted) <= stores.lexical(made.collection).ids()
    assert stores.chunks(wanted) == list(made.chunks)
    near = stores.nearest(made.collection, made.vectors[0], 1)
    rows = {window_id: row for row, window_id in enumerate(table.window_ids)}
    if table.vectors is not None:
        assert table.vectors[rows[near[0][0]]] @ made.vectors[0] == pytest.approx(1, abs=1e-5)


def lacks(stores: Stores, made: Generation) -> None:
    """Nothing of the generation is in any answer."""
    table = stores.table(made.collection)
    ids = {chunk.id for chunk in made.chunks}
    assert not ids & set(table.chunk_ids)
    assert not ids & stores.lexical(made.collection).ids()
    assert not ids & {hit for hit, _ in stores.lexical(made.collection).search(made.text, 100)}
    names = {name for name, _ in stores.nearest(made.collection, made.vectors[0], 100)}
    assert names <= set(table.window_ids)
    with pytest.raises(NotFound):
        stores.chunks([made.chunks[0].id])


def only_in(made: Generation, *others: Generation) -> list[Vectors]:
    """The generation's vectors that no other has: they must be in its rows alone."""
    known = {row.tobytes() for other in others for row in other.vectors}
    found = [row for row in made.vectors if row.tobytes() not in known]
    assert found
    return found
