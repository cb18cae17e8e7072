from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.base import Candidate, Contribution, Decision, Reason, Scored
from core.values import Chunk, Hit, Span
from service.page.rendering import (
    DOCUMENTS_SHOWN,
    QUESTION_CHARACTERS,
    answer_html,
    documents_html,
    escaped,
    failure_html,
    question_html,
    report_html,
    sentence_html,
    shown,
)
from service.values import Answer, DocumentRecord, IngestReport, Notice

TEXT = "# Tides\n\nNell came on a Tuesday. She wore a clean collar. It was starched."
PASSAGE = Span(9, len(TEXT))
SENTENCE = Span(33, 57)
RECORD = DocumentRecord("d1", "default", "tides.md", "Tides", "ready", characters=16110, chunks=12)


class Page(HTMLParser):
    """What a browser would make of some HTML: its text, its marked text, its tags and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.marked = ""
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self._in_mark = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._in_mark = self._in_mark or tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self._in_mark = self._in_mark and tag != "mark"

    def handle_data(self, data: str) -> None:
        self.text += data
        self.marked += data if self._in_mark else ""


OUR_TAGS = {"div", "p", "bdi", "span", "mark", "blockquote", "details", "summary", "ul", "li"}
OUR_ATTRIBUTES = {"class", "dir", "role", "data-state"}


def answered(text: str = TEXT, passage: Span = PASSAGE, sentence: Span = SENTENCE) -> Answer:
    chunk = Chunk("c1", "d1", passage, passage.of(text), ("Tides", "Chapter One"))
    found = Scored(Candidate("d1", "c1", sentence, sentence.of(text)), 0.9)
    decision = Decision((found,), 0.5, 0.78, "answered")
    return Answer("Who?", (Hit(chunk, 0.9, 1),), decision, {"d1": "Tides"})


def refused(reason: Reason, documents: int = 1, hits: int = 5) -> Answer:
    chunks = [Chunk(f"c{n}", f"d{n % documents}", PASSAGE, PASSAGE.of(TEXT), ("Tides",)) for n in range(hits)]
    best = Scored(Candidate("d0", "c0", SENTENCE, SENTENCE.of(TEXT)), 0.2)
    return Answer(
        "Who?",
        tuple(Hit(chunk, 1.0 - n / 10, n + 1) for n, chunk in enumerate(chunks)),
        Decision((best,) if hits else (), 0.5, 0.21 if hits else 0.0, reason),
        {"d0": "Tides"},
        selector="overlap",
    )


def test_the_sentence_comes_first_and_is_marked_where_it_stands_in_its_passage() -> None:
    page = Page(answer_html(answered()))
    sentence = SENTENCE.of(TEXT)
    assert page.marked == sentence == "She wore a clean collar."
    assert page.text.startswith(sentence)
    assert PASSAGE.of(TEXT) in page.text


def test_the_source_line_names_title_chapter_and_characters_without_saying_the_title_twice() -> None:
    assert "Tides · Chapter One · characters 33–57" in Page(answer_html(answered())).text


def test_a_generated_answer_is_shown_beside_the_sentence_and_as_text() -> None:
    page = Page(answer_html(replace(answered(), generated="<b>Nell</b>")))
    assert "<b>Nell</b>" in page.text
    assert page.tags <= OUR_TAGS


def test_a_sentence_outside_the_chunks_span_is_given_without_a_false_mark() -> None:
    page = Page(answer_html(answered(passage=Span(9, 40))))
    assert page.marked == ""
    assert page.text.startswith(SENTENCE.of(TEXT))


@given(
    st.text(st.characters(codec=None, exclude_categories=()), min_size=1, max_size=60),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_any_text_is_shown_as_it_is_and_adds_no_markup(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    answer = answered(text, Span(0, len(text)), Span(start, end))
    answer = replace(answer, titles={"d1": text})
    explained = replace(answer.decision, reason="no_evidence", mattered=(Contribution(text, 1.0),))
    record = replace(RECORD, title=text, source=text, reason=text, notices=(Notice("x", text),))
    pages = [
        Page(answer_html(answer)),
        Page(answer_html(replace(answer, decision=Decision(reason="no_evidence")))),
        Page(answer_html(replace(answer, decision=explained))),
        Page(documents_html([record])),
        Page(report_html(text, IngestReport(record, "failed", "x", text))),
        Page(failure_html(text, text)),
        Page(question_html(text)),
        Page(sentence_html(text)),
    ]
    for page in pages:
        assert page.tags <= OUR_TAGS
        assert page.attributes <= OUR_ATTRIBUTES
    assert pages[0].marked == shown(Span(start, end).of(text))
    assert Page(f"<p>{escaped(text)}</p>").text == shown(text)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no_evidence", "says enough"),
        ("type_mismatch", "kind of thing"),
        ("ambiguous", "equally well"),
    ],
)
def test_a_no_says_why_how_close_it_was_and_shows_three_passages(reason: Reason, words: str) -> None:
    html = answer_html(refused(reason))
    text = Page(html).text
    assert text.startswith("Not in this text")
    assert words in text
    assert "The best sentence, chosen by overlap, reaches 0.21; an answer needs 0.50." in text
    assert html.count("<details") == 3


def test_what_counted_is_folded_away_under_an_answer_and_under_a_no() -> None:
    mattered = (Contribution("idf overlap, below best", 0.84), Contribution("words", -0.31))
    for answer, summary in (
        (answered(), "Why this sentence"),
        (refused("no_evidence"), f"What came closest{SENTENCE.of(TEXT)}"),
    ):
        assert "sawyer-why" not in answer_html(answer)
        explained = replace(answer.decision, existence=0.66, mattered=mattered)
        html = answer_html(replace(answer, decision=explained))
        page = Page(html)
        assert '<details class="sawyer-why"><summary>' in html
        assert f"{summary}How likely these passages hold an answer at all: 0.66." in page.text
        assert "+0.84 how much it shares of the question's words, rare ones counting more" in page.text
        assert "−0.31 its length in words" in page.text
        assert page.tags <= OUR_TAGS


def test_a_mismatch_names_the_kind_that_was_asked_for() -> None:
    dated = replace(refused("type_mismatch"), question="What year did Nell come?")
    assert "You ask for a year, and none of the closest sentences holds one." in Page(answer_html(dated)).text


def test_a_no_over_several_texts_says_so() -> None:
    assert Page(answer_html(refused("no_evidence", documents=2))).text.startswith("Not in these texts")


def test_without_any_text_the_no_says_what_to_do() -> None:
    assert Page(answer_html(refused("empty_collection", hits=0))).text == (
        "There is no text yetAdd a text first, then ask."
    )


def test_a_report_says_what_became_of_the_file() -> None:
    ready = IngestReport(RECORD, "ready", notices=(Notice("encoding_guess", "read as cp1252"),))
    assert Page(report_html("a.md", ready)).text == (
        "a.md is ready: 16,110 characters in 12 passages.read as cp1252"
    )
    assert "unchanged" in Page(report_html("a.md", IngestReport(RECORD, "unchanged"))).text
    failed = IngestReport(replace(RECORD, state="failed"), "failed", "empty_document", "it holds nothing")
    assert Page(report_html("a.md", failed)).text == "a.md was not added: it holds nothing"


def test_documents_show_their_state_and_a_long_list_says_how_many_it_leaves_out() -> None:
    html = documents_html([replace(RECORD, state="failed", reason="binary")])
    assert 'data-state="failed"' in html
    assert Page(html).text == "Tidesfailedtides.md · 16,110 charactersbinary"
    many = Page(documents_html([RECORD] * (DOCUMENTS_SHOWN + 7))).text
    assert many.count("tides.md") == DOCUMENTS_SHOWN
    assert many.endswith("and 7 more")
    assert Page(documents_html([])).text == "No texts yet."


@pytest.mark.parametrize("letter", ["word ", "字"])
def test_a_very_long_question_is_shown_cut(letter: str) -> None:
    text = Page(question_html(letter * 50_000)).text
    assert text.endswith(" …")
    assert QUESTION_CHARACTERS // 2 < len(text) <= QUESTION_CHARACTERS + 2
    assert not re.search(r"wor? …$", text)
