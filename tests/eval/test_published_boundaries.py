from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from core.errors import DataError, NotFound
from eval.published_boundaries import STRETCH, published_texts

PARAGRAPHS = [f"Paragraph number {at}." for at in range(STRETCH + 7)]


def write(folder: Path, name: str, chunks: Sequence[str]) -> None:
    rows = [{"Book Name": "B_-_A", "Chunk ID": at, "Chunk": chunk} for at, chunk in enumerate(chunks)]
    (folder / name).write_text("\n".join(map(json.dumps, rows)))


def test_chunks_are_laid_over_paragraphs_by_their_visible_characters(tmp_path: Path) -> None:
    write(tmp_path, "paragraph.jsonl", PARAGRAPHS)
    firsts = [0, 3, 10, STRETCH, STRETCH + 2]
    edges = [*firsts, len(PARAGRAPHS)]
    chunks = ["\n".join(PARAGRAPHS[low:high]) for low, high in pairwise(edges)]
    write(tmp_path, "lumberchunker_gemini.jsonl", chunks)
    first, second = published_texts(tmp_path)
    assert (len(first.units), len(second.units)) == (STRETCH, 7)
    assert (first.boundaries, second.boundaries) == ((3, 10), (2,))


def test_a_chunk_that_starts_within_a_paragraph_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "paragraph.jsonl", PARAGRAPHS)
    write(tmp_path, "lumberchunker_gemini.jsonl", ["Paragraph", "number 0."])
    with pytest.raises(DataError, match="chunk 1 starts within one"):
        published_texts(tmp_path)


def test_without_the_chunks_the_folder_is_named(tmp_path: Path) -> None:
    write(tmp_path, "paragraph.jsonl", PARAGRAPHS)
    with pytest.raises(NotFound, match=r"need lumberchunker_gemini\.jsonl"):
        published_texts(tmp_path)
