"""What a row says of the size of chunks, of retrieved budgets and of cost."""

from __future__ import annotations

import numpy as np
import pytest

import chunkers
from eval.costs import Cost
from eval.datasets.sample import BOOK, Sample
from eval.methods import ByChunker
from eval.metrics import Metric
from eval.rankers import BookRankers
from eval.scoring import Experiment, score, score_method
from tests.support.fakes import HashEmbedder

PARAGRAPH = ByChunker("paragraph", chunkers.build("paragraph"))


def test_a_row_tells_how_large_its_chunks_are() -> None:
    (row,) = score(Sample(), [BOOK], [PARAGRAPH], ["bm25"], rule=None, embedder=None, report=lambda _: None)
    tokens = [1.3 * len(text.split()) for text in PARAGRAPH.cut(BOOK, Sample()).texts]
    assert row.tokens is not None
    assert row.tokens.chunks == len(tokens)
    assert row.tokens_per_chunk == pytest.approx(sum(tokens) / len(tokens))
    assert row.tokens.most == pytest.approx(max(tokens))
    assert (row.tokens.p5, row.tokens.p95) == pytest.approx(tuple(np.percentile(tokens, [5, 95])))


def test_evidence_recall_is_the_share_of_questions_whose_evidence_fits_each_budget() -> None:
    (row,) = score(Sample(), [BOOK], [PARAGRAPH], ["bm25"], rule=None, embedder=None, report=lambda _: None)
    book = PARAGRAPH.cut(BOOK, Sample())
    ranker = BookRankers(book, None).ranker("bm25")
    spent = []
    for query in Sample().queries(BOOK):
        tokens = 0.0
        for at in ranker.rank(query.text):
            tokens += 1.3 * len(book.texts[at].split())
            if book.spans is not None and query.span is not None and book.spans[at].holds(query.span):
                break
        spent.append(tokens)
    for budget in (500, 1000, 2000, 4000):
        expected = sum(tokens <= budget for tokens in spent) / len(spent)
        assert row.means[Metric("er", budget)] == pytest.approx(expected)
    assert row.means[Metric("er", 500)] < row.means[Metric("er", 4000)]


def test_a_row_costs_what_its_models_read_whoever_had_them_read_before() -> None:
    embedder = HashEmbedder()
    dense, lexical, hybrid = score(
        Sample(), [BOOK], [PARAGRAPH], ["dense", "lexical", "hybrid"],
        rule=None, embedder=embedder, report=lambda _: None,
    )  # fmt: skip
    book = PARAGRAPH.cut(BOOK, Sample())
    read = [*book.windows, *(query.text for query in Sample().queries(BOOK))]
    assert dense.cost is not None
    assert dense.cost.model_calls == len(read)
    assert dense.cost.tokens_embedded == pytest.approx(1.3 * sum(len(t.split()) for t in read), abs=len(read))
    assert hybrid.cost is not None
    assert (hybrid.cost.model_calls, hybrid.cost.tokens_embedded) == (
        dense.cost.model_calls, dense.cost.tokens_embedded,
    )  # fmt: skip
    assert lexical.cost is not None
    assert (lexical.cost.model_calls, lexical.cost.tokens_embedded) == (0, 0)
    assert lexical.cost.seconds > 0


def test_a_limit_asks_the_same_questions_of_every_method_and_changes_with_the_seed() -> None:
    asked = [
        [query.id for query in Experiment(Sample(), (BOOK,), (), (), limit=5, seed=seed).queries(BOOK)]
        for seed in (1, 1, 2)
    ]
    assert asked[0] == asked[1] != asked[2]
    everything = [query.id for query in Sample().queries(BOOK)]
    assert asked[0] == [id_ for id_ in everything if id_ in asked[0]]
    assert [q.id for q in Experiment(Sample(), (BOOK,), (), (), limit=99).queries(BOOK)] == everything


def test_costs_add_and_survive_json() -> None:
    cost = Cost(1.5, 2, 3) + Cost(0.25, 1, 4)
    assert cost == Cost(1.75, 3, 7)
    assert Cost.of_json(cost.as_json()) == cost


def test_without_an_embedder_there_is_none_to_count() -> None:
    experiment = Experiment(Sample(), (BOOK,), (PARAGRAPH,), ())
    assert list(score_method(experiment, BOOK, 0, (), None, lambda _: None)) == []
