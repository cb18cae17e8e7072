"""Short stories joined into texts of a book's length, where finding the place is as hard as in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.values import Span
from eval.datasets.fairytaleqa import Story, StoryQuestion

BETWEEN_STORIES = "\n\n"
WORDS = 50_000


@dataclass(frozen=True, slots=True)
class JoinedQuestion:
    """A question and the sections that answer it, as spans of the joined text."""

    question: StoryQuestion
    sections: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class JoinedText:
    """Stories in file-name order, whole, until ``words`` are reached.

    Attributes:
        sections: the stories' sections, as spans of the joined text.
        stories: what was joined.
    """

    name: str
    text: str
    questions: tuple[JoinedQuestion, ...]
    sections: tuple[Span, ...] = ()
    stories: tuple[Story, ...] = ()


def join(stories: Sequence[Story], *, words: int = WORDS) -> list[JoinedText]:
    """Every story in exactly one text of at least ``words`` words; the last text takes what is left.

    A rest of under half of ``words`` is added to the text before it.
    """
    groups: list[list[Story]] = [[]]
    size = 0
    for story in stories:
        if size >= words:
            groups.append([])
            size = 0
        groups[-1].append(story)
        size += len(story.text.split())
    if len(groups) > 1 and size < words / 2:
        groups[-2].extend(groups.pop())
    return [joined(f"joined-{number:02d}", group) for number, group in enumerate(groups, start=1)]


def joined(name: str, stories: Sequence[Story]) -> JoinedText:
    """All of the stories as one text of that name."""
    starts = list(_starts(stories))
    questions = tuple(
        JoinedQuestion(question, tuple(section.shifted(start) for section in question.sections))
        for story, start in zip(stories, starts, strict=True)
        for question in story.questions
    )
    sections = tuple(
        section.span.shifted(start)
        for story, start in zip(stories, starts, strict=True)
        for section in story.sections
    )
    whole = BETWEEN_STORIES.join(story.text for story in stories)
    return JoinedText(name, whole, questions, sections, tuple(stories))


def _starts(stories: Sequence[Story]) -> Iterator[int]:
    at = 0
    for story in stories:
        yield at
        at += len(story.text) + len(BETWEEN_STORIES)
