import numpy as np
import pytest

from answering.candidates import candidates
from answering.counts import weighted_overlap
from answering.selector import OverlapSelector
from core.text import IdfTable, terms
from core.values import Chunk, Hit, Span
from tests.support.fakes import HashEmbedder

TEXT = "## Chapter 1\n\nThe captain sailed at dawn. Nobody saw the captain's dog. “Ah!”\n\nIt slept."


def hit(start: int, end: int, rank: int = 1) -> Hit:
    span = Span(start, end)
    return Hit(Chunk(f"c{start}", "d", span, span.of(TEXT)), 1.0, rank)


def test_candidates_are_exact_slices_with_their_neighbours():
    found = candidates([hit(0, len(TEXT))])
    assert all(candidate.span.of(TEXT) == candidate.text for candidate in found)
    texts = [candidate.text.strip() for candidate in found]
    assert texts[0] == "The captain sailed at dawn."
    assert not any(text.startswith("#") for text in texts)
    assert found[1].before.strip() == "The captain sailed at dawn."
    assert "".join(texts).count("captain") == 2


def test_a_sentence_in_two_overlapping_chunks_is_one_candidate():
    spans = [candidate.span for candidate in candidates([hit(0, len(TEXT)), hit(14, len(TEXT), rank=2)])]
    assert len(spans) == len(set(spans))


def test_overlap_is_the_share_of_the_questions_idf_mass():
    texts = ["The captain sailed.", "A dog slept.", "Captains and dogs sail."]
    idf = IdfTable.of(terms(text) for text in texts)
    shares = weighted_overlap("Did the captain sail?", texts, idf)
    assert shares[0] == pytest.approx(1.0)
    assert shares[1] == 0.0
    assert shares[2] == pytest.approx(1.0)
    rare = weighted_overlap("captain slept", texts, idf)
    assert rare[1] > rare[0] > 0  # "slept" stands in one text, "captain" in two


def test_a_question_without_terms_scores_zero():
    assert weighted_overlap("?!", ["a", "b"], IdfTable(2)).tolist() == [0.0, 0.0]


def test_the_selector_scores_every_text_and_prefers_the_one_that_answers():
    texts = ["The captain sailed at dawn.", "It rained.", "海上生明月，天涯共此时。"]
    selector = OverlapSelector(HashEmbedder(), IdfTable.of(terms(text) for text in texts))
    assert int(np.argmax(selector.score("When did the captain sail?", texts))) == 0
    assert int(np.argmax(selector.score("海上明月", texts))) == 2
    assert selector.score("anything", []).shape == (0,)
