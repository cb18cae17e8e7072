from __future__ import annotations

import pytest

from core.values import Span
from service.wording import confidence, names_above, place


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "very likely (1.00)"),
        (0.9, "very likely (0.90)"),
        (0.78, "likely (0.78)"),
        (0.5, "rather likely (0.50)"),
        (0.3, "unsure (0.30)"),
        (0.0, "little more than a guess (0.00)"),
    ],
)
def test_confidence_is_words_and_a_number(probability: float, words: str) -> None:
    assert confidence(probability) == words


@pytest.mark.parametrize("first", ["Emma", "Title: Emma"])
def test_a_title_that_is_also_the_first_heading_is_said_once(first: str) -> None:
    assert names_above("Emma", (first, "Volume I", " ")) == ["Emma", "Volume I"]


def test_a_passage_without_title_or_headings_is_placed_by_its_characters() -> None:
    assert names_above("", ()) == []
    assert place(Span(1204, 1260)) == "characters 1,204–1,260"
