"""Bytes to a text with a title: which formats are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from core.errors import EmptyDocument, TooLarge, UnsupportedFormat
from service.decoding import decode
from service.naming import title_of
from service.values import Notice, Source

Format = Literal["text", "markdown"]

# Forty times the longest novel. A text costs about five times its bytes in memory while it is decoded.
MAX_BYTES = 200 * 1024 * 1024

READ_FORMATS = "text (.txt) and Markdown (.md)"
MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_MEDIA_TYPES: dict[str, Format] = {
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
}
# What a client says that does not know: the name and the bytes decide.
_UNKNOWN_MEDIA_TYPES = frozenset({"", "application/octet-stream"})
_UNREAD_SUFFIXES = {
    ".htm": "HTML",
    ".html": "HTML",
    ".xhtml": "HTML",
    ".pdf": "PDF",
    ".epub": "EPUB",
    ".docx": "Word",
}
# First bytes of what is no text, whatever its name says.
_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"PK\x03\x04", "ZIP (EPUB and Word files are ZIP inside)"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\xd0\xcf\x11\xe0", "an older Office format"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "RTF"),
)
_HTML_OPENINGS = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class Reading:
    """A source as text. ``text`` is the decoded file, unchanged but for a byte-order mark."""

    text: str
    title: str
    format: Format
    notices: Sequence[Notice] = ()


def read(source: Source, *, max_bytes: int = MAX_BYTES) -> Reading:
    """Decode a source whose format is text or Markdown; what it was taken for is in the result.

    Raises:
        TooLarge: more than ``max_bytes``.
        EmptyDocument: no bytes, or nothing but white space.
        UnsupportedFormat: another format, or binary bytes.
        UndecodableText: too many bytes that are not in the text's encoding.
    """
    if len(source.data) > max_bytes:
        raise TooLarge(
            f"document must have at most {max_bytes:,} bytes, got {len(source.data):,}; "
            "split it, or raise SAWYER_MAX_UPLOAD_MB"
        )
    if not source.data:
        raise EmptyDocument("document must hold text, got 0 bytes")
    kind = format_of(source)
    decoded = decode(source.data)
    if decoded.text.isspace() or not decoded.text:
        raise EmptyDocument(f"document must hold text, got {len(decoded.text):,} characters of white space")
    title = title_of(decoded.text, source.name, given=source.title, markdown=kind == "markdown")
    return Reading(decoded.text, title, kind, decoded.notices)


def format_of(source: Source) -> Format:
    """What a source is read as: its media type decides, else the suffix of its name, else its bytes.

    A name without a known suffix is text.

    Raises:
        UnsupportedFormat: another format than those that are read.
    """
    for magic, name in _MAGIC:
        if source.data.startswith(magic):
            raise _unsupported(name)
    media_type = (source.media_type or "").partition(";")[0].strip().lower()
    if media_type not in _UNKNOWN_MEDIA_TYPES:
        if media_type not in _MEDIA_TYPES:
            raise _unsupported(media_type)
        return _MEDIA_TYPES[media_type]
    suffix = PurePosixPath(source.name).suffix.lower()
    if suffix in _UNREAD_SUFFIXES:
        raise _unsupported(_UNREAD_SUFFIXES[suffix])
    if suffix in MARKDOWN_SUFFIXES:
        return "markdown"
    if suffix != ".txt" and source.data[:1024].lstrip().lower().startswith(_HTML_OPENINGS):
        raise _unsupported("HTML")
    return "text"


def _unsupported(found: str) -> UnsupportedFormat:
    return UnsupportedFormat(
        f"document must be {READ_FORMATS}, got {found}, which is not read yet; convert it to text first"
    )
