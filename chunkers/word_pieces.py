"""Where the tokens of a word-piece tokenizer start in a text, each distinct word tokenised once.

A word-piece tokenizer never looks across white space, nor across the ends of a Chinese character or of
punctuation, so a word has the same tokens wherever it stands. A novel repeats its words ten times and
more: this takes a third of the time that tokenising all of it does.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunkers.boundaries import WHITE_SPACE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# White space at which a tokenizer parts words; BERT drops these three instead, joining their neighbours.
SEPARATORS = frozenset(WHITE_SPACE) - {"\v", "\f", "\x85"}

# Punctuation that ends sentences where no white space follows them: a token each, as a Chinese character is.
_ALONE = frozenset("、。，！？；：「」『』（）《》“”‘’…—,.!?;:\"'()")

_APART = re.escape("".join(sorted(SEPARATORS)))
_WORD = re.compile(f"[^{_APART}]+")
_LONGEST = 8_192  # characters: a longer word is read in parts, where it has any
_PART = re.compile(rf"[^{_APART}]{{1,{_LONGEST}}}(?=[{_APART}\u4e00-\u9fff、。，,.]|\Z)|[^{_APART}]+")
# Characters read at a time, so that memory stays bounded (a token costs some 300 bytes while it is made).
_STRETCH = 1 << 22
_BATCH = 64  # blocks that the tokenizer reads side by side

_IS_APART = np.zeros(ord(max(SEPARATORS)) + 2, dtype=bool)
_IS_APART[[ord(character) for character in SEPARATORS]] = True


def stands_alone(character: str) -> bool:
    """Whether a token ends before and behind a character, whatever its neighbours are."""
    return character in _ALONE or "\u4e00" <= character <= "\u9fff"


def token_starts(tokenizer: Tokenizer, text: str, *, stretch: int = _STRETCH) -> array[int]:
    """Where each token starts, ascending; the marks that a model adds at both ends are left out.

    Args:
        tokenizer: word-piece, without truncation and padding.
        text: without lone surrogates, which no tokenizer reads.
        stretch: characters read at a time, up to where a word ends.
    """
    starts = array("q")
    for part in re.finditer(rf"(?s:.{{1,{stretch}}})(?=[{_APART}]|\Z)|[^{_APART}]+", text):
        words, places = _words(part.group())
        if words:
            starts.frombytes((_starts(tokenizer, words, places) + part.start()).tobytes())
    return starts


def _words(text: str) -> tuple[list[str], NDArray[np.int64]]:
    """Runs between separators and where they start, (n,); those too long in parts."""
    words = _WORD.findall(text)
    if max(map(len, words), default=0) > _LONGEST:
        parts = list(_PART.finditer(text))
        return [part.group() for part in parts], np.array([part.start() for part in parts])
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    apart = _IS_APART[np.minimum(codes, len(_IS_APART) - 1)]  # the last entry stands for all that follow
    return words, np.flatnonzero(~apart & np.append(True, apart[:-1]))


def _starts(tokenizer: Tokenizer, words: Sequence[str], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the tokens of words that start at ``places`` start."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    inner, count = _inside(tokenizer, list(numbers))
    of_word = np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))  # (words,)
    tokens = count[of_word]
    first = np.cumsum(count) - count
    shift = first[of_word] - (np.cumsum(tokens) - tokens)
    at = np.repeat(shift, tokens) + np.arange(tokens.sum())
    result: NDArray[np.int64] = np.repeat(places, tokens) + inner[at]
    return result


def _inside(tokenizer: Tokenizer, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(tokens,) where each token starts inside its word, word by word; (words,) how many each word has."""
    begins = np.cumsum([0, *(len(word) + 1 for word in words)])[:-1]  # in the words joined
    starts: list[NDArray[np.int64]] = []
    blocks = _blocks(words)
    before = 0
    while batch := list(islice(blocks, _BATCH)):
        for block, encoded in zip(
            batch, tokenizer.encode_batch(batch, add_special_tokens=False), strict=True
        ):
            offsets = encoded.offsets
            starts.append(np.fromiter((start for start, _ in offsets), np.int64, len(offsets)) + before)
            before += len(block) + 1
    tokens = np.concatenate(starts)
    owner = np.searchsorted(begins, tokens, side="right") - 1
    return tokens - begins[owner], np.bincount(owner, minlength=len(words))


def _blocks(words: Sequence[str]) -> Iterator[str]:
    """Words joined by a separator, some thousands of characters at a time: short texts are slow to start."""
    waiting: list[str] = []
    length = 0
    for word in words:
        waiting.append(word)
        length += len(word) + 1
        if length > _LONGEST:
            yield "\n".join(waiting)
            waiting, length = [], 0
    if waiting:
        yield "\n".join(waiting)
