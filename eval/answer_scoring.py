"""From question to answer sentence: what the pipeline says, and how often that is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from chunkers.windows import window_spans
from core.errors import DataError
from core.protocols import Embedder
from core.values import Span
from eval.metrics import TopCandidate, aurc, auroc, calibration_error, triggering
from eval.placed import PlacedText
from eval.significance import bootstrap_interval
from eval.table import TableRow
from service.embedding.remembering import RememberingEmbedder
from service.pipeline import build
from service.settings import Settings
from service.values import DEFAULT_K, DEFAULT_SELECTOR, Answer, RetrieverName, Source

PLACES = (1, 3)


@dataclass(frozen=True, slots=True)
class AskedText:
    """A text with questions whose golds are evidence; a question without golds has no answer in it.

    Attributes:
        file: the name that it is ingested under; the ending decides how it is read.
        origin: the data set that it belongs to.
    """

    placed: PlacedText
    file: str
    origin: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of one question.

    Attributes:
        right: the rank, from 1, of the first sentence that overlaps the evidence; None when none does.
        answered: whether the trigger gave the first sentence out.
        probability: of the first sentence; None when there was no candidate.
    """

    question: str
    answerable: bool
    right: int | None
    answered: bool
    probability: float | None

    def right_within(self, places: int) -> float:
        """1 when a sentence among the first ``places`` is right, else 0."""
        return float(self.right is not None and self.right <= places)


@dataclass(frozen=True)
class Asking:
    """One configuration of the pipeline; every text gets a data directory of its own below ``place``.

    Attributes:
        embedder: in place of building the one that the settings name for every text.
        selectors: what chooses sentences, one after the other.
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
        if self.kept is not None and self.settings.index == "windows":
            windows = [span.of(asked.placed.text) for span in window_spans(asked.placed.text)]
            self.embedder.remember(windows, self.kept.embed_passages(windows))
        settings = self.settings.model_copy(update={"data_dir": self.place / asked.placed.name})
        with build(settings, embedder=self.embedder) as pipeline:
            report = pipeline.ingest(Source(asked.file, asked.placed.text.encode("utf-8")))
            characters = report.document.characters
            if report.state != "ready" or characters != len(asked.placed.text):
                reason = report.reason or f"got {characters:,} of {len(asked.placed.text):,} characters"
                raise DataError(f"{asked.file} must be read as it stands: {reason}")
            return {
                selector: [
                    _reply(
                        question.id,
                        question.golds,
                        pipeline.ask(question.text, k=self.k, retriever=self.retriever, selector=selector),
                    )
                    for question in asked.placed.questions
                ]
                for selector in self.selectors
            }


def reply_row(labels: dict[str, str | int], replies: Sequence[Sequence[Reply]]) -> TableRow:
    """One row over the replies of each text.

    ``right@k`` are over answerable questions, within a text, then over texts; so is ``answered``. What the
    trigger gave out is counted over all questions: ``right of answered``, its recall and F1, and, where some
    question has no answer, ``answered without`` (the share of those that were answered all the same).
    """
    with_answer = [[reply for reply in text if reply.answerable] for text in replies]
    with_answer = [text for text in with_answer if text]
    without = [reply for text in replies for reply in text if not reply.answerable]
    values = {
        **{f"right@{k}": [[reply.right_within(k) for reply in text] for text in with_answer] for k in PLACES},
        "answered": [[float(reply.answered) for reply in text] for text in with_answer],
    }
    every = [reply for text in replies for reply in text]
    given = triggering([_candidate(reply) for reply in every], 1.0)
    figures = {metric: fmean(map(fmean, books)) for metric, books in values.items() if books}
    figures |= {"right of answered": given.precision, "trigger recall": given.recall, "trigger f1": given.f1}
    figures |= confidence_figures(every)
    if without:
        figures["answered without"] = fmean(reply.answered for reply in without)
    return TableRow(
        labels={**labels, "n": sum(map(len, with_answer)), "without answer": len(without)},
        figures=figures,
        intervals={metric: bootstrap_interval(books) for metric, books in values.items() if books},
        details={
            "answered_right": sum(reply.answered and reply.right == 1 for text in replies for reply in text)
        },
    )


def confidence_figures(replies: Sequence[Reply]) -> dict[str, float]:
    """``aurc`` (less is better), ``auroc`` and ``ece`` of the first sentences' probabilities.

    What has no value on these replies is left out. A question without a candidate counts as one that is wrong
    at no confidence at all.
    """
    confidences, right = confidences_of(replies)
    found = {
        "aurc": aurc(confidences, right),
        "auroc": auroc(confidences, right),
        "ece": calibration_error(confidences, right),
    }
    return {metric: value for metric, value in found.items() if value is not None}


def confidences_of(replies: Sequence[Reply]) -> tuple[list[float], list[bool]]:
    """For each reply the probability of its first sentence, and whether it is right."""
    return [reply.probability or 0.0 for reply in replies], [reply.right == 1 for reply in replies]


def _reply(question: str, evidence: Sequence[Span], answer: Answer) -> Reply:
    ranked = answer.decision.ranked
    right = (
        rank
        for rank, scored in enumerate(ranked, start=1)
        if any(scored.candidate.span.overlap(span) for span in evidence)
    )
    return Reply(
        question=question,
        answerable=bool(evidence),
        right=next(right, None),
        answered=answer.decision.answer is not None,
        probability=answer.decision.probability if ranked else None,
    )


def _candidate(reply: Reply) -> TopCandidate:
    """The trigger's own decision as a score: 1 when it answered, so that the threshold is its own."""
    return TopCandidate(
        score=float(reply.answered), right=reply.answered and reply.right == 1, answerable=reply.answerable
    )
