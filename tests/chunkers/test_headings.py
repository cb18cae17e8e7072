"""Markdown headings travel as chapter paths."""

from __future__ import annotations

from chunkers.headings import ChapterPaths, headings
from core.values import Span


def found(text: str) -> list[tuple[int, str]]:
    for heading in headings(text):
        assert text[heading.span.start] == "#"
        assert "\n" not in heading.span.of(text)
    return [(heading.level, heading.title) for heading in headings(text)]


def test_atx_headings_are_read_with_cr_lf_and_loose_spaces() -> None:
    text = "# Emma\r\n\r\n##  CHAPTER I \r\nHe came.\r\n   ### Part\ttwo ###  \r\n###### Six\n#\n"
    assert found(text) == [(1, "Emma"), (2, "CHAPTER I"), (3, "Part two"), (6, "Six"), (1, "")]


def test_what_only_looks_like_a_heading_is_none() -> None:
    assert found("#hashtag\n####### seven\n    # indented code\nmid # line\n\\# escaped") == []
    assert found("# C#") == [(1, "C#")]
    assert found("## #### ##") == [(2, "####")]


def test_fenced_code_holds_no_headings() -> None:
    text = "# One\n```sh\n# comment\n~~~\n````\n# Two\n~~~\n# inside\n``` \n~~~\n# Three\n"
    assert found(text) == [(1, "One"), (1, "Two"), (1, "Three")]
    assert found("``` not a fence `\n# Heading") == [(1, "Heading")]
    assert found("~~~\n# never closed") == []


def test_a_path_names_the_headings_above_a_place_outermost_first() -> None:
    text = "intro\n# Book\n\n## One\n\n### Scene\nfirst\n\n## Two\n\nsecond\n#\n\nlast"
    paths = ChapterPaths(text)

    def at(word: str) -> tuple[str, ...]:
        return paths.at(Span(text.index(word), text.index(word) + len(word)))

    assert at("intro") == ()
    assert at("first") == ("Book", "One", "Scene")
    assert at("second") == ("Book", "Two")
    assert at("last") == ()


def test_a_span_that_starts_with_headings_belongs_under_all_of_them() -> None:
    text = "# Book\n\n## One\n\nfirst\n\n## Two\n\nsecond"
    paths = ChapterPaths(text)
    assert paths.at(Span(0, len(text))) == ("Book", "One")
    assert paths.at(Span(0, text.index("## One"))) == ("Book",)
    assert paths.at(Span(text.index("first"), len(text))) == ("Book", "One")
    assert paths.at(Span(text.index("## Two"), len(text))) == ("Book", "Two")
