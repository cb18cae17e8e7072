"""Stored spans of real texts: a changed span is a changed index for everybody, so it must be meant.

When a change is meant, the failing test prints what to store in ``golden.json``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chunkers
from chunkers.boundaries import sentence_spans
from chunkers.windows import window_spans
from core.values import Span

HERE = Path(__file__).parent
GOLDEN: dict[str, Any] = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))

SPLITS: dict[str, Callable[[str], list[Span]]] = {
    "fixed 450 characters": chunkers.build("fixed", size=450).split,
    "fixed 100 words, overlap 20": chunkers.build("fixed", size=100, unit="words", overlap=20).split,
    "fixed 120 tokens": chunkers.build("fixed", size=120, unit="tokens").split,
    "paragraph": chunkers.build("paragraph").split,
    "paragraph 1000 characters": chunkers.build("paragraph", size=1_000).split,
    "sentence": sentence_spans,
    "recursive 300 characters, overlap 60": chunkers.build("recursive", size=300, overlap=60).split,
    "recursive 1300 characters": chunkers.build("recursive", size=1_300).split,
    "recursive 310 tokens": chunkers.build("recursive", size=310, unit="tokens").split,
    "windows": window_spans,
}
BOOKS = {
    "emma": "Emma_-_Jane_Austen.md",
    "time machine": "The_Time_Machine_-_H._G._Wells.md",
}


@pytest.mark.parametrize("name", SPLITS)
def test_spans_of_our_own_story_are_the_stored_ones(name: str) -> None:
    text = (HERE / "texts" / "ferryman.md").read_bytes().decode()
    spans = [[span.start, span.end] for span in SPLITS[name](text)]
    assert spans == GOLDEN["ferryman"].get(name), json.dumps({name: spans})


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("book", BOOKS)
def test_spans_of_a_novel_are_the_stored_ones(book: str, name: str, data_root: Path) -> None:
    text = (data_root / "books" / BOOKS[book]).read_bytes().decode()
    spans = SPLITS[name](text)
    joined = ",".join(f"{span.start}:{span.end}" for span in spans)
    summary = {"spans": len(spans), "sha256": hashlib.sha256(joined.encode()).hexdigest()[:16]}
    assert summary == GOLDEN[book].get(name), json.dumps({name: summary})
