"""Selectors over a set of judged sentences, under the term weights that the service would give them."""

from __future__ import annotations

from collections.abc import Sequence

from answering import SelectorOf
from answering.background import with_background
from answering.base import scores_of
from core.protocols import Embedder
from core.text import IdfTable, question_terms, terms
from eval.datasets.selection import SelectionQuery


def collection_table(queries: Sequence[SelectionQuery]) -> IdfTable:
    """Term weights of the sentences as one collection, each sentence once."""
    return IdfTable.of(
        terms(text) for text in dict.fromkeys(text for query in queries for text in query.texts)
    )


def scores(
    queries: Sequence[SelectionQuery],
    selector: SelectorOf,
    embedder: Embedder,
    *,
    table: IdfTable | None = None,
) -> list[list[float]]:
    """Each query's sentences scored, in their order.

    Args:
        table: term weights of the collection, by default that of the queries' own sentences.
    """
    collection = collection_table(queries) if table is None else table
    return [
        scores_of(
            selector(embedder, with_background(question_terms(query.text), collection)),
            query.text,
            query.candidates(),
        ).tolist()
        for query in queries
    ]
