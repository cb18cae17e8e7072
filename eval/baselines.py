"""Every row beside a named one: the mean difference, and how far chance could have moved it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import InvalidValue
from eval.methods import Method
from eval.metrics import Metric
from eval.report import Row
from eval.rows import BOUNDED, Cell, Key
from eval.significance import SEED, Difference, paired_difference
from eval.table import TableRow


@dataclass(frozen=True, slots=True)
class Baseline:
    """The row that others are compared with.

    Attributes:
        retriever: None takes under each retriever the chunker's row under that same one.
    """

    chunker: str
    retriever: str | None = None

    @staticmethod
    def named(text: str, rows: Collection[tuple[str, str]]) -> Baseline:
        """The baseline that ``CHUNKER`` or ``CHUNKER/RETRIEVER`` names.

        Args:
            rows: chunker and retriever of every row there will be.

        Raises:
            InvalidValue: there is no such row.
        """
        chunker, slash, retriever = text.rpartition("/")
        if slash and (chunker, retriever) in rows:
            return Baseline(chunker, retriever)
        names = sorted({name for name, _ in rows})
        if text not in names:
            raise InvalidValue(
                f"--baseline must name a row, as CHUNKER or CHUNKER/RETRIEVER ({', '.join(names)}), "
                f"got {text!r}"
            )
        return Baseline(text)


def compared(
    rows: Sequence[Row],
    groups: Mapping[Key, Sequence[Cell]],
    methods: Sequence[Method],
    baseline: Baseline,
    *,
    seed: int = SEED,
) -> list[Row]:
    """The rows with their differences to the baseline; a row of other books or another rule has none.

    Args:
        groups: the cells of each row, in the order of ``rows``.
    """
    by_name = {
        (methods[at].name, str(retriever), rule): cells for (at, retriever, rule), cells in groups.items()
    }
    found = []
    for row, cells in zip(rows, groups.values(), strict=True):
        other = by_name.get((baseline.chunker, baseline.retriever or row.retriever, row.rule))
        found.append(replace(row, differences={} if other is None else _differences(cells, other, seed)))
    return found


def table_compared(
    rows: Sequence[TableRow], baseline: Baseline, metrics: Collection[str], *, seed: int = SEED
) -> list[TableRow]:
    """The rows with their differences to the baseline in these metrics, over the questions of both.

    A row is compared with the one that has its labels but for chunker and retriever; where there is none, and
    in the baseline itself, there are no differences.
    """
    found = []
    for row in rows:
        other = next((one for one in rows if _is_baseline(baseline, one, row)), row)
        differences = {
            metric: paired_difference([row.values[metric]], [other.values[metric]], seed=seed)
            for metric in metrics
            if other is not row and metric in row.values
        }
        found.append(replace(row, differences=differences))
    return found


def _is_baseline(baseline: Baseline, one: TableRow, row: TableRow) -> bool:
    asked = {**row.labels, "chunker": baseline.chunker}
    if "retriever" in row.labels and baseline.retriever is not None:
        asked["retriever"] = baseline.retriever
    return one.labels == asked


def _differences(cells: Sequence[Cell], baseline: Sequence[Cell], seed: int) -> dict[Metric, Difference]:
    if [cell.book for cell in cells] != [cell.book for cell in baseline] or cells is baseline:
        return {}
    return {
        metric: paired_difference(
            [cell.values[metric] for cell in cells], [cell.values[metric] for cell in baseline], seed=seed
        )
        for metric in BOUNDED
    }
