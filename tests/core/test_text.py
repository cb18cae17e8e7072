import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import IdfTable, content_terms, question_terms, terms, visible_length, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Emma’s café, DON'T!", ["emma's", "cafe", "don't"]),
        ("in 1,897 or 3.14", ["in", "1,897", "or", "3.14"]),
        ("海上生明月", ["海上", "上生", "生明", "明月"]),
        ("月 and ひらがな", ["月", "and", "ひら", "らが", "がな"]),
        ("don_t ***", ["don", "t"]),
        ("ﬁn ＡＢＣ", ["fin", "abc"]),
        ("Žižek Ærø naïve", ["zizek", "ærø", "naive"]),
        ("", []),
        ("A AND B NEAR(\"x\" -y)", ["a", "and", "b", "near", "x", "y"]),
    ],
)  # fmt: skip
def test_words(text, expected):
    assert words(text) == expected


def test_composed_and_decomposed_letters_are_the_same_word():
    assert words("caf\u00e9") == words("cafe\u0301")


def test_terms_are_stems_and_questions_drop_stop_words_unless_nothing_else_is_there():
    assert terms("the running dogs") == ["the", "run", "dog"]
    assert content_terms("the running dogs") == ["run", "dog"]
    assert question_terms("Who was running?") == ["run"]
    assert question_terms("To be, or not to be") == ["to", "be", "or", "not", "to", "be"]


@given(st.text())
def test_any_text_has_words_and_they_are_stable(text):
    found = words(text)
    assert all(found)
    assert words(text) == found
    assert len(terms(text)) == len(found)


def test_visible_length_counts_what_is_not_white_space():
    assert visible_length(" a\u00a0b\r\n\u3000c ") == 3


def test_idf_is_the_bm25_form_and_unknown_terms_weigh_most():
    table = IdfTable.of([["a", "b", "a"], ["a"], ["c"]])
    assert table.total == 3
    assert table.idf("a") == pytest.approx(math.log(1 + 1.5 / 2.5))
    assert table.idf("nowhere") > table.idf("c") > table.idf("a") > 0
    assert IdfTable(0).idf("x") >= 0
