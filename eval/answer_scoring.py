"""From question to answer sentence: what the pipeline says, and whether that is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chunkers.windows import window_spans
from core.errors import DataError
from core.protocols import Embedder
from core.values import Hit, Span
from eval.asked import AskedQuestion, AskedText, Kind
from service.answerer import MAX_K
from service.embedding.remembering import RememberingEmbedder
from service.pipeline import Pipeline, build
from service.settings import Settings
from service.values import DEFAULT_K, DEFAULT_SELECTOR, Answer, Retrieval, RetrieverName, Source


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of one question.

    Attributes:
        question: its id.
        kind: whether, and if not why not, the text held the answer.
        right: the rank, from 1, of the first sentence that overlaps the evidence; None when none does.
        answered: whether the trigger gave the first sentence out.
        probability: of the first sentence; None when there was no candidate.
        home: the text that the question was written for.
        group: the book or story that it is on.
    """

    question: str
    kind: Kind
    right: int | None
    answered: bool
    probability: float | None
    home: str = ""
    group: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the passages could hold the answer."""
        return self.kind == "answerable"

    @property
    def confidence(self) -> float:
        """The probability; without a candidate none at all."""
        return self.probability or 0.0

    def right_within(self, places: int) -> float:
        """1 when a sentence among the first ``places`` is right, else 0."""
        return float(self.right is not None and self.right <= places)


@dataclass(frozen=True)
class Asking:
    """One configuration of the pipeline; every text gets a data directory of its own below ``place``.

    Attributes:
        embedder: in place of building the one that the settings name for every text.
        selectors: what chooses sentences, all from the same passages.
        kept: gives the same vectors from the disk, where windows were embedded before; None embeds them anew.
    """

    place: Path
    settings: Settings
    embedder: RememberingEmbedder
    selectors: Sequence[str] = (DEFAULT_SELECTOR,)
    kept: Embedder | None = None
    k: int = DEFAULT_K
    retriever: RetrieverName = "hybrid"

    def ask(self, asked: AskedText) -> dict[str, list[Reply]]:
        """Ingest the text, then ask its questions in order, by selector.

        Raises:
            InvalidValue: no such selector.
            DataError: the text cannot be read, or is not what its spans refer to.
        """
        found: dict[str, list[Reply]] = {selector: [] for selector in self.selectors}
        with self.ingested(asked) as pipeline:
            for question in asked.questions:
                passages = self.passages(pipeline, question)
                for selector, replies in found.items():
                    replies.append(_reply(question, pipeline.answer(passages, selector=selector)))
        return found

    def ingested(self, asked: AskedText) -> Pipeline:
        """The pipeline over that text alone.

        Raises:
            DataError: the text cannot be read, or is not what its spans refer to.
        """
        if self.kept is not None and self.settings.index == "windows":
            windows = [span.of(asked.text) for span in window_spans(asked.text)]
            self.embedder.remember(windows, self.kept.embed_passages(windows))
        settings = self.settings.model_copy(update={"data_dir": self.place / asked.name})
        pipeline = build(settings, embedder=self.embedder)
        report = pipeline.ingest(Source(asked.file, asked.text.encode("utf-8")))
        characters = report.document.characters
        if report.state != "ready" or characters != len(asked.text):
            pipeline.close()
            reason = report.reason or f"got {characters:,} of {len(asked.text):,} characters"
            raise DataError(f"{asked.file} must be read as it stands: {reason}")
        return pipeline

    def passages(self, pipeline: Pipeline, asked: AskedQuestion) -> Retrieval:
        """The k best passages; of ``removed`` the k best of those that do not touch the evidence.

        They are ranked anew: that ranks are missing would tell what was left out.
        """
        text, evidence = asked.question.text, asked.question.golds
        if asked.kind != "removed":
            return pipeline.retrieve(text, k=self.k, retriever=self.retriever)
        depth = self.k
        while True:
            depth = min(2 * depth, MAX_K)
            found = pipeline.retrieve(text, k=depth, retriever=self.retriever)
            kept = [hit for hit in found.hits if not _touches(hit, evidence)]
            if len(kept) >= self.k or len(found.hits) < depth or depth == MAX_K:
                hits = [replace(hit, rank=rank) for rank, hit in enumerate(kept[: self.k], start=1)]
                return replace(found, hits=hits)


def _touches(hit: Hit, evidence: Sequence[Span]) -> bool:
    return any(hit.chunk.span.overlap(span) for span in evidence)


def _reply(asked: AskedQuestion, answer: Answer) -> Reply:
    ranked = answer.decision.ranked
    right = (
        rank
        for rank, scored in enumerate(ranked, start=1)
        if any(scored.candidate.span.overlap(span) for span in asked.question.golds)
    )
    return Reply(
        question=asked.question.id,
        kind=asked.kind,
        right=next(right, None),
        answered=answer.decision.answer is not None,
        probability=answer.decision.probability if ranked else None,
        home=asked.home,
        group=asked.group,
    )
