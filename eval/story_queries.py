"""Questions of sets made for reading as judged sentences, half of them without the sentences that answer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunkers.boundaries import sentence_spans
from core.values import Span
from eval.datasets.fairytaleqa import Section, Story, StoryQuestion
from eval.datasets.selection import JudgedSentence, SelectionQuery
from eval.evidence import answer_sentences

# Sections beside the gold one, as a retriever would also find them.
OTHERS = 2


def with_unanswerable(queries: Sequence[SelectionQuery]) -> list[SelectionQuery]:
    """Each query, and after it the same without its right sentences, id ``ID/without``, in the same group."""
    return [one for query in queries for one in (query, _without(query)) if one.sentences]


def _without(query: SelectionQuery) -> SelectionQuery:
    wrong = tuple(sentence for sentence in query.sentences if not sentence.right)
    return replace(query, id=f"{query.id}/without", sentences=wrong)


def story_queries(stories: Sequence[Story], *, per_story: int, seed: int) -> list[SelectionQuery]:
    """Some explicit questions of each story whose first answer stands in a gold section; a group is a story.

    Sentences are those of the gold section and of `OTHERS` others, in the order of the story. Every other
    question is asked without its gold section, so that it has no answer.
    """
    return [query for story in stories for query in _of_story(story, per_story, seed)]


def _of_story(story: Story, per_story: int, seed: int) -> Iterator[SelectionQuery]:
    rng = random.Random(f"{seed}-{story.name}")  # noqa: S311 - a sample, no secret
    usable = [
        (question, golds)
        for question in story.questions
        if question.explicit
        and question.answers
        and (golds := answer_sentences(story.text, question.sections, question.answers[0]))
    ]
    chosen = rng.sample(usable, min(per_story, len(usable)))
    for place, (question, golds) in enumerate(chosen):
        query = _query(story, question, golds, rng, answerable=place % 2 == 0)
        if query.sentences:
            yield query


def _query(
    story: Story, question: StoryQuestion, golds: Sequence[Span], rng: random.Random, *, answerable: bool
) -> SelectionQuery:
    gold = [section for section in story.sections if section.span in question.sections]
    rest = [section for section in story.sections if section.span not in question.sections]
    found: list[Section] = [*(gold if answerable else []), *rng.sample(rest, min(OTHERS, len(rest)))]
    found.sort(key=lambda section: section.span)
    sentences: list[JudgedSentence] = []
    for section in found:
        for sentence in sentence_spans(section.span.of(story.text)):
            span = sentence.shifted(section.span.start)
            right = answerable and any(span.overlap(one) for one in golds)
            sentences.append(JudgedSentence(str(len(sentences)), span.of(story.text), right))
    return SelectionQuery(question.id, question.text, tuple(sentences), group=story.name)
