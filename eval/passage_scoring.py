"""Retrieval judged by exact passages, as Chroma's evaluation of chunking does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

import numpy as np

from chunkers.base import Chunker
from core.protocols import Embedder
from core.values import Span
from eval.chunked import cut_book
from eval.datasets.chunking_evaluation import Corpora, CorpusQuestion, published_chunking
from eval.metrics import TOKENS_PER_WORD, passage_scores, precision_omega
from eval.retrievers import BookRetrieval, Retriever
from eval.significance import bootstrap_interval
from eval.table import TableRow
from eval.values import ChunkedBook, Query

K = 5  # chunks retrieved for a question, as in the published tables


@dataclass(frozen=True, slots=True)
class CutCorpora:
    """Every corpus under one way of cutting it, as one index.

    Attributes:
        book: all chunks, corpus after corpus; its spans are None, since they refer to several texts.
        places: of each chunk, its corpus and its span there.
    """

    book: ChunkedBook
    places: tuple[tuple[str, Span], ...]

    def spans(self, corpus: str) -> list[Span]:
        """The chunks of one corpus."""
        return [span for name, span in self.places if name == corpus]


def cut_corpora(corpora: Corpora, chunker: Chunker) -> CutCorpora:
    """Cut each corpus, and put all chunks into one index: a question may be given chunks of any corpus."""
    texts: list[str] = []
    places: list[tuple[str, Span]] = []
    windows: list[str] = []
    pairs = []
    for name, text in corpora.texts.items():
        cut = cut_book(name, text, chunker)
        pairs.append(cut.pairs + np.array([len(windows), len(texts)], np.int32))
        texts += cut.texts
        places += [(name, span) for span in cut.spans or ()]
        windows += cut.windows
    book = ChunkedBook(tuple(texts), None, tuple(windows), np.concatenate(pairs))
    return CutCorpora(book, tuple(places))


def passage_rows(
    corpora: Corpora,
    named: Sequence[tuple[str, Chunker]],
    retrievers: Sequence[Retriever],
    embedder: Embedder | None,
    *,
    reading: Embedder | None = None,
    k: int = K,
) -> list[TableRow]:
    """A row for every chunker and retriever: mean and standard deviation over questions.

    Args:
        reading: as in `BookRetrieval`.
    """
    rows = []
    queries = [Query(str(at), question.text, "", "") for at, question in enumerate(corpora.questions)]
    for name, chunker in named:
        cut = cut_corpora(corpora, chunker)
        rankers = BookRetrieval(cut.book, embedder, reading=reading)
        words = sum(len(text.split()) for text in cut.book.texts)
        for retriever in retrievers:
            rank = rankers.ranker(retriever)
            scored = [
                question_figures(question, [cut.places[at] for at in rank(query)[:k]], cut)
                for question, query in zip(corpora.questions, queries, strict=True)
            ]
            values = {metric: [of[metric] for of in scored] for metric in scored[0]}
            rows.append(
                TableRow(
                    labels={
                        "chunker": name,
                        "retriever": str(retriever),
                        "corpora": len(corpora.texts),
                        "n": len(scored),
                        "k": k,
                    },
                    figures={
                        **{metric: fmean(of) for metric, of in values.items()},
                        "tokens/chunk": TOKENS_PER_WORD * words / len(cut.places),
                    },
                    intervals={metric: bootstrap_interval([of]) for metric, of in values.items()},
                    deviations={metric: pstdev(of) for metric, of in values.items()},
                    details={"strategy": repr(chunker), "chunks": len(cut.places)},
                    values={
                        metric: {query.id: value for query, value in zip(queries, of, strict=True)}
                        for metric, of in values.items()
                    },
                )
            )
    return rows


def question_figures(
    question: CorpusQuestion, retrieved: Sequence[tuple[str, Span]], cut: CutCorpora
) -> dict[str, float]:
    """One question's token recall, precision, IoU, and the precision of a perfect retriever."""
    own = [span for corpus, span in retrieved if corpus == question.corpus]
    elsewhere = sum(len(span) for corpus, span in retrieved if corpus != question.corpus)
    scores = passage_scores(question.references, own, elsewhere=elsewhere)
    return {
        "recall": scores.recall,
        "precision": scores.precision,
        "precision_omega": precision_omega(question.references, cut.spans(question.corpus)),
        "iou": scores.iou,
    }


def published_rows() -> list[TableRow]:
    """Chroma's own figures: five corpora, of which three are in the set here, and 5 chunks retrieved."""
    rows, source = published_chunking()
    return [
        TableRow(
            labels={
                "chunker": f"published: {row.chunker} {row.size}, overlap {row.overlap}",
                "retriever": row.embedder,
                "corpora": 5,
                "n": 472,
                "k": K,
            },
            figures=row.means,
            deviations=row.deviations,
            details={"source": source},
        )
        for row in rows
    ]
