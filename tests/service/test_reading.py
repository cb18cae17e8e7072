"""Bytes become the text that they encode, unchanged, or a named refusal."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import EmptyDocument, InvalidValue, TooLarge, UndecodableText, UnsupportedFormat
from core.values import Span
from service.naming import source_name, title_of, upload_name
from service.reading import Reading, read
from service.values import Source


def _read(data: bytes, name: str = "book.txt", **more: str) -> Reading:
    return read(Source(name, data, **more))


def _codes(reading: Reading) -> list[str]:
    return [notice.code for notice in reading.notices]


# -- encodings ------------------------------------------------------------------------------------

_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n\r")).filter(
    lambda text: bool(text.strip()) and not text.startswith("\ufeff")
)


@given(_TEXTS)
def test_utf8_text_comes_out_unchanged_with_a_mark_or_without(text: str) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        reading = _read(mark + text.encode())
        assert reading.text == text
        assert reading.notices == ()


@given(_TEXTS)
def test_utf16_with_a_mark_comes_out_unchanged(text: str) -> None:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert _read(mark + text.encode(encoding)) == Reading(text, "book", "text")


def test_line_ends_are_not_translated() -> None:
    text = "one\r\ntwo\rthree\nfour\x0c\u2028five\x85\r\n\r\n"
    assert _read(text.encode()).text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "It was a bright cold day in April.",
        "It was a bright cold day.\r\nThe clocks were striking thirteen.\r\n",
        "话说天下大势，分久必合，合久必分。\n一日，周末七国分争，并入于秦。\n",
        "Все счастливые семьи похожи друг на друга.\n",
        "A joined emoji 👩‍👩‍👧 and an accent é.\n",
    ],
)
def test_utf16_without_a_mark_is_a_reported_guess(text: str, encoding: str) -> None:
    reading = _read(text.encode(encoding))
    assert reading.text == text
    assert _codes(reading) == ["encoding_guess"]
    assert encoding in reading.notices[0].detail


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "café\n"),
        ("cp1252", "“I don’t know,” she said—and the naïve curate smiled. It was a cold day.\n"),
        ("cp1252", "Le café était désert à l’aube ; « vous voilà », dit-il, à peine éveillé.\n"),
        ("cp1252", "Der König saß müde über den Büchern, während draußen die Vögel schwiegen.\n"),
        ("cp1252", "¿Dónde está el niño? El señor Martín caminó por la montaña toda la mañana.\n"),
        ("cp1252", "Það var einu sinni maður sem bjó á Íslandi og hét Þórður.\n"),
        ("cp1250", "Zażółć gęślą jaźń. Wśród nocnej ciszy głos się rozchodzi; wstańcie pasterze.\n"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Byl jednou jeden král a měl dceru.\n"),
        ("cp1251", "Все счастливые семьи похожи друг на друга, каждая несчастлива по-своему.\n"),
        ("koi8-r", "Все счастливые семьи похожи друг на друга, каждая несчастлива по-своему.\n"),
        ("cp1253", "Μια φορά κι έναν καιρό ήταν ένας βασιλιάς που είχε τρεις κόρες.\n"),
        ("gb18030", "话说天下大势，分久必合，合久必分。周末七国分争，并入于秦。及秦灭之后，楚汉分争。\n"),
        ("big5", "話說天下大勢，分久必合，合久必分。周末七國分爭，併入於秦。及秦滅之後。\n"),
        ("shift_jis", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n"),
        ("euc_jp", "どこで生れたかとんと見当がつかぬ。薄暗いじめじめした所でニャーニャー泣いていた。\n"),
        ("euc_kr", "옛날 옛적에 한 임금이 살았는데 그에게는 세 딸이 있었다.\n"),
    ],
)
def test_older_encodings_are_recognised_and_reported(encoding: str, text: str) -> None:
    for repeats in (1, 50):
        reading = _read((text * repeats).encode(encoding))
        assert reading.text == text * repeats
        assert _codes(reading) == ["encoding_guess"]


def test_accents_too_rare_to_count_as_damage_are_still_kept() -> None:
    page = "The curate of the village went to the café by the river. " + "Nobody spoke. " * 300
    reading = _read((page * 5).encode("cp1252"))
    assert reading.text == page * 5
    assert _codes(reading) == ["encoding_guess"]


# -- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence", ["The sea was calm. ", "Das Meer war über Nacht still. ", "海上生明月。"]
)
def test_one_bad_byte_in_two_megabytes_is_replaced_and_counted(sentence: str) -> None:
    half = sentence * (1_000_000 // len(sentence.encode()))
    reading = _read(half.encode() + b"\xff" + half.encode())
    assert reading.text == half + "\ufffd" + half
    assert _codes(reading) == ["replaced_bytes"]
    assert reading.notices[0].detail.startswith("1 place is not utf-8")


def test_a_replacement_character_of_the_author_is_not_counted() -> None:
    text = "Das Zeichen \ufffd ist hier gewollt. " * 500
    assert _read(text.encode()).notices == ()
    damaged = _read(text.encode() + b"\xfe")
    assert damaged.notices[0].detail.startswith("1 place is")


def test_utf8_with_more_than_one_bad_character_in_a_thousand_is_refused_not_read_as_another_encoding() -> (
    None
):
    text = "Der König saß müde über den Büchern. " * 50
    with pytest.raises(UndecodableText, match=r"at most 0\.1% .* got 2 of 1,852 in utf-8; save the text as"):
        _read(text.encode() + b"\xff\xff")


def test_a_utf16_text_cut_in_the_middle_of_a_character_is_read_up_to_there() -> None:
    text = "The sea was calm. " * 200
    reading = _read(b"\xff\xfe" + text.encode("utf-16-le")[:-1])
    assert reading.text == text[:-1] + "\ufffd"
    assert _codes(reading) == ["replaced_bytes"]


# -- what is no text ------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \r\n\t\n", "\u00a0\u2003\u3000\n".encode()])
def test_nothing_but_white_space_is_an_empty_document(data: bytes) -> None:
    with pytest.raises(EmptyDocument, match="must hold text"):
        _read(data)


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"PK\x03\x04\x14\x00\x06\x00",
        b"\x1f\x8b\x08\x00\x00",
        b"{\\rtf1\\ansi Hello}",
        b"plain words, then \x00 a NUL",
        b"\xff\xfe" + "words \0 more words".encode("utf-16-le"),
        bytes(range(256)) * 4,
        bytes(byte for byte in random.Random(1).randbytes(4000) if byte),
    ],
)
@pytest.mark.parametrize("name", ["book.txt", "book.md", "book"])
def test_binary_is_refused_whatever_its_name_says(data: bytes, name: str) -> None:
    with pytest.raises(UnsupportedFormat, match="convert it to text first"):
        _read(data, name)


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.pdf", "a.epub", "a.docx"])
def test_formats_that_come_later_say_so(name: str) -> None:
    with pytest.raises(
        UnsupportedFormat, match=r"text \(\.txt\) and Markdown \(\.md\), got \w+, which is not read"
    ):
        _read(b"words", name)


def test_a_web_page_without_a_telling_name_is_recognised() -> None:
    with pytest.raises(UnsupportedFormat, match="HTML"):
        _read(b"\n <!DOCTYPE html><p>words", "page")
    assert _read(b"<html> is how a page begins", "lesson.txt").format == "text"


@pytest.mark.parametrize(
    ("name", "media_type", "kind"),
    [
        ("a.md", None, "markdown"),
        ("a.MARKDOWN", None, "markdown"),
        ("a.txt", None, "text"),
        ("README", None, "text"),
        ("St. Augustine", None, "text"),
        ("a.md", "application/octet-stream", "markdown"),
        ("a.txt", "text/markdown; charset=utf-8", "markdown"),
        ("a.md", "text/plain", "text"),
    ],
)
def test_the_media_type_decides_then_the_suffix_and_text_is_the_rest(
    name: str, media_type: str | None, kind: str
) -> None:
    assert read(Source(name, b"words", media_type=media_type)).format == kind


def test_a_foreign_media_type_is_refused() -> None:
    with pytest.raises(UnsupportedFormat, match="image/png"):
        _read(b"words", "a.txt", media_type="image/png")


# -- limits ---------------------------------------------------------------------------------------


def test_a_document_over_the_limit_is_too_large() -> None:
    assert read(Source("a.txt", b"x" * 10), max_bytes=10).text == "x" * 10
    with pytest.raises(TooLarge, match=r"at most 10 bytes, got 11; .* SAWYER_MAX_UPLOAD_MB"):
        read(Source("a.txt", b"x" * 11), max_bytes=10)


@pytest.mark.parametrize("tail", [b"", b"\xe9\xe8\xe0", b"\xff"], ids=["utf-8", "cp1252", "damaged"])
@pytest.mark.parametrize("name", ["line.txt", "line.md"])
def test_a_hundred_megabytes_on_one_line_are_read_in_seconds(name: str, tail: bytes) -> None:
    data = b"# " + b"word " * 20_000_000 + tail
    started = time.monotonic()
    reading = _read(data, name)
    assert time.monotonic() - started < 10  # about 1 second on one core
    assert len(reading.text) == len(data)
    assert len(reading.title) <= 200


# -- titles and sources ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "source", "given", "title"),
    [
        ("# Title: Emma\n\n## Author: Jane Austen\n", "Emma_-_Jane_Austen.md", None, "Emma"),
        ("\r\n#  Les  Misérables  ##\r\n", "x.md", None, "Les Misérables"),
        ("## Chapter I\n\ntext\n# Late\n", "x.md", None, "Late"),
        ("```\n# a comment\n```\n# Real\n", "x.md", None, "Real"),
        ("#hashtag\n# \n#\n", "a/b/War_and_Peace_-_Leo_Tolstoy.md", None, "War and Peace - Leo Tolstoy"),
        ("words", "great-expectations.markdown", None, "great expectations"),
        ("words", "The Confessions of St. Augustine", None, "The Confessions of St. Augustine"),
        ("words", "___.md", None, "___.md"),
        ("# Emma\n", "x.md", "  My\n Emma ", "My Emma"),
        ("# Emma\n", "x.md", "   ", "Emma"),
        ("# Title:\n# Emma", "x.md", None, "Emma"),
    ],
)
def test_the_title_is_the_given_one_then_the_heading_then_the_file_name(
    text: str, source: str, given: str | None, title: str
) -> None:
    assert title_of(text, source, given=given, markdown=True) == title


def test_a_hash_in_plain_text_is_no_heading() -> None:
    assert _read(b"# Emma\n", "notes_of_may.txt").title == "notes of may"


def test_a_long_title_is_cut() -> None:
    assert title_of("# " + "x" * 1000, "x.md", given=None, markdown=True) == "x" * 199 + "…"


def test_a_source_is_the_path_below_the_folder_that_was_asked_for(tmp_path: Path) -> None:
    assert source_name(tmp_path / "a" / "b.md", tmp_path) == "a/b.md"
    assert source_name(tmp_path / "b.md", tmp_path / "b.md") == "b.md"
    odd = [source_name(tmp_path / f"b{chr(0xDC00 + byte)}.md", tmp_path) for byte in (0xFE, 0xFF)]
    assert odd == ["b\\xfe.md", "b\\xff.md"]
    with pytest.raises(InvalidValue, match="must lie under"):
        source_name(Path("/etc/passwd"), tmp_path)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("book.md", "book.md"),
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd", "passwd"),
        ("C:\\books\\..\\Emma.md", "Emma.md"),
        ("..\\..\\x.md ", "x.md"),
        ("红楼梦.txt", "红楼梦.txt"),
    ],
)
def test_an_upload_keeps_the_last_part_of_its_name(sent: str, kept: str) -> None:
    assert upload_name(sent) == kept


@pytest.mark.parametrize(
    "sent", ["", " ", ".", "..", "books/", "../..", "a\0.md", "a\x1b[31m.md", "\ud800", "x" * 256]
)
def test_an_upload_without_a_usable_name_is_refused(sent: str) -> None:
    with pytest.raises(InvalidValue, match="file name must"):
        upload_name(sent)


# -- real data ------------------------------------------------------------------------------------


def test_every_dev_span_equals_its_evidence(data_root: Path) -> None:
    count = 0
    for questions in sorted((data_root / "gutenqa" / "dev").glob("*.jsonl")):
        book = data_root / "books" / f"{questions.stem}.md"
        reading = read(Source(book.name, book.read_bytes()))
        assert reading.notices == ()
        for line in questions.read_text(encoding="utf-8").splitlines():
            question = json.loads(line)
            assert Span(question["start"], question["end"]).of(reading.text) == question["evidence"]
            count += 1
    assert count == 120


def test_every_book_is_read_as_its_strict_utf8_with_a_title(data_root: Path) -> None:
    books = sorted((data_root / "books").glob("*.md"))
    assert books
    for book in books:
        reading = read(Source(book.name, book.read_bytes()))
        assert reading.text == book.read_bytes().decode("utf-8").removeprefix("\ufeff")
        assert reading.notices == ()
        assert reading.title
        assert not reading.title.startswith("Title")
