"""Every row beside a named one: the mean difference, and how far chance could have moved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.errors import InvalidValue
from eval.methods import Method
from eval.metrics import Metric
from eval.report import Row
from eval.rows import BOUNDED, Cell, Key
from eval.significance import SEED, Difference, paired_difference


def compared(
    rows: Sequence[Row],
    groups: Mapping[Key, Sequence[Cell]],
    methods: Sequence[Method],
    baseline: str,
    *,
    seed: int = SEED,
) -> list[Row]:
    """The rows with their differences to the baseline; a row of other books or another rule has none.

    Args:
        groups: the cells of each row, in the order of ``rows``.
        baseline: a chunker, whose row under each retriever is the baseline of that retriever's rows, or
            ``CHUNKER/RETRIEVER``, one row for all.

    Raises:
        InvalidValue: there is no such row.
    """
    names = {(methods[at].name, str(retriever)) for at, retriever, _ in groups}
    chunker, slash, asked = baseline.rpartition("/")
    if not slash or (chunker, asked) not in names:
        chunker, asked = baseline, ""
    if not any(chunker == name and asked in ("", retriever) for name, retriever in names):
        raise InvalidValue(
            "--baseline must name a row, as CHUNKER or CHUNKER/RETRIEVER "
            f"({', '.join(sorted({name for name, _ in names}))}), got {baseline!r}"
        )
    by_name = {
        (methods[at].name, str(retriever), rule): cells for (at, retriever, rule), cells in groups.items()
    }
    found = []
    for row, cells in zip(rows, groups.values(), strict=True):
        other = by_name.get((chunker, asked or row.retriever, row.rule))
        found.append(replace(row, differences={} if other is None else _differences(cells, other, seed)))
    return found


def _differences(cells: Sequence[Cell], baseline: Sequence[Cell], seed: int) -> dict[Metric, Difference]:
    if [cell.book for cell in cells] != [cell.book for cell in baseline] or cells is baseline:
        return {}
    return {
        metric: paired_difference(
            [cell.values[metric] for cell in cells], [cell.values[metric] for cell in baseline], seed=seed
        )
        for metric in BOUNDED
    }
