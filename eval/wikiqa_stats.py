"""What WikiQA's files hold, counted: questions, sentences, answers, and what the questions ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answering.question_class import COARSE, coarse_of, load_classifier
from eval.datasets.selection import SelectionQuery
from eval.datasets.wikiqa import Split, read_wikiqa


def statistics(folder: Path, splits: Sequence[Split]) -> list[dict[str, Any]]:
    """One entry a split and, of several, one for all together.

    Raises:
        DataError: a malformed line.
    """
    read = {split: read_wikiqa(folder, split) for split in splits}
    entries = [_counted(split, queries) for split, queries in read.items()]
    if len(read) > 1:
        entries.append(_counted(" + ".join(read), [query for queries in read.values() for query in queries]))
    return entries


def as_markdown(entries: Sequence[Mapping[str, Any]]) -> str:
    """Counts by split, then shares of the coarse question classes."""
    counts = [name for name in entries[0] if name not in {"split", "classes"}]
    lines = [["split", *counts, *COARSE], ["---", *["---:"] * (len(counts) + len(COARSE))]]
    for entry in entries:
        shares = [f"{entry['classes'][coarse]:.3f}" for coarse in COARSE]
        lines.append([entry["split"], *(f"{entry[name]:,}" for name in counts), *shares])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _counted(split: str, queries: Sequence[SelectionQuery]) -> dict[str, Any]:
    classifier = load_classifier()
    asked = Counter(coarse_of(classifier.classify(query.text)) for query in queries)
    return {
        "split": split,
        "questions": len(queries),
        "sentences": sum(len(query.sentences) for query in queries),
        "questions with an answer": sum(query.answerable for query in queries),
        "answer sentences": sum(one.right for query in queries for one in query.sentences),
        "questions with both": sum(query.mixed for query in queries),
        "classes": {coarse: asked[coarse] / len(queries) if queries else 0.0 for coarse in COARSE},
    }
