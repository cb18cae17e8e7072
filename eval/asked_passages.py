"""Passages that the pipeline finds for questions, kept on disk: selectors are trained anew, they stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from answering.base import Candidate
from answering.candidates import candidates
from chunkers.base import Chunker
from core.identity import digest
from core.text import IdfTable, question_terms, terms
from core.values import Chunk, Hit, Span
from eval.answer_scoring import Asking
from eval.asked import AskedQuestion, AskedText
from eval.keeping import Shelf
from service.retrieval import Fusion


@dataclass(frozen=True, slots=True)
class AskedPassages:
    """What a question found.

    Attributes:
        hits: of one text, whose name is their document's id.
        table: how many of that text's chunks hold each of the question's terms.
    """

    asked: AskedQuestion
    hits: tuple[Hit, ...]
    table: IdfTable

    @property
    def candidates(self) -> list[Candidate]:
        """The sentences of the hits, as a selector gets them."""
        return candidates(self.hits)


def asked_passages(
    asking: Asking, chunker: Chunker, texts: Sequence[AskedText], shelf: Shelf
) -> Iterator[list[AskedPassages]]:
    """For each text what its questions found, in their order; a text that was asked before is not ingested.

    Args:
        chunker: the one that the settings of ``asking`` describe.
    """
    for text in texts:
        key = _key(asking, chunker, text)
        kept = shelf.read(key)
        if kept is None:
            kept = _found(asking, chunker, text)
            shelf.write(key, kept)
        yield [
            AskedPassages(asked, _hits(text, rows), IdfTable(kept["chunks"], _of(kept["held"], asked)))
            for asked, rows in zip(text.questions, kept["hits"], strict=True)
        ]


def _key(asking: Asking, chunker: Chunker, text: AskedText) -> str:
    how = (chunker, asking.settings.index, asking.retriever, asking.k, Fusion())
    asked = [repr((one.kind, one.question)) for one in text.questions]
    return digest("asked passages", repr(how), asking.embedder.fingerprint, text.file, text.text, *asked)


def _found(asking: Asking, chunker: Chunker, text: AskedText) -> dict[str, Any]:
    with asking.ingested(text) as pipeline:
        hits = [
            [[hit.chunk.span.start, hit.chunk.span.end, hit.score] for hit in found.hits]
            for found in (asking.passages(pipeline, asked) for asked in text.questions)
        ]
    held = [set(terms(span.of(text.text))) for span in chunker.split(text.text)]
    asked = {term for one in text.questions for term in question_terms(one.question.text)}
    counts = {term: sum(term in one for one in held) for term in sorted(asked)}
    return {"hits": hits, "chunks": len(held), "held": counts}


def _hits(text: AskedText, rows: Sequence[Sequence[float]]) -> tuple[Hit, ...]:
    spans = [(Span(int(start), int(end)), score) for start, end, score in rows]
    return tuple(
        Hit(Chunk(f"{span.start}", text.name, span, span.of(text.text)), score, rank)
        for rank, (span, score) in enumerate(spans, start=1)
    )


def _of(held: dict[str, int], asked: AskedQuestion) -> dict[str, float]:
    return {term: held[term] for term in question_terms(asked.question.text)}
