"""*Emma*, the authors' chunks: the figures that the data set is known by."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.datasets.base import locate
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.methods import FromFile
from eval.metrics import Metric
from eval.rankers import EvalRetriever
from eval.relevance import Rule
from eval.report import Row
from eval.scoring import score
from service.embedding import build_embedder

EMMA = "Emma_-_Jane_Austen"
DCG20 = Metric("dcg", 20)


def rows(
    data_root: Path, names: list[str], retrievers: list[EvalRetriever], *, rule: Rule | None = "substring"
) -> list[Row]:
    questions = GutenQA(locate(GUTENQA, data_root))
    methods = [FromFile.read(questions.place.folder / "emma" / f"{name}.jsonl") for name in names]
    embedder = None if retrievers == ["bm25"] else build_embedder("minilm")
    return score(questions, [EMMA], methods, retrievers, rule=rule, embedder=embedder, report=lambda _: None)


def test_plain_bm25_gives_the_known_order_level_and_ceilings(data_root: Path) -> None:
    names = ["lumberchunker_gemini", "recursive_langchain", "fixed_length_450", "semantic", "paragraph"]
    found = rows(data_root, names, ["bm25"])
    dcg = [row.means[DCG20] for row in found]
    assert dcg == sorted(dcg, reverse=True)
    assert dcg == pytest.approx([0.738, 0.647, 0.543, 0.515, 0.502], abs=5e-4)
    assert [round(row.ceiling * 30) for row in found] == [26, 26, 24, 26, 26]


def test_propositions_are_judged_by_their_own_golds_as_the_authors_do(data_root: Path) -> None:
    (found,) = rows(data_root, ["propositions"], ["bm25"], rule=None)
    assert found.rule == "proposition"
    assert round(found.ceiling * 30) == 19
    (other,) = rows(data_root, ["semantic"], ["bm25"], rule=None)
    assert other.rule == "substring"


@pytest.mark.slow
def test_hybrid_beats_plain_bm25_on_the_authors_lumberchunker_chunks(data_root: Path) -> None:
    hybrid, bm25 = rows(data_root, ["lumberchunker_gemini"], ["hybrid", "bm25"])
    assert hybrid.means[DCG20] >= 0.76
    assert hybrid.means[DCG20] > bm25.means[DCG20]
