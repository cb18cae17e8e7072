"""What ``python -m eval.lotte`` prints and writes beside the official lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.errors import InvalidValue
from eval.datasets.lotte import QUERY_TYPES, TOPICS, QueryType
from eval.datasets.lotte_places import official_order
from eval.lotte_score import LotteScore

PUBLISHED_K = 5

_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """Success@5 on the test split that others published; ``figures`` in [0, 1], by topic."""

    system: str
    query_type: QueryType
    figures: Mapping[str, float]
    source: str

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return {
            "system": self.system,
            "split": "test",
            "type": self.query_type,
            f"success@{PUBLISHED_K}": dict(self.figures),
            "source": self.source,
        }


def published_systems(k: int) -> list[PublishedSystem]:
    """Search, then forum, each in the order of the table; none for another k than its 5."""
    if k != PUBLISHED_K:
        return []
    text = files("eval.datasets").joinpath("lotte_published.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return [
        PublishedSystem(
            system,
            query_type,
            {topic: round(figure / 100, 3) for topic, figure in types[query_type].items()},
            data["source"],
        )
        for query_type in QUERY_TYPES
        for system, types in data["systems"].items()
    ]


def official_lines(scores: Sequence[LotteScore]) -> str:
    """The official evaluator's output: a line a figure, and a blank line after each type."""
    blocks = [
        "".join(f"{score.line}\n" for score in scores if score.query_type == query_type)
        for query_type in QUERY_TYPES
    ]
    return "\n".join(block for block in blocks if block)


def markdown(system: str, scores: Sequence[LotteScore], published: Sequence[PublishedSystem]) -> str:
    """Ours with their intervals, then the published figures, of LoTTE's test split; in per cent."""
    names = official_order({*TOPICS, *(score.topic for score in scores)})
    lines = [["system", "split", "type", *names], ["---"] * 3 + ["---:"] * len(names)]
    lines += _ours(system, scores, names)
    lines += [
        [f"published: {row.system}", "test", row.query_type, *_cells(row.figures, names)] for row in published
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def write_json(
    path: Path,
    scores: Sequence[LotteScore],
    published: Sequence[PublishedSystem],
    provenance: Mapping[str, Any],
) -> None:
    """Write ``{"rows", "published", "provenance"}``; a ranking that could not be scored has no row.

    Raises:
        InvalidValue: the file cannot be written.
    """
    report = {
        "rows": [score.as_json() for score in scores if score.value is not None],
        "published": [row.as_json() for row in published],
        "provenance": dict(provenance),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"--json must name a writable file, got {path} ({error.strerror})") from error


def _ours(system: str, scores: Sequence[LotteScore], names: Sequence[str]) -> Iterator[list[str]]:
    for query_type in QUERY_TYPES:
        own = [score for score in scores if score.query_type == query_type]
        if own:
            cells = {score.topic: _bounded(score) for score in own}
            row = [cells.get(name, _ABSENT) for name in names]
            yield [f"ours: {system}", own[0].split, query_type, *row]


def _bounded(score: LotteScore) -> str:
    if score.value is None or score.interval is None:
        return _ABSENT
    low, high = score.interval
    return f"{100 * score.value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _cells(figures: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [f"{100 * figures[name]:.1f}" if name in figures else _ABSENT for name in names]
