"""Bytes to text: which encoding, how sure, and what was lost.

Nothing but a byte-order mark is taken away, and no line end is translated, so that an offset into the
text means the same to everybody who decodes the same bytes.
"""

from __future__ import annotations

import codecs
import io
import unicodedata
from dataclasses import dataclass

from core.errors import UndecodableText, UnsupportedFormat
from service.values import Notice

# A damaged text is read with the bad bytes replaced up to this share of its characters.
MAX_REPLACED = 0.001

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What texts are really found in. Offered all that Python knows, the detector takes Greek for Bulgarian
# and English for a Baltic language.
_LEGACY = [
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859_7", "koi8_r"),
    *("big5", "cp932", "cp949", "euc_jis_2004", "euc_jp", "gb18030", "shift_jis"),
]
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_ASCII = bytes(range(0x80))
_WESTERN = "àáâãäåæçèéêëìíîïñòóôõöøœùúûüßÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØŒÙÚÛÜ‘’“”„«»–—…§©°·¡¿£".encode("cp1252")
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\x1a\x1b"))
_SAMPLE = 65_536  # bytes that a guess looks at
_FEW = 3


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and what a caller should know about how it came about."""

    text: str
    notices: tuple[Notice, ...] = ()


def decode(data: bytes) -> Decoded:
    """The text that ``data`` encodes.

    A byte-order mark decides; else NUL bytes mean UTF-16 (a guess) or no text at all; else UTF-8 where
    it fits; else damaged UTF-8, bad bytes replaced by U+FFFD (notice ``replaced_bytes``); else the most
    likely older encoding, Windows-1252 where another reading is no better (notice ``encoding_guess``).
    UTF-16 without a mark and without a single NUL byte is not recognised.

    Raises:
        UnsupportedFormat: binary bytes.
        UndecodableText: more than one character in a thousand would be replaced.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _text_only(_with_replacements(data[len(mark) :], encoding))
    if b"\0" in data:
        guess = _utf16_without_mark(data)
        if guess is None:
            raise _binary("NUL bytes")
        return _text_only(_with_replacements(data, guess, _guessed(guess)))
    if not _mostly_printable(data[:_SAMPLE]):
        raise _binary("more than 1 % control characters")
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError:
        legacy = _legacy_encoding(data)
        return (
            _with_replacements(data, legacy, _guessed(legacy))
            if legacy
            else _with_replacements(data, "utf-8")
        )


def _guessed(encoding: str) -> Notice:
    return Notice(
        "encoding_guess", f"read as {encoding}, a guess: the bytes name no encoding and are not UTF-8"
    )


def _binary(found: str) -> UnsupportedFormat:
    return UnsupportedFormat(f"document must be text, got {found}, so it is binary; convert it to text first")


def _mostly_printable(data: bytes) -> bool:
    return len(data) - len(data.translate(None, _CONTROLS)) <= len(data) / 100


def _text_only(decoded: Decoded) -> Decoded:
    if "\0" in decoded.text:
        raise _binary("NUL characters")
    return decoded


def _with_replacements(data: bytes, encoding: str, *notices: Notice) -> Decoded:
    try:
        return Decoded(data.decode(encoding), notices)
    except UnicodeDecodeError:
        text, bad = _replaced(data, encoding)
    if bad > MAX_REPLACED * len(text):
        raise UndecodableText(
            f"at most {MAX_REPLACED:.1%} of a text's characters may be unreadable, "
            f"got {bad:,} of {len(text):,} in {encoding}; save the text as UTF-8"
        )
    noun = "place is" if bad == 1 else "places are"
    detail = f"{bad:,} {noun} not {encoding} and read as U+FFFD"
    return Decoded(text, (*notices, Notice("replaced_bytes", detail)))


def _replaced(data: bytes, encoding: str) -> tuple[str, int]:
    """The text with U+FFFD for what is not in the encoding, and how often that was done."""
    text = data.decode(encoding, "replace")
    there_before = data.count(_REPLACEMENT.encode()) if encoding == "utf-8" else 0
    return text, text.count(_REPLACEMENT) - there_before


def _legacy_encoding(data: bytes) -> str | None:
    """The older encoding of bytes that are not UTF-8, or None when they are damaged UTF-8.

    Raises:
        UndecodableText: they are neither.
    """
    text, bad = _replaced(data, "utf-8")
    beyond_ascii = len(data.translate(None, _ASCII))
    well_formed = len(text) - (len(data) - beyond_ascii) - bad  # multi-byte sequences that are UTF-8
    if well_formed > bad:  # by chance that happens in no other encoding
        return None
    if bad <= MAX_REPLACED * len(text):
        # ASCII with a rare byte beyond it: damage, unless an accented letter or a dash explains each one.
        explained = not data.translate(None, _ASCII + _WESTERN)
        return "cp1252" if explained and bad >= _FEW else None
    guess = _detected(_sample(data))
    if guess is None:
        raise UndecodableText(
            f"a text must be in UTF-8, UTF-16 or an encoding that can be recognised, {bad:,} places "
            "are not UTF-8 and no other encoding fits; save the text as UTF-8"
        )
    return guess


def _sample(data: bytes) -> bytes:
    """Lines that hold more than ASCII, as they alone tell encodings apart."""
    lines: list[bytes] = []
    size = 0
    for line in io.BytesIO(data):
        if not line.isascii():
            lines.append(line[:_SAMPLE])
            size += len(line)
            if size >= _SAMPLE:
                break
    return b"".join(lines)


def _detected(sample: bytes) -> str | None:
    import charset_normalizer  # here, as only a text that is not UTF-8 needs it

    matches = charset_normalizer.from_bytes(sample, cp_isolation=_LEGACY)
    best = matches.best()
    if best is None:
        return None
    rivals = [match for match in matches if match.chaos <= best.chaos]
    if any("cp1252" in m.could_be_from_charset and m.coherence >= best.coherence for m in rivals):
        return "cp1252"
    return next((match for match in rivals if not _shouts(str(match))), best).encoding


def _shouts(text: str) -> bool:
    """Mostly capitals: what Russian looks like when its two old encodings are mistaken for each other."""
    return sum(map(str.isupper, text)) > sum(map(str.islower, text))


def _utf16_without_mark(data: bytes) -> str | None:
    """The byte order in which the bytes are plausible text, or None."""
    sample = data[:_SAMPLE]
    without_nuls = sample.replace(b"\0", b"")
    if len(without_nuls) > len(sample) * 3 / 4 and without_nuls.isascii() and _mostly_printable(without_nuls):
        return None  # ASCII with stray NULs; read in pairs it would pass for Chinese
    readings: dict[str, int] = {}
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            # Not final: the sample may end inside a surrogate pair.
            text = codecs.getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            continue
        if all(unicodedata.category(c) not in {"Cc", "Cn", "Co", "Cs"} or c in "\t\n\f\r" for c in set(text)):
            readings[encoding] = sum(c.isascii() for c in text)
    return max(readings, key=lambda encoding: readings[encoding], default=None)
