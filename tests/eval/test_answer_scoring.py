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
from eval.answer_scoring import Asking, Reply
from eval.asked import AskedQuestion, AskedText, Kind
from eval.asked_sets import fairytaleqa, sample
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA
from eval.datasets.sample import sample_directory
from eval.evidence import answer_sentences
from eval.placed import PlacedQuestion
from eval.reply_rows import confidence_figures, reply_rows
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


def answerable(text: AskedText) -> list[PlacedQuestion]:
    return [asked.question for asked in text.questions if asked.kind == "answerable"]


def test_val_has_571_questions_whose_answer_stands_in_the_gold_section(data_root: Path) -> None:
    text, *fewer = fairytaleqa(locate(FAIRYTALEQA, data_root).folder)
    questions = answerable(text)
    assert len(questions) == 571
    evidence = {question.id: [gold.of(text.text) for gold in question.golds] for question in questions}
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
    asked = [one.kind for text in fewer for one in text.questions]
    assert (asked.count("other author"), asked.count("sibling")) == (571, 512)


def test_the_bundled_tale_has_eight_such_questions() -> None:
    (text,) = fairytaleqa(sample_directory() / "fairytaleqa")
    assert len(answerable(text)) == 8
    assert all(question.golds for question in answerable(text))


def reply(right: int | None, *, answered: bool, kind: Kind = "answerable", home: str = "one") -> Reply:
    return Reply("q", kind, right, answered, 0.5, home, home)


def test_a_row_a_kind_counts_what_was_answered_and_one_of_all_how_much_of_that_is_right() -> None:
    asked = [
        reply(1, answered=True),
        reply(2, answered=True),
        reply(4, answered=False),
        reply(None, answered=True),
        reply(1, answered=False, home="two"),
        reply(None, answered=True, kind="removed", home="two"),
        reply(None, answered=False, kind="removed", home="two"),
    ]
    own, removed, every = reply_rows({"set": "s"}, asked)
    assert [row.labels["asked"] for row in (own, removed, every)] == ["answerable", "removed", "all"]
    assert own.figures["right@1"] == pytest.approx((1 / 4 + 1) / 2)
    assert own.figures["right@3"] == pytest.approx((2 / 4 + 1) / 2)
    assert own.figures["answered"] == pytest.approx((3 / 4 + 0) / 2)
    assert own.figures["right of answered"] == pytest.approx(1 / 3)
    assert removed.figures == {"answered": 0.5, "auroc": 0.5, "auroc of right": 0.5}
    assert every.figures["right of answered"] == pytest.approx(1 / 4)
    assert every.figures["trigger recall"] == pytest.approx(1 / 5)
    assert every.figures["trigger f1"] == pytest.approx(2 / 9)
    assert (every.labels["n"], every.details) == (
        7,
        {"mix": "5 answerable : 2 removed", "answered_right": 1},
    )
    (alone,) = reply_rows({"set": "s"}, asked[:5])
    assert alone.labels["asked"] == "answerable"


def asked(question: PlacedQuestion, kind: Kind = "answerable") -> AskedQuestion:
    return AskedQuestion(question, kind, "quay", "quay")


def test_a_text_is_asked_through_the_pipeline_and_judged_by_overlap(tmp_path: Path) -> None:
    asking = Asking(
        tmp_path, Settings.load(), RememberingEmbedder(HashEmbedder(512)), ("overlap", "wgt-wd-cnt")
    )
    own = PlacedQuestion("lamp", "What burned until dawn?", (Span(20, 24),))
    nowhere_told = PlacedQuestion("nowhere", "Where do volcanoes erupt?", ())
    questions = (
        asked(own),
        asked(replace(own, id="elsewhere", golds=(Span(0, 5),))),
        asked(nowhere_told, "unanswerable"),
    )
    replies = asking.ask(AskedText("quay", STORY, "quay.txt", questions))
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
    text = AskedText("quay", STORY, "quay.txt", ())
    Asking(tmp_path, Settings.load(), RememberingEmbedder(embedder), kept=elsewhere).ask(text)
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
        asking.ask(AskedText("void", " \n ", "void.txt", ()))


def test_the_story_comes_with_questions_that_it_does_not_answer() -> None:
    kinds = [asked.kind for asked in sample().questions]
    assert kinds == ["answerable"] * 20 + ["removed"] * 20 + ["unanswerable"] * 10


def test_removed_passages_are_those_that_touch_the_evidence_and_others_follow(
    tmp_path: Path,
) -> None:
    told = [f"The {name} lamp burned until dawn.\n\n" for name in ("brass", "tin", "clay", "glass")]
    text = "".join(told)
    evidence = Span(text.index("The tin"), text.index("The tin") + len(told[1].strip()))
    question = PlacedQuestion("tin", "Which tin lamp burned until dawn?", (evidence,))
    settings = Settings.load(chunker="sentence", chunk_size=40)
    asking = Asking(tmp_path, settings, RememberingEmbedder(HashEmbedder(256)), k=2)
    with asking.ingested(AskedText("lamps", text, "lamps.txt", ())) as pipeline:
        own, without = (
            asking.passages(pipeline, asked(question, kind)).hits for kind in ("answerable", "removed")
        )
        assert any(hit.chunk.span.overlap(evidence) for hit in own)
        assert not any(hit.chunk.span.overlap(evidence) for hit in without)
        assert [hit.rank for hit in without] == [1, 2]
        assert pipeline.answer(asking.passages(pipeline, asked(question))).hits == own
