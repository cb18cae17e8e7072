"""Why a decision is what it is: the kind of thing asked for, two equals, an answer's being there, columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from answering import Selector, load_selector
from answering.asked_kind import kind_of
from answering.base import Candidate, Reason
from answering.deciding import decide
from answering.learnt import LEARNT, LearntName, LearntSelector, load_learnt
from answering.trigger import Trigger
from core.text import IdfTable, terms
from core.values import Span
from tests.support.fakes import HashEmbedder

AMBER = "The amber lamp of Innish stood on the pier."
WHEN = "When was the pier of Innish built?"
TRIGGER = Trigger(1.0, 0.0, 0.6)  # a score of 0 is a probability of .5


@dataclass(frozen=True)
class Given:
    """A Scorer whose scores are given."""

    scores: Sequence[float]

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:  # noqa: ARG002 - the seam's
        return np.array(self.scores[: len(texts)])


def candidates(*texts: str, chunks: str = "abcdefgh") -> list[Candidate]:
    return [
        Candidate(f"d{chunk}", chunk, Span(at * 100, at * 100 + len(text)), text)
        for at, (text, chunk) in enumerate(zip(texts, chunks, strict=False))
    ]


def reason(question: str, found: Sequence[Candidate], scores: Sequence[float]) -> Reason:
    selector = Selector("given", lambda *_: Given(scores), TRIGGER)
    return decide(question, found, Given(scores), selector).reason


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When was the pier built?", "a time"),
        ("what year was the pier built", "a year"),
        ("Which day did she come?", "a time"),
        ("How many boats came home?", "a number"),
        ("How long did the king wait?", "a length"),
        ("How old was Walter?", "a length of time"),
        ("How tall was Knos?", "a measure"),
        ("How much did the cart cost?", "a sum of money"),
    ],
)
def test_a_question_asks_for_a_kind_of_thing_by_its_wording(question: str, words: str) -> None:
    kind = kind_of(question)
    assert kind is not None
    assert kind.words == words


@pytest.mark.parametrize(
    "question",
    [
        "Who built the pier?",
        "Where did the giant live?",
        "when Harry met Sally",
        "how much of the flax was spun",
        "how often do elk call",
        "what is a tax",
        "What did the old man hear day after day?",
        "Why?",
        "",
        "玛伦守了多少年的灯塔？",
    ],
)
def test_a_question_whose_answer_could_be_anything_asks_for_no_kind(question: str) -> None:
    assert kind_of(question) is None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many sons had he?", "He had seven sons."),
        ("How many sons had he?", "Both of his sons went to sea."),
        ("When did she come back?", "She came back as soon as the harvest was in."),
        ("When did the other bull come?", "He will have me dead to-morrow."),
        ("How long did he wait?", "He waited till the ice was gone."),
        ("How long was the rope?", "It reached some fathoms down."),
        ("How much did the basket cost?", "She sold it for a silver penny."),
        ("What year was it built?", "It was built in the last century."),
    ],
)
def test_a_kind_is_also_held_in_words(question: str, text: str) -> None:
    kind = kind_of(question)
    assert kind is not None
    assert kind.held_by(text)
    assert not kind.held_by(AMBER)


def test_a_no_is_a_mismatch_where_none_of_the_best_holds_what_is_asked_for() -> None:
    lamp = candidates(AMBER, "She kept the lamp.", "The pier is of oak.", "It was built in 1841.")
    assert reason(WHEN, lamp, [0.1, -1, -2, -3]) == "type_mismatch"
    assert reason(WHEN, lamp, [0.1, -1, -3, -2]) == "no_evidence"
    assert reason("Who built the pier of Innish?", lamp, [0.1, -1, -2, -3]) == "no_evidence"


def test_an_answer_over_the_threshold_is_given_whatever_kind_is_asked_for() -> None:
    assert reason(WHEN, candidates(AMBER), [3.0]) == "answered"
    assert reason(WHEN, candidates(AMBER, "Elsewhere it stood."), [3.0, 3.0]) == "answered"


def test_two_equals_of_different_places_that_would_do_together_are_ambiguous() -> None:
    question, two = "Who lit the lamp?", ("Maren lit the lamp.", "The lamp was lit by Nell.")
    assert reason(question, candidates(*two), [0.0, 0.0]) == "ambiguous"
    assert reason(question, candidates(*two), [0.0, -0.4]) == "ambiguous"
    assert reason(question, candidates(*two), [0.0, -0.5]) == "no_evidence"  # .5 and .38: not equals
    assert reason(question, candidates(*two), [-1.0, -1.0]) == "no_evidence"  # .27 twice: not enough
    assert reason(question, candidates(*two, chunks="aa"), [0.0, 0.0]) == "ambiguous"
    first, second = candidates(*two, chunks="aa")
    for beside in (replace(first, after=second.text), replace(first, before=second.text)):
        assert reason(question, [beside, second], [0.0, 0.0]) == "no_evidence"
    assert reason(question, candidates(two[0], two[0]), [0.0, 0.0]) == "no_evidence"
    assert reason(question, candidates(two[0]), [0.0]) == "no_evidence"


@pytest.mark.parametrize("name", LEARNT)
def test_a_learnt_selector_says_what_mattered_and_how_likely_an_answer_is_there(name: LearntName) -> None:
    found = candidates("She kept the lamp.", "The pier of Innish was built by Ada Thorn in 1841.", AMBER)
    idf = IdfTable.of(terms(one.text) for one in found)
    selector = load_selector(name)
    scorer = selector.scorer_of(HashEmbedder(), idf)
    decision = decide(WHEN, found, scorer, selector)
    assert isinstance(scorer, LearntSelector)
    assert selector.existence is not None
    assert decision.ranked[0].candidate is found[1]
    assert [one.score for one in decision.ranked] == sorted(scorer.read(WHEN, found).scores)[::-1]
    assert selector.existence == load_learnt(name).existence
    assert decision.existence == selector.existence.probability(decision.ranked[0].score)
    assert decision.mattered == tuple(scorer.read(WHEN, found).mattered(1))
    assert decision.mattered


@pytest.mark.parametrize("name", ["overlap", "cnn-cnt"])
def test_a_selector_without_such_heads_says_neither(name: str) -> None:
    selector = load_selector(name)
    found = candidates(AMBER)
    decision = decide(WHEN, found, selector.scorer_of(HashEmbedder(), IdfTable(1)), selector)
    assert (decision.existence, decision.mattered) == (None, ())


def test_nothing_read_has_nothing_to_say() -> None:
    selector = load_selector("lexical")
    decision = decide(WHEN, [], selector.scorer_of(HashEmbedder(), IdfTable(1)), selector)
    assert (decision.reason, decision.existence, decision.mattered) == ("no_evidence", None, ())
