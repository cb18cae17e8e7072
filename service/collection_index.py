"""A collection's lexical index as questions see it: only what is retrievable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from core.text import IdfTable
from service.catalog_ready import ReadyGeneration
from service.lexical import TantivyIndex


def row_id(number: int, chunk_id: str) -> str:
    """A chunk's id in the engine: with its generation, because two generations may share a chunk id."""
    return f"{number}/{chunk_id}"


class CollectionIndex:
    """A `LexicalIndex` that leaves out generations that are hidden or that a crash left behind.

    Their texts still count in the weights of words until they are purged, right after.

    Args:
        generations: what is retrievable at this moment.
        engine: the index at this moment; asked for only when something is retrievable.
    """

    def __init__(
        self, generations: Callable[[], Sequence[ReadyGeneration]], engine: Callable[[], TantivyIndex]
    ) -> None:
        self._generations = generations
        self._engine = engine

    def search(self, question: str, n: int) -> list[tuple[str, float]]:
        """See `LexicalIndex.search`."""
        ready = self._generations()
        if not ready:
            return []
        engine = self._engine()
        hidden = max(0, engine.count() - sum(generation.chunks for generation in ready))
        numbers = {str(generation.number) for generation in ready}
        found = []
        for row, score in engine.search(question, n + hidden):
            number, _, chunk_id = row.partition("/")
            if number in numbers:
                found.append((chunk_id, score))
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:n]

    def idf(self, terms: Iterable[str]) -> IdfTable:
        """See `LexicalIndex.idf`."""
        return self._engine().idf(terms) if self._generations() else IdfTable(0)

    def ids(self) -> set[str]:
        """See `LexicalIndex.ids`."""
        numbers = {str(generation.number) for generation in self._generations()}
        if not numbers:
            return set()
        rows = (row.partition("/") for row in self._engine().ids())
        return {chunk_id for number, _, chunk_id in rows if number in numbers}
