"""From question to answer sentence: what counts as right, as answered, and as held word for word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers.boundaries import sentence_spans
from core.errors import DataError
from core.values import Span
from eval.answer_scoring import AskedText, Asking, Reply, confidence_figures, reply_row
from eval.asked_sets import fairytaleqa, sample
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA
from eval.datasets.sample import sample_directory
from eval.evidence import answer_sentences
from eval.placed import PlacedQuestion, PlacedText
from service.embedding.remembering import RememberingEmbedder
from service.settings import Settings
from tests.support.fakes import HashEmbedder

STORY = (
    "Maren lit the lamp. The  lamp\nburned until dawn. Then it went out.\n\nJoss slept. The lamp was cold."
)


def texts(answer: str, *sections: Span) -> list[str]:
    return [span.of(STORY) for span in answer_sentences(STORY, sections or (Span(0, len(STORY)),), answer)]


def test_evidence_is_each_sentence_that_holds_the_answer() -> None:
    assert texts("the lamp") == [
        "Maren lit the lamp.", "The  lamp\nburned until dawn.", "The lamp was cold.",
    ]  # fmt: skip
    assert texts(" The lamp burned until dawn. ") == ["The  lamp\nburned until dawn."]
    assert texts("dawn. Then it") == ["The  lamp\nburned until dawn.", "Then it went out."]
    assert texts("the lamp", Span(0, 19)) == ["Maren lit the lamp."]
    assert texts("the stove") == texts(" . ") == texts("") == []


@given(st.sampled_from([span.of(STORY) for span in sentence_spans(STORY)]))
def test_every_sentence_is_evidence_of_itself(sentence: str) -> None:
    assert sentence in texts(sentence.upper())


def test_val_has_571_questions_whose_answer_stands_in_the_gold_section(data_root: Path) -> None:
    (text,) = fairytaleqa(locate(FAIRYTALEQA, data_root).folder)
    questions = text.placed.questions
    assert len(questions) == 571
    evidence = {question.id: [gold.of(text.placed.text) for gold in question.golds] for question in questions}
    assert (questions[0].id, questions[-1].id) == (
        "assipattle-and-the-mester-stoorworm/1",
        "why-dog-and-cat-are-enemies/19",
    )
    assert evidence[questions[0].id] == [
        "In far bygone days, in the North, there lived a well-to-do farmer, who\n"
        "had seven sons and one daughter."
    ]
    assert evidence[questions[-1].id] == [
        "Then the dog grew angry at\rthe cat, because she had robbed him of his reward, and when he saw her\r"
        "he chased her and tried to seize her."
    ]


def test_the_bundled_tale_has_eight_such_questions() -> None:
    (text,) = fairytaleqa(sample_directory() / "fairytaleqa")
    assert len(text.placed.questions) == 8
    assert all(question.golds for question in text.placed.questions)


def reply(right: int | None, *, answered: bool, answerable: bool = True) -> Reply:
    return Reply("q", answerable, right, answered, 0.5)


def test_a_row_counts_right_places_over_what_can_be_answered_and_the_trigger_over_all() -> None:
    first = [
        reply(1, answered=True),
        reply(2, answered=True),
        reply(4, answered=False),
        reply(None, answered=True),
    ]
    second = [reply(1, answered=False), reply(None, answered=True, answerable=False)]
    figures = reply_row({"set": "s"}, [first, second]).figures
    assert figures["right@1"] == pytest.approx((1 / 4 + 1) / 2)
    assert figures["right@3"] == pytest.approx((2 / 4 + 1) / 2)
    assert figures["answered"] == pytest.approx((3 / 4 + 0) / 2)
    assert figures["right of answered"] == pytest.approx(1 / 4)
    assert figures["trigger recall"] == pytest.approx(1 / 5)
    assert figures["trigger f1"] == pytest.approx(2 / 9)
    assert figures["answered without"] == 1.0
    row = reply_row({"set": "s"}, [first])
    assert "answered without" not in row.figures
    assert (row.labels["n"], row.labels["without answer"], row.details["answered_right"]) == (4, 0, 1)


def test_a_text_is_asked_through_the_pipeline_and_judged_by_overlap(tmp_path: Path) -> None:
    asking = Asking(
        tmp_path, Settings.load(), RememberingEmbedder(HashEmbedder(512)), ("overlap", "wgt-wd-cnt")
    )
    story = PlacedText(
        "quay",
        STORY,
        (
            PlacedQuestion("lamp", "What burned until dawn?", (Span(20, 24),)),
            PlacedQuestion("elsewhere", "What burned until dawn?", (Span(0, 5),)),
            PlacedQuestion("nowhere", "Where do volcanoes erupt?", ()),
        ),
    )
    replies = asking.ask(AskedText(story, "quay.txt", "own"))
    assert list(replies) == ["overlap", "wgt-wd-cnt"]
    lamp, elsewhere, nowhere = replies["overlap"]
    assert (lamp.right, lamp.answerable, lamp.answered) == (1, True, True)
    assert elsewhere.right is not None
    assert elsewhere.right > 1
    assert (nowhere.right, nowhere.answerable, nowhere.answered) == (None, False, False)
    counted = replies["wgt-wd-cnt"]
    assert (counted[0].right, counted[2].answered) == (1, False)
    assert counted[0].probability != lamp.probability


def test_windows_that_are_kept_are_not_embedded_again(tmp_path: Path) -> None:
    embedder, elsewhere = HashEmbedder(64), HashEmbedder(64)
    asked = AskedText(PlacedText("quay", STORY, ()), "quay.txt", "own")
    Asking(tmp_path, Settings.load(), RememberingEmbedder(embedder), kept=elsewhere).ask(asked)
    assert (embedder.calls, elsewhere.calls > 0) == (0, True)


def test_confidences_are_measured_where_they_can_be() -> None:
    replies = [reply(1, answered=True), reply(None, answered=True), reply(2, answered=False)]
    figures = confidence_figures(
        [replace(one, probability=p) for one, p in zip(replies, (0.9, None, 0.4), strict=True)]
    )
    assert figures == {
        "aurc": pytest.approx((0 + 1 / 2 + 2 / 3) / 3),
        "auroc": 1.0,
        "ece": pytest.approx((0.1 + 0.4 + 0) / 3),
    }
    assert "auroc" not in confidence_figures(replies[:1])


def test_a_text_that_is_not_read_as_it_stands_is_an_error(tmp_path: Path) -> None:
    asking = Asking(tmp_path, Settings.load(), RememberingEmbedder(HashEmbedder()))
    with pytest.raises(DataError, match=r"void\.txt must be read as it stands"):
        asking.ask(AskedText(PlacedText("void", " \n ", ()), "void.txt", "own"))


def test_the_story_comes_with_questions_that_it_does_not_answer() -> None:
    questions = sample().placed.questions
    assert [bool(question.golds) for question in questions] == [True] * 20 + [False] * 10
