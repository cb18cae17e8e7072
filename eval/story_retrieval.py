"""Questions on stories as the pipeline meets them: sentences of the passages found in a book-long text."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from answering.candidates import candidates
from core.protocols import Embedder
from core.values import Hit
from eval.answer_scoring import Asking
from eval.asked import AskedQuestion, AskedText, Kind
from eval.asked_stories import story_of, verbatim
from eval.datasets.fairytaleqa import Story
from eval.datasets.selection import JudgedSentence, SelectionQuery
from eval.joined import JoinedText, join
from eval.placed import PlacedQuestion
from service.embedding.remembering import RememberingEmbedder
from service.pipeline import Pipeline
from service.settings import Settings

FOREIGN, REMOVED = "/foreign", "/removed"


def retrieved_queries(
    stories: Sequence[Story], embedder: Embedder, *, per_story: int, seed: int
) -> list[SelectionQuery]:
    """Explicit questions whose first answer stands in a gold section, asked of stories joined to a book.

    Every fourth question is asked without the passages that hold the answer (id ``ID/removed``), and every
    third one of another text too (``ID/foreign``). Sentences are those of the best passages of the pipeline
    as shipped; a group is the story that the question was asked on.

    Args:
        embedder: its vectors of windows may be kept.
        per_story: questions a story, drawn by ``seed``.
    """
    texts = join(stories)
    chosen = [_drawn(text, per_story, seed) for text in texts]
    found: list[SelectionQuery] = []
    with tempfile.TemporaryDirectory(prefix="sawyer-train-") as place:
        asking = Asking(Path(place), Settings.load(), RememberingEmbedder(embedder), kept=embedder)
        for at, text in enumerate(texts):
            others = chosen[(at + 1) % len(texts)] if len(texts) > 1 else []
            with asking.ingested(AskedText(text.name, text.text, f"{text.name}.txt", ())) as pipeline:
                found += _asked(asking, pipeline, chosen[at], others)
    return [query for query in found if query.sentences]


def drawn_ids(stories: Sequence[Story], per_story: int, seed: int) -> set[str]:
    """The ids of the questions that `retrieved_queries` asks."""
    return {one.id for text in join(stories) for one in _drawn(text, per_story, seed)}


def _drawn(text: JoinedText, per_story: int, seed: int) -> list[PlacedQuestion]:
    by_story: dict[str, list[PlacedQuestion]] = {}
    for question in verbatim(text):
        by_story.setdefault(story_of(question), []).append(question)
    return [
        one
        for story, asked in by_story.items()
        for one in random.Random(f"{seed}-{story}").sample(asked, min(per_story, len(asked)))  # noqa: S311 - a sample, no secret
    ]


def _asked(
    asking: Asking, pipeline: Pipeline, own: Sequence[PlacedQuestion], others: Sequence[PlacedQuestion]
) -> Iterator[SelectionQuery]:
    def query(one: PlacedQuestion, kind: Kind, mark: str) -> SelectionQuery:
        asked = AskedQuestion(one, kind, one.id, story_of(one))
        return _query(asked, asking.passages(pipeline, asked).hits, mark)

    for place, one in enumerate(own):
        yield query(one, "removed", REMOVED) if place % 4 == 3 else query(one, "answerable", "")
    for one in others[::3]:
        yield query(one, "other author", FOREIGN)


def _query(asked: AskedQuestion, hits: Sequence[Hit], mark: str) -> SelectionQuery:
    golds = asked.question.golds if asked.kind == "answerable" else ()
    sentences = tuple(
        JudgedSentence(
            str(at),
            one.text,
            any(one.span.overlap(gold) for gold in golds),
            one.before,
            one.after,
            one.rank,
        )
        for at, one in enumerate(candidates(hits))
    )
    return SelectionQuery(f"{asked.question.id}{mark}", asked.question.text, sentences, group=asked.group)
