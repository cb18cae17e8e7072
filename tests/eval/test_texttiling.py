from __future__ import annotations

import numpy as np
import pytest

from chunkers.boundaries import paragraph_spans
from eval.boundary_scoring import SegmentedText
from eval.texttiling import TextTiling, _depths

TOPICS = (
    "horses soldiers rifles camp river tents captain march drum flag".split(),
    "bread flour oven kitchen cinnamon dough table butter sugar smell".split(),
    "whale harpoon sail mast storm deck anchor rope wave crew".split(),
)


def text_of(topics: list[int], paragraphs: int = 6) -> SegmentedText:
    generator = np.random.default_rng(4)
    passages = [
        " ".join(generator.choice(TOPICS[topic], size=50)) + "."
        for topic in topics
        for _ in range(paragraphs)
    ]
    text = "\n\n".join(passages)
    return SegmentedText("t", "all", text, tuple(paragraph_spans(text)), ())


def test_boundaries_stand_where_the_vocabulary_changes() -> None:
    # The paper's cutoff is a liberal one: chance finds further valleys among words drawn at random.
    assert {6, 12} <= set(TextTiling().boundaries(text_of([0, 1, 2])))


@pytest.mark.parametrize("passages", [[""], ["One."], ["One.", "Two."], ["the of and"] * 9])
def test_a_text_too_short_to_compare_has_none(passages: list[str]) -> None:
    text = "\n\n".join(passages)
    assert TextTiling().boundaries(SegmentedText("t", "all", text, tuple(paragraph_spans(text)), ())) == ()


def test_a_valley_counts_the_rise_on_both_sides_up_to_the_next_peak() -> None:
    scores = np.array([0.5, 0.9, 0.2, 0.6, 0.4])
    assert _depths(scores).tolist() == pytest.approx([0.4, 0.0, 1.1, 0.0, 0.2])
