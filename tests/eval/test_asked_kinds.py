"""A refusal says that a date is missing only where a right sentence would hold one: held-out questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from answering.asked_kind import kind_of
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, Story, read_training_stories
from eval.datasets.wikiqa import WIKIQA, read_splits
from eval.evidence import answer_sentences

Asked = tuple[str, list[str]]  # a question and its right sentences, one at least


def lacking(questions: Iterable[Asked]) -> tuple[int, list[str]]:
    """How many questions ask for a kind, and those of which no right sentence shows it."""
    asked = [(text, right, kind) for text, right in questions if (kind := kind_of(text))]
    return len(asked), [text for text, right, kind in asked if not any(map(kind.held_by, right))]


def told(stories: Iterable[Story]) -> Iterator[Asked]:
    for story in stories:
        for one in story.questions:
            if one.explicit and one.answers:
                spans = answer_sentences(story.text, one.sections, one.answers[0])
                if spans:
                    yield one.text, [span.of(story.text) for span in spans]


def test_a_right_sentence_seldom_lacks_the_kind_that_is_asked_for(data_root: Path) -> None:
    dev = read_splits(locate(WIKIQA, data_root).folder, "dev")
    asked, missed = lacking(
        (one.text, [sentence.text for sentence in one.sentences if sentence.right])
        for one in dev
        if one.answerable
    )
    others, lacked = lacking(told(read_training_stories(locate(FAIRYTALEQA, data_root).folder, "val")))
    assert asked + others >= 20
    assert len(missed) + len(lacked) <= 0.1 * (asked + others), (missed, lacked)
