"""Sizes in tokens of byte-pair encodings, as chat models count them (cl100k_base, o200k_base and others)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from chunkers.boundaries import WHITE_SPACE
from chunkers.sizes import Ruler, UnitRuler
from core.errors import ArtifactError, InvalidValue, MissingExtra
from core.surrogates import encodable_in_place
from core.values import Span

if TYPE_CHECKING:
    from tiktoken import Encoding

_WHITE = frozenset(WHITE_SPACE)
# Characters that are read at a time, and where a text without any seam is cut all the same.
_BLOCK = 1 << 17
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class BytePairTokens:
    """Tokens of one of tiktoken's encodings; what looks like a special token is text like any other.

    A text's token may begin with the space before a word: a slice is counted as the text that it is, not
    as part of the text around it.

    Raises:
        MissingExtra: on first use, when tiktoken is not installed.
        InvalidValue: on first use, for an encoding that tiktoken does not know.
        ArtifactError: on first use, when the encoding's file is not there and cannot be fetched.
    """

    encoding: str = "cl100k_base"
    unit: ClassVar[str] = "tokens"

    def __call__(self, text: str) -> int:
        """Number of tokens."""
        encoding = _encoding(self.encoding)
        blocks = _blocks(text) if len(text) > _BLOCK else [encodable_in_place(text)]
        return sum(len(encoding.encode_ordinary(block)) for block in blocks)

    def ruler(self, text: str) -> Ruler:
        """Measures ranges of ``text``, which is tokenised once."""
        lengths = _Lengths.of(self.encoding)
        parts: list[NDArray[np.int64]] = []
        before = 0
        for block in _blocks(text):
            parts.append(lengths.starts(block, before))
            before += len(block)
        starts = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return _BytePairRuler(text, starts.data, self)


@dataclass(frozen=True, slots=True)
class _BytePairRuler:
    """Token starts of the whole text, ascending, but at a range's ends, which are tokenised anew."""

    text: str
    starts: memoryview[int]  # a number is read from it several times as fast as from numpy's array
    size: BytePairTokens

    def reach(self, start: int, size: int) -> int:
        """See `Ruler`."""
        # The token that ``start`` lies in may have begun with the space before it.
        following = bisect_right(self.starts, start) - 1 + size
        return self.starts[following] if following < len(self.starts) else len(self.text)

    def back(self, end: int, size: int) -> int:
        """See `Ruler`."""
        return UnitRuler(self.text, self.starts).back(end, size)

    def count(self, start: int, end: int) -> int:
        """See `Ruler`."""
        first = _first_seam(self.text, start, end)
        last = end if _is_seam(self.text, end) else _last_seam(self.text, start, end)
        if first is None or last is None or first >= last:
            return self.size(Span(start, end).of(self.text))
        inside = bisect_left(self.starts, last) - bisect_left(self.starts, first)
        tail = 0 if last == end else self.size(Span(last, end).of(self.text))
        return self.size(Span(start, first).of(self.text)) + inside + tail


class _Lengths:
    """How many bytes each token of an encoding has, learnt as tokens occur."""

    def __init__(self, name: str) -> None:
        self._encoding = _encoding(name)
        self._bytes = np.zeros(self._encoding.max_token_value + 1, np.int64)

    @staticmethod
    @lru_cache(maxsize=4)
    def of(name: str) -> _Lengths:
        """The one that an encoding has."""
        return _Lengths(name)

    def starts(self, block: str, before: int) -> NDArray[np.int64]:
        """(n,) where each token starts; one that starts inside a character starts where that does.

        Args:
            block: what is tokenised.
            before: where the block starts.
        """
        tokens = self._encoding.encode_to_numpy(block, disallowed_special=())
        lengths = self._bytes[tokens]
        if not lengths.all():
            for token in np.unique(tokens[lengths == 0]).tolist():
                self._bytes[token] = len(self._encoding.decode_single_token_bytes(token))
            lengths = self._bytes[tokens]
        starts: NDArray[np.int64] = np.cumsum(lengths)  # in bytes
        starts -= lengths
        if not block.isascii():
            encoded = np.frombuffer(block.encode(), np.uint8)
            inside = np.flatnonzero((encoded & 0xC0) == 0x80)  # bytes that do not begin a character
            starts -= np.searchsorted(inside, starts, side="right")
        starts += before
        return starts


def _blocks(text: str) -> Iterator[str]:
    """The text in parts, cut at seams, so that their tokens are those of the whole."""
    whole = encodable_in_place(text)
    start = 0
    while start < len(whole):
        end = _first_seam(whole, start + _BLOCK, start + _LONGEST) or start + _LONGEST
        yield Span(start, end).of(whole)
        start = end


def _is_seam(text: str, at: int) -> bool:
    """Whether a single space between visible characters stands at ``at``.

    Every encoding parts the text before it, whatever stands further off.
    """
    inside = 0 < at < len(text) - 1 and text[at] == " "
    return inside and text[at - 1] not in _WHITE and text[at + 1] not in _WHITE


def _first_seam(text: str, start: int, end: int) -> int | None:
    """The first seam inside the range, which goes on on either side of it."""
    at = text.find(" ", start + 1, max(end - 1, 0))
    while at >= 0 and not _is_seam(text, at):
        at = text.find(" ", at + 1, end - 1)
    return at if at >= 0 else None


def _last_seam(text: str, start: int, end: int) -> int | None:
    """The last seam inside the range, which goes on on either side of it."""
    at = text.rfind(" ", start + 1, max(end - 1, 0))
    while at >= 0 and not _is_seam(text, at):
        at = text.rfind(" ", start + 1, at)
    return at if at >= 0 else None


@lru_cache(maxsize=4)
def _encoding(name: str) -> Encoding:
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtra(
            "byte-pair tokens need tiktoken; install it with `pip install 'sawyer-rag[bench]'`"
        ) from error
    if name not in tiktoken.list_encoding_names():
        known = ", ".join(tiktoken.list_encoding_names())
        raise InvalidValue(f"encoding must be one of {known}, got {name!r}")
    try:
        return tiktoken.get_encoding(name)
    except OSError as error:  # tiktoken fetches the file with requests, whose errors are OSErrors
        raise ArtifactError(
            f"the file of encoding {name} is not here and cannot be fetched ({type(error).__name__}); set "
            "TIKTOKEN_CACHE_DIR to a folder that holds it, as tiktoken keeps it"
        ) from error
