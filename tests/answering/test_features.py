"""What the project's own selectors read: named columns of a question, a sentence and its company."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from answering.company import BEST, WAYS, beside_the_best
from answering.cues import CUES, cues, wanted_by
from answering.features import COMPARED, QUESTION, SENTENCE, ReadQuestion
from answering.question_class import CLASSES
from core.text import IdfTable, terms, words
from tests.support.texts import texts as any_texts

SENTENCES = [
    "The bell tower was built by the mason Ada Thorn in 1841.",
    "Its bell is rung when the tide turns.",
    "A withy boat is a small boat of willow rods, called a curragh.",
    "",
]
IDF = IdfTable.of(terms(text) for text in SENTENCES)


def read(question: str, label: str = "HUM:ind") -> ReadQuestion:
    return ReadQuestion(question, label, IDF)


def column(name: str, question: str, text: str, label: str = "HUM:ind") -> float:
    return float(read(question, label).matrix([text])[0, SENTENCE.index(name)])


def test_words_are_counted_stemmed_weighted_and_fuzzily() -> None:
    asked = "Who built the bell towers?"
    assert column("overlap", asked, SENTENCES[0]) == 1
    assert column("idf overlap", asked, SENTENCES[0]) == pytest.approx(1)
    assert 0 < column("idf overlap", asked, SENTENCES[1]) < 1 / 3  # "bell" stands in two sentences
    assert column("longest run", asked, SENTENCES[0]) == 1  # bell tower (was) built
    assert column("longest run", asked, "A bell rang, a tower fell.") == pytest.approx(1 / 3)
    assert column("density", asked, SENTENCES[0]) == pytest.approx(3 / 4)  # bell tower was built
    assert column("overlap", "Who is the ruler?", "She rules them.") == 0
    assert column("fuzzy overlap", "Who is the ruler?", "She rules them.") >= 0.6
    assert column("bm25", asked, SENTENCES[0]) > column("bm25", asked, SENTENCES[0] + " So it was." * 9)
    assert column("missing idf", asked, SENTENCES[0]) == 0


@pytest.mark.parametrize(
    ("cue", "text", "times"),
    [
        ("numbers", "It has two doors and 14 steps", 2),
        ("years", "It was built in 1841", 1),
        ("days", "They met in May, on a Monday", 2),
        ("money", "It cost $ 5 or four pounds", 2),
        ("units", "It is 20 miles away", 1),
        ("is a", "A withy boat is a boat", 1),
        ("called", "It is called a curragh", 1),
        ("in a place", "She was born in Cork", 1),
        ("by a name", "It was built by Ada Thorn", 1),
        ("because", "They stayed because it rained", 1),
        ("brackets", "Ada -LRB- a mason -RRB- built it", 1),
        ("list", "They sold eggs, milk, cheese, and bread", 1),
        ("starts with a pronoun", "It fell", 1),
        ("names", "Then came Ada Thorn", 2),
        ("longest name", "the Bank of England", 3),
    ],
)
def test_a_cue_is_seen_where_it_stands_and_not_elsewhere(cue: str, text: str, times: int) -> None:
    assert cues(text, frozenset())[CUES.index(cue)] == times
    assert cues("and so on", frozenset())[CUES.index(cue)] == 0


def test_what_the_question_holds_is_no_news() -> None:
    asked = frozenset(words("What did Ada Thorn build in 1841?"))
    seen = dict(zip(CUES, cues("In 1841 Ada Thorn built the Bell", asked), strict=True))
    assert (seen["years"], seen["numbers"], seen["names"]) == (0, 0, 1)


def test_every_class_wants_cues_that_there_are() -> None:
    assert all(wanted_by(label) and wanted_by(label) <= set(CUES) for label in CLASSES)
    assert column("wanted cue", "When was it built?", SENTENCES[0], "NUM:date") == 1
    assert column("wanted cue", "When was it built?", SENTENCES[1], "NUM:date") == 0


@given(st.lists(any_texts, max_size=4), any_texts)
def test_any_text_gives_finite_columns_and_compared_ones_are_not_negative(
    texts: list[str], asked: str
) -> None:
    question = read(asked)
    rows = question.matrix(texts)
    assert rows.shape == (len(texts), len(SENTENCE))
    assert np.isfinite(rows).all()
    assert (rows[:, : len(COMPARED)] >= 0).all()
    assert len(question.columns()) == len(QUESTION)
    assert 0 <= question.coverage(texts) <= 1 + 1e-9


def test_a_sentence_without_the_questions_words_has_nothing_to_compare() -> None:
    row = read("Who built the bell tower?").matrix(["Rain fell on every roof."])[0, : len(COMPARED)]
    named = dict(zip(COMPARED, row.tolist(), strict=True))
    assert {name: value for name, value in named.items() if value} == {}


MATRICES = arrays(np.float64, (7, 3), elements=st.floats(0, 1))


@given(MATRICES, st.integers(0, 200))
def test_irrelevant_company_changes_nothing(columns: np.ndarray, more: int) -> None:
    crowded = np.concatenate([columns, np.zeros((more, 3))])
    assert np.array_equal(beside_the_best(crowded)[:7], beside_the_best(columns))


@given(MATRICES, st.permutations(range(7)))
def test_places_in_the_group_do_not_matter(columns: np.ndarray, order: list[int]) -> None:
    assert beside_the_best(columns[order]) == pytest.approx(beside_the_best(columns)[order])


def test_company_is_distance_to_the_best_to_the_best_five_and_a_capped_rank() -> None:
    values = np.array([[0.9], [0.5], [0.5], [0.1], [0.0], [0.0], [0.0], [0.0]])
    found = beside_the_best(values)
    assert found.shape == (8, len(WAYS))
    assert found[:, 0] == pytest.approx(values[:, 0] - 0.9)
    assert found[:, 1] == pytest.approx(values[:, 0] - 2.0 / BEST)
    assert found[:, 2].tolist() == [0, 1, 1, 3, 4, 4, 4, 4]
