"""How long a text is: in characters, words or tokens.

A `Size` is a frozen value called with a text; its ``repr`` is part of a strategy's identity. Its
`Ruler` measures ranges of one text that was read once, so that packing stays linear.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Protocol

from chunkers.boundaries import WHITE_SPACE, word_starts
from chunkers.word_pieces import SEPARATORS, stands_alone, token_starts
from core.artifacts import models_directory
from core.errors import ArtifactError
from core.surrogates import encodable_in_place
from core.values import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WHITE_SPACE = frozenset(WHITE_SPACE)


class Ruler(Protocol):
    """Measures ranges of one text."""

    def reach(self, start: int, size: int) -> int:
        """The furthest ``end`` for which ``text[start:end]`` may count at most ``size``."""

    def back(self, end: int, size: int) -> int:
        """The earliest ``start`` for which ``text[start:end]`` may count at most ``size``."""

    def count(self, start: int, end: int) -> int:
        """What ``text[start:end]`` counts, exactly as the size of that slice would."""


class Size(Protocol):
    """Length of a text in units of one kind."""

    @property
    def unit(self) -> str:
        """What is counted, in the plural, as messages show it."""

    def __call__(self, text: str) -> int:
        """Number of units in ``text``."""

    def ruler(self, text: str) -> Ruler:
        """Measures ranges of ``text``."""


@dataclass(frozen=True, slots=True)
class CharacterRuler:
    """Code points: a range counts its own length."""

    length: int

    def reach(self, start: int, size: int) -> int:
        """See `Ruler`."""
        return min(start + size, self.length)

    def back(self, end: int, size: int) -> int:
        """See `Ruler`."""
        return max(end - size, 0)

    def count(self, start: int, end: int) -> int:
        """See `Ruler`."""
        return end - start


@dataclass(frozen=True, slots=True)
class UnitRuler:
    """Units by where they start, ascending; a unit cut in two counts in both parts.

    Attributes:
        recount: counts a slice anew where cutting a unit may give other units (tokens); None where a
            part of a unit is always one unit (words).
    """

    text: str
    starts: Sequence[int]
    recount: Callable[[str], int] | None = None

    def reach(self, start: int, size: int) -> int:
        """See `Ruler`."""
        following = self._first(start) + size
        return self.starts[following] if following < len(self.starts) else len(self.text)

    def back(self, end: int, size: int) -> int:
        """See `Ruler`."""
        first = bisect_left(self.starts, end) - size
        if first <= 0:
            return 0
        # Units that start at one character come along or stay behind together.
        if self.starts[first - 1] == self.starts[first]:
            return self.starts[first] + 1
        return self.starts[first]

    def count(self, start: int, end: int) -> int:
        """See `Ruler`."""
        if self.recount is None:
            return bisect_left(self.starts, end) - self._first(start)
        if self._parts_tokens(start) and self._parts_tokens(end):
            return bisect_left(self.starts, end) - bisect_left(self.starts, start)
        return self.recount(Span(start, end).of(self.text))

    def _first(self, start: int) -> int:
        """Index of the unit that ``start`` lies in, else of the first one after it."""
        first = bisect_left(self.starts, start)
        begins = first < len(self.starts) and self.starts[first] == start
        return first if not first or begins or self._apart(start, _WHITE_SPACE) else first - 1

    def _apart(self, at: int, white: frozenset[str]) -> bool:
        """Whether white space, or an end of the text, stands before or at ``at``."""
        return not 0 < at < len(self.text) or self.text[at - 1] in white or self.text[at] in white

    def _parts_tokens(self, at: int) -> bool:
        """Whether what precedes ``at`` and what follows have the same tokens apart as together."""
        return self._apart(at, SEPARATORS) or stands_alone(self.text[at - 1]) or stands_alone(self.text[at])


@dataclass(frozen=True, slots=True)
class Characters:
    """Unicode code points."""

    unit: ClassVar[str] = "characters"

    def __call__(self, text: str) -> int:
        """Number of code points."""
        return len(text)

    def ruler(self, text: str) -> Ruler:
        """Measures ranges of ``text``."""
        return CharacterRuler(len(text))


@dataclass(frozen=True, slots=True)
class Words:
    """Words as `chunkers.boundaries.word_spans` gives them."""

    unit: ClassVar[str] = "words"

    def __call__(self, text: str) -> int:
        """Number of words."""
        return len(word_starts(text))

    def ruler(self, text: str) -> Ruler:
        """Measures ranges of ``text``."""
        return UnitRuler(text, word_starts(text))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a tokenizer under ``models/``, the marks that a model adds at both ends not counted.

    Raises:
        ArtifactError: on first use, when the tokenizer cannot be read.
    """

    tokenizer: str = "minilm"
    unit: ClassVar[str] = "tokens"

    def __call__(self, text: str) -> int:
        """Number of tokens."""
        return len(_tokenizer(self.tokenizer).encode(encodable_in_place(text), add_special_tokens=False))

    def ruler(self, text: str) -> Ruler:
        """Measures ranges of ``text``, which is tokenised once."""
        starts = token_starts(_tokenizer(self.tokenizer), encodable_in_place(text))
        return UnitRuler(text, starts, recount=self)


@lru_cache(maxsize=4)
def _tokenizer(name: str) -> Tokenizer:
    from tokenizers import Tokenizer

    path = models_directory() / name / "tokenizer.json"
    if not path.is_file():
        raise ArtifactError(f"tokenizer {path} is missing; reinstall sawyer-rag")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
