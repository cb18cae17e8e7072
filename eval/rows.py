"""From what each book gave to the rows of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.costs import Cost
from eval.formulas import TOKENS_PER_WORD
from eval.methods import Method
from eval.metrics import Metric, book_mean
from eval.relevance import Rule
from eval.report import Row, TokenSpread
from eval.retrievers import Retriever
from eval.significance import SEED, bootstrap_interval

METRICS = (
    *(Metric("dcg", k) for k in (1, 2, 5, 10, 20)),
    Metric("recall", 20),
    *(Metric("er", tokens) for tokens in (500, 1000, 2000, 4000)),
)
# Those whose interval is printed: the published metric, and the one that the size of chunks cannot fool.
BOUNDED = (Metric("dcg", 20), Metric("er", 1000))


@dataclass(frozen=True, slots=True)
class Cell:
    """One book under one method, retriever and rule.

    Attributes:
        method: its place in the experiment.
        values: metric to the value of each query.
        reachable: for each query, 1 when some chunk can hold its gold, else 0.
        words: white-space words of each chunk.
    """

    book: str
    method: int
    retriever: Retriever
    rule: Rule
    values: Mapping[Metric, Mapping[str, float]]
    reachable: Mapping[str, float]
    words: tuple[int, ...]
    cost: Cost

    def as_json(self) -> dict[str, Any]:
        """What was measured, as plain values; not where the cell stands."""
        return {
            "values": {str(metric): dict(values) for metric, values in self.values.items()},
            "reachable": dict(self.reachable),
            "words": list(self.words),
            "cost": self.cost.as_json(),
        }

    @staticmethod
    def of_json(content: Mapping[str, Any], book: str, method: int, retriever: Retriever, rule: Rule) -> Cell:
        """The cell whose measurements `as_json` wrote.

        Raises:
            KeyError, ValueError: ``content`` is something else.
        """
        return Cell(
            book=book,
            method=method,
            retriever=retriever,
            rule=rule,
            values={metric: content["values"][str(metric)] for metric in METRICS},
            reachable=content["reachable"],
            words=tuple(content["words"]),
            cost=Cost.of_json(content["cost"]),
        )


Key = tuple[int, Retriever, Rule]


def rows_of(
    methods: Sequence[Method],
    retrievers: Sequence[Retriever],
    cells: Sequence[Cell],
    *,
    seed: int = SEED,
) -> list[Row]:
    """A row for every method, retriever and rule that has cells, in that order, with every interval."""
    return [_row(methods[key[0]], group, seed) for key, group in grouped(retrievers, cells).items()]


def grouped(retrievers: Sequence[Retriever], cells: Sequence[Cell]) -> dict[Key, list[Cell]]:
    """The cells of each row, in the order of rows; books in the order in which they come."""
    groups: dict[Key, list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.method, cell.retriever, cell.rule), []).append(cell)
    order = {retriever: place for place, retriever in enumerate(retrievers)}
    return {key: groups[key] for key in sorted(groups, key=lambda key: (key[0], order[key[1]], key[2]))}


def _row(method: Method, cells: Sequence[Cell], seed: int) -> Row:
    tokens = TOKENS_PER_WORD * np.concatenate([np.array(cell.words, np.float64) for cell in cells])
    low, high = np.percentile(tokens, [5, 95])
    return Row(
        chunker=method.name,
        picker=method.picker,
        strategy=method.strategy,
        retriever=str(cells[0].retriever),
        rule=cells[0].rule,
        books=tuple(cell.book for cell in cells),
        questions=sum(len(cell.reachable) for cell in cells),
        means={metric: book_mean(cell.values[metric] for cell in cells) for metric in METRICS},
        tokens_per_chunk=float(tokens.mean()),
        ceiling=book_mean(cell.reachable for cell in cells),
        intervals={
            metric: bootstrap_interval([list(cell.values[metric].values()) for cell in cells], seed=seed)
            for metric in METRICS
        },
        tokens=TokenSpread(len(tokens), float(low), float(high), float(tokens.max())),
        cost=sum((cell.cost for cell in cells), Cost()),
    )
