"""Questions on stories as the pipeline meets them: sentences of the passages found in a book-long text."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.base import Candidate
from answering.candidates import candidates
from chunkers.windows import window_spans
from core.protocols import Embedder
from core.values import Hit, Span
from eval.datasets.fairytaleqa import Story
from eval.datasets.selection import JudgedSentence, SelectionQuery
from eval.evidence import answer_sentences
from eval.joined import JoinedQuestion, JoinedText, join
from service.embedding.remembering import RememberingEmbedder
from service.pipeline import Pipeline, build
from service.settings import Settings
from service.values import DEFAULT_K, Source

FOREIGN, REMOVED = "/foreign", "/removed"
# Passages found, of which those that hold the answer may be taken away.
_FOUND = 2 * DEFAULT_K


@dataclass(frozen=True)
class Asked:
    """A question and the sentences that answer it, none of a text that does not hold the answer."""

    question: JoinedQuestion
    golds: tuple[Span, ...]

    @property
    def story(self) -> str:
        """The story that it was asked on."""
        return self.question.question.id.partition("/")[0]


def retrieved_queries(
    stories: Sequence[Story], embedder: Embedder, *, per_story: int, seed: int
) -> list[SelectionQuery]:
    """Explicit questions whose first answer stands in a gold section, asked of stories joined to a book.

    Of four questions, two are asked of their own text, one of it without the passages that hold the answer
    (id ``ID/removed``), and one of another text (``ID/foreign``). Sentences are those of the `DEFAULT_K` best
    passages of the pipeline as shipped; a group is the story that the question was asked on.

    Args:
        embedder: its vectors of windows may be kept.
        per_story: questions a story, drawn by ``seed``.
    """
    texts = join(stories)
    chosen = [_drawn(text, per_story, seed) for text in texts]
    found: list[SelectionQuery] = []
    with tempfile.TemporaryDirectory(prefix="sawyer-train-") as place:
        for at, text in enumerate(texts):
            others = chosen[(at + 1) % len(texts)] if len(texts) > 1 else []
            with _ingested(Path(place) / text.name, text, embedder) as pipeline:
                found += _asked(pipeline, chosen[at], others)
    return [query for query in found if query.sentences]


def drawn_ids(stories: Sequence[Story], per_story: int, seed: int) -> set[str]:
    """The ids of the questions that `retrieved_queries` asks."""
    return {one.question.question.id for text in join(stories) for one in _drawn(text, per_story, seed)}


def _drawn(text: JoinedText, per_story: int, seed: int) -> list[Asked]:
    by_story: dict[str, list[Asked]] = {}
    for question in text.questions:
        if question.question.explicit and question.question.answers:
            golds = answer_sentences(text.text, question.sections, question.question.answers[0])
            one = Asked(question, golds)
            if golds:
                by_story.setdefault(one.story, []).append(one)
    return [
        one
        for story, asked in by_story.items()
        for one in random.Random(f"{seed}-{story}").sample(asked, min(per_story, len(asked)))  # noqa: S311 - a sample, no secret
    ]


def _ingested(place: Path, text: JoinedText, embedder: Embedder) -> Pipeline:
    windows = [span.of(text.text) for span in window_spans(text.text)]
    remembering = RememberingEmbedder(embedder)
    remembering.remember(windows, embedder.embed_passages(windows))  # all at once, so that they can be kept
    pipeline = build(Settings.load().model_copy(update={"data_dir": place}), embedder=remembering)
    pipeline.ingest(Source(f"{text.name}.txt", text.text.encode("utf-8")))
    return pipeline


def _asked(pipeline: Pipeline, own: Sequence[Asked], others: Sequence[Asked]) -> Iterator[SelectionQuery]:
    for place, one in enumerate(own):
        hits = pipeline.retrieve(one.question.question.text, k=_FOUND).hits
        if place % 4 != 3:
            yield _query(one, hits[:DEFAULT_K], one.golds, "")
        else:
            kept = [hit for hit in hits if not any(hit.chunk.span.overlap(gold) for gold in one.golds)]
            # ranked anew: that ranks are missing would tell what was taken away
            ranked = [replace(hit, rank=rank) for rank, hit in enumerate(kept[:DEFAULT_K], start=1)]
            yield _query(one, ranked, (), REMOVED)
    for one in others[::3]:
        hits = pipeline.retrieve(one.question.question.text, k=DEFAULT_K).hits
        yield _query(one, hits, (), FOREIGN)


def _query(one: Asked, hits: Sequence[Hit], golds: Sequence[Span], kind: str) -> SelectionQuery:
    sentences = tuple(
        _judged(str(at), candidate, any(candidate.span.overlap(gold) for gold in golds))
        for at, candidate in enumerate(candidates(hits))
    )
    return SelectionQuery(
        f"{one.question.question.id}{kind}", one.question.question.text, sentences, group=one.story
    )


def _judged(name: str, candidate: Candidate, right: bool) -> JudgedSentence:
    return JudgedSentence(name, candidate.text, right, candidate.before, candidate.after, candidate.rank)
