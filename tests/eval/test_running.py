"""Time left is said in a person's words, and every decision of a result names what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import chunkers
from core.machine import cores
from eval.datasets.sample import BOOK, Sample
from eval.methods import ByChunker
from eval.retrievers import Retriever
from eval.running import Laboratory, Task, duration
from eval.scoring import Experiment

METHODS = tuple(ByChunker(name, chunkers.build(name)) for name in ("fixed", "recursive"))
BM25 = (Retriever("bm25"),)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "0 s"), (99, "99 s"), (150, "2 min"), (5_940, "99 min"), (9_000, "2.5 h")]
)
def test_time_left_is_said_in_one_unit(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def keys(tmp_path: Path, method: int = 0, embedder: str | None = None, **changed: object) -> set[str]:
    settings: dict[str, object] = {
        "questions": Sample(), "books": (BOOK,), "methods": METHODS, "retrievers": BM25, **changed,
    }  # fmt: skip
    experiment = Experiment(**settings)  # type: ignore[arg-type]
    return set(Laboratory(experiment, embedder, tmp_path)._keys(Task(BOOK, method)).values())


def test_another_method_rule_retriever_or_set_of_questions_is_another_result(tmp_path: Path) -> None:
    made = [
        keys(tmp_path),
        keys(tmp_path, 1),
        keys(tmp_path, rule="substring"),
        keys(tmp_path, limit=5),
        keys(tmp_path, limit=5, seed=1),
        keys(tmp_path, retrievers=(Retriever("lexical"),), embedder="minilm"),
        keys(tmp_path, retrievers=(Retriever("dense"),), embedder="minilm"),
        keys(tmp_path, methods=(ByChunker("fixed", chunkers.build("fixed", size=900)),)),
    ]
    assert len(set.union(*made)) == len(made)


def test_what_decides_nothing_leaves_the_result_where_it_is(tmp_path: Path) -> None:
    assert keys(tmp_path) == keys(tmp_path, seed=1) == keys(tmp_path, embedder="minilm")
    assert keys(tmp_path) == keys(tmp_path, methods=METHODS[::-1], method=1)
    assert keys(tmp_path) < keys(tmp_path, retrievers=(Retriever("dense"), *BM25), embedder="minilm")


def test_there_is_a_core() -> None:
    assert cores() >= 1
