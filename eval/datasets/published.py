"""Figures that others published, to stand beside ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One method's figures: metric name to value in 0..1; ``books`` says over how many."""

    method: str
    retriever: str
    rule: str
    books: int
    values: Mapping[str, float]
    source: str

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return {
            "chunker": self.method,
            "retriever": self.retriever,
            "rule": self.rule,
            "books": self.books,
            **self.values,
            "source": self.source,
        }


def gutenqa_rows() -> tuple[PublishedRow, ...]:
    """The paper's six methods on GutenQA, best first: mean DCG@k over 100 books."""
    data = json.loads(files("eval.datasets").joinpath("gutenqa_published.json").read_text(encoding="utf-8"))
    rows = [
        PublishedRow(
            method=method,
            retriever=data["embedder"],
            rule=data["rules"].get(method, data["rule"]),
            books=data["books"],
            values={f"dcg@{k}": value for k, value in zip(data["cutoffs"], figures, strict=True)},
            source=data["source"],
        )
        for method, figures in data["dcg"].items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.values["dcg@20"]))
