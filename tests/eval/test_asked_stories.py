"""Stories that are left out of a joined text, so that it does not hold what is asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.errors import DataError
from core.values import Span
from eval.asked import AskedText, drawn
from eval.asked_sets import corpora, next_foreign, sibling_of
from eval.asked_stories import asked_stories
from eval.datasets.chunking_evaluation import read_corpora
from eval.datasets.fairytaleqa import Section, Story, StoryQuestion

ORIGINS = {"ash": "hills", "birch": "hills", "cedar": "coast", "dune": "coast", "elm": "town"}


def story(name: str) -> Story:
    text = f"The {name} keeper owned a {name} boat. It rained."
    whole = Span(0, len(text))
    asked = StoryQuestion(
        f"{name}/1", f"What did the {name} keeper own?", (whole,), (f"a {name} boat",), "action",
        explicit=True, local=True,
    )  # fmt: skip
    return Story(name, text, (Section("1", whole),), (asked,))


def asked_of(text: AskedText, kind: str) -> set[str]:
    return {asked.group for asked in text.questions if asked.kind == kind}


TEXTS = asked_stories([story(name) for name in ORIGINS], ORIGINS)


def test_the_whole_text_is_asked_every_question_with_its_passages_and_without() -> None:
    whole = TEXTS[0]
    assert asked_of(whole, "answerable") == asked_of(whole, "removed") == set(ORIGINS)
    assert [gold.of(whole.text) for gold in whole.questions[1].question.golds] == [
        "The birch keeper owned a birch boat."
    ]


def test_another_author_is_one_of_whom_the_text_holds_nothing() -> None:
    asked: set[str] = set()
    for text in TEXTS[1:]:
        for name in asked_of(text, "other author"):
            asked.add(name)
            kin = [other for other in ORIGINS if ORIGINS[other] == ORIGINS[name]]
            assert not any(f"{other} boat" in text.text for other in kin)
    assert asked == set(ORIGINS)


def test_a_sibling_is_another_story_of_the_same_origin() -> None:
    asked: set[str] = set()
    for text in TEXTS[1:]:
        for name in asked_of(text, "sibling"):
            asked.add(name)
            kin = [other for other in ORIGINS if ORIGINS[other] == ORIGINS[name] and other != name]
            assert f"{name} boat" not in text.text
            assert all(f"{other} boat" in text.text for other in kin)
    assert asked == {"ash", "birch", "cedar", "dune"}


def test_what_a_text_does_not_hold_has_no_evidence_and_counts_for_the_text_that_does() -> None:
    foreign = [asked for text in TEXTS[1:] for asked in text.questions]
    assert foreign
    assert not any(asked.question.golds for asked in foreign)
    assert {asked.home for asked in foreign} == {"joined-01"}


def test_a_story_without_an_origin_is_an_error() -> None:
    with pytest.raises(DataError, match="every story must have an origin, got none for fir"):
        asked_stories([story("fir")], ORIGINS)


def test_a_question_that_is_drawn_is_asked_in_all_its_kinds() -> None:
    fewer = drawn(TEXTS, ("answerable", "sibling"), 2, seed=3)
    own, sibling = (
        {asked.question.id for text in fewer for asked in text.questions if asked.kind == kind}
        for kind in ("answerable", "sibling")
    )
    assert len(own) == 2
    assert sibling == {one for one in own if one != "elm/1"}
    assert all(text.questions for text in fewer)


def test_the_foreign_book_is_the_next_by_another_author_and_the_sibling_stands_outside_the_set() -> None:
    names = ("A_-_Ann", "B_-_Ann", "C_-_Bob")
    assert [next_foreign(name, names) for name in names] == ["C_-_Bob", "C_-_Bob", "A_-_Ann"]
    assert next_foreign("A_-_Ann", names[:2]) is None
    shelf = ("0_-_Bob", *names, "D_-_Ann", "E_-_Ann")
    assert [sibling_of(name, shelf, names) for name in names] == ["D_-_Ann", "D_-_Ann", "0_-_Bob"]
    assert sibling_of("C_-_Bob", names, names) is None


def test_a_corpus_is_asked_the_questions_of_the_one_before_it(data_root: Path) -> None:
    texts = {text.name: text for text in corpora(read_corpora(data_root / "chunking_evaluation"))}
    asked = {name: Counter((one.kind, one.home) for one in text.questions) for name, text in texts.items()}
    assert asked["state_of_the_union"]["answerable", "state_of_the_union"] == 76
    first, second, third = asked
    for name, before in ((second, first), (third, second), (first, third)):
        own = asked[before]["answerable", before]
        assert asked[name]["other author", before] == own == asked[before]["removed", before]
