"""The audit names every gold that no chunk can hold, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.values import Span
from eval.audit import audit, audit_lines
from eval.chunked import given_chunks
from eval.datasets.base import locate
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.methods import FromFile
from eval.values import ChunkedBook, Query

EMMA = "Emma_-_Jane_Austen"
TEXT = "“The tide turned,” said he.\n\nIt was late — very late.\nA rope\u00a0lay there."


def why(gold: str, chunks: list[str], text: str | None = TEXT) -> list[str]:
    found = audit("mine", "Book", "substring", [Query("Book/0", "", "", gold)], given_chunks(chunks), text)
    assert found.held + len(found.unheld) == 1
    return [one.why for one in found.unheld]


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ("THE TIDE turned", []),
        ("A rope lay there", ["white space differs (chunk 2)"]),
        ('"The tide turned," said he', ["quotes or dashes differ (chunk 0)"]),
        ("It was late -- very late", ["quotes or dashes differ (chunk 1)"]),
        ("It was late; very late", ["punctuation differs (chunk 1)"]),
        ("said he.\nIt was late", ["straddles a boundary"]),
        ('turned," said he. It was late', ["straddles a boundary; quotes or dashes differ"]),
        (
            "It was late, very early",
            ["not in the book: its first 4 of 5 words are, then it says “early”"],
        ),
    ],
)
def test_the_most_exact_reason_is_named(gold: str, reason: list[str]) -> None:
    assert why(gold, TEXT.replace("late.\n", "late.\n\n").split("\n\n")) == reason


def test_chunks_that_say_it_in_other_words_are_told_from_golds_that_no_book_holds() -> None:
    assert why("The tide turned", ["The tide had changed."]) == ["in the book, and in no chunk's words"]
    assert why("The tide turned", ["The tide had changed."], None) == [
        "not in the book: its first 2 of 3 words are, then it says “turned”"
    ]


def test_a_word_that_slices_part_is_found_in_the_text_that_they_are_slices_of() -> None:
    spans = (Span(0, 8), Span(8, len(TEXT)))
    book = ChunkedBook(tuple(span.of(TEXT) for span in spans), spans, (), given_chunks([""]).pairs)
    found = audit("mine", "Book", "substring", [Query("Book/0", "", "", "tide turned")], book, TEXT)
    assert [one.why for one in found.unheld] == ["straddles a boundary"]


def test_under_the_span_rule_the_boundary_is_named_by_its_chunks() -> None:
    spans = (Span(0, 8), Span(8, 16), Span(16, len(TEXT)))
    book = ChunkedBook(tuple(span.of(TEXT) for span in spans), spans, (), given_chunks([""]).pairs)
    queries = [Query("Book/0", "", "", "", Span(4, 18)), Query("Book/1", "", "", "", Span(1, 7))]
    found = audit("mine", "Book", "span", queries, book, TEXT)
    assert (found.held, [one.query for one in found.unheld]) == (1, ["Book/0"])
    assert found.unheld[0].why == "straddles a boundary (chunks 0 to 2)"


def test_a_gold_for_propositions_is_looked_for_in_the_propositions_alone() -> None:
    queries = [
        Query("Book/0", "", "", TEXT[:10], proposition="The tide HAD changed"),
        Query("Book/1", "", "", TEXT[:10], proposition="a rope, lay there"),
        Query("Book/2", "", "", TEXT[:10], proposition="The tide turned"),
    ]
    chunks = given_chunks(["The tide had changed.", "A rope lay there."])
    found = audit("mine", "Book", "proposition", queries, chunks, TEXT)
    assert [(one.query, one.gold, one.why) for one in found.unheld] == [
        ("Book/1", "a rope, lay there", "punctuation differs (chunk 1)"),
        ("Book/2", "The tide turned", "no proposition says it in these words"),
    ]


def test_the_lines_count_what_is_held_and_show_each_gold_in_one_cell() -> None:
    queries = [Query("Book/0", "", "", "a | b\nc"), Query("Book/1", "", "", "lamp")]
    found = audit("mine", "Book", "substring", queries, given_chunks(["A lamp."]), None)
    lines = list(audit_lines([found]))
    assert lines[0] == "- mine, Book: 1 of 2 golds held (substring)"
    assert lines[-1].startswith("| mine | Book/0 | not in the book")
    assert lines[-1].endswith(r"| a \| b c |")
    assert found.as_json()["unheld"][0]["gold"] == "a | b\nc"


def test_emmas_four_golds_that_no_lumberchunker_chunk_holds(data_root: Path) -> None:
    questions = GutenQA(locate(GUTENQA, data_root))
    method = FromFile.read(questions.place.folder / "emma" / "lumberchunker_gemini.jsonl")
    queries, chunked = questions.queries(EMMA), method.cut(EMMA, questions)
    found = audit(method.name, EMMA, "substring", queries, chunked, questions.text(EMMA))
    assert (found.held, found.questions) == (26, 30)
    assert {one.query.rpartition("/")[2]: one.why.split(" (")[0].split(":")[0] for one in found.unheld} == {
        "18": "white space differs",
        "24": "quotes or dashes differ",
        "27": "quotes or dashes differ",
        "28": "not in the book",
    }
