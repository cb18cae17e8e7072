"""Chunkers are built by name, and what cannot be is refused with the rule, the value and the remedy."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import chunkers
from chunkers.base import describe
from chunkers.sizes import Characters
from chunkers.structural import Structural
from core.errors import InvalidValue


def test_every_chunker_has_a_default_size_in_every_unit() -> None:
    text = "It rained all day long, and nobody came. " * 400
    for unit, size in chunkers.UNITS.items():
        for name in ("fixed", "recursive"):
            chunks = chunkers.build(name, unit=unit).split(text)
            assert max(size(span.of(text)) for span in chunks) <= chunkers.DEFAULT_SIZES[size]
            assert 8 < len(chunks) < 20
    assert len(chunkers.build("sentence").split(text)) == 400
    assert len(chunkers.build("paragraph").split(text)) == 1


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nosuch", {}, "chunker must be one of fixed, paragraph, sentence, recursive, .*got 'nosuch'"),
        ("fixed", {"unit": "pages"}, "unit must be one of chars, words, tokens, got 'pages'"),
        ("fixed", {"size": 0}, "size must be at least 1 of characters, got 0"),
        ("recursive", {"size": -5, "unit": "words"}, "size must be at least 1 of words, got -5"),
        (
            "fixed",
            {"size": 400, "overlap": 400},
            r"overlap must be in \[0, size\) = \[0, 400\) characters, got 400",
        ),
        ("recursive", {"size": 10, "overlap": -1}, r"overlap must be in \[0, size\) = \[0, 10\)"),
        ("paragraph", {"overlap": 5}, "overlap needs a size, got overlap 5 and no size"),
        ("sentence", {"overlap": 5}, "overlap needs a size"),
    ],
)
def test_what_cannot_be_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        chunkers.build(name, **options)


def test_levels_are_checked_by_name() -> None:
    with pytest.raises(InvalidValue, match="levels must be some of paragraph, line, sentence, word"):
        Structural(("chapter",), 100, Characters())
    with pytest.raises(InvalidValue, match="levels must be some of"):
        Structural(())


def test_descriptions_say_what_is_done() -> None:
    assert describe(chunkers.build("paragraph")) == "every paragraph"
    assert describe(chunkers.build("fixed", size=1_000, overlap=50)) == "every 1,000 characters, overlap 50"
    assert (
        describe(chunkers.build("recursive", size=90, unit="tokens"))
        == "whole paragraphs, else lines, else sentences, else words, up to 90 tokens, overlap 0"
    )


def test_importing_and_building_loads_no_heavy_library() -> None:
    code = (
        "import sys, chunkers, chunkers.windows; chunkers.build('recursive', unit='tokens');"
        "print([name for name in ('nupunkt', 'tokenizers', 'torch', 'chromadb') if name in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
