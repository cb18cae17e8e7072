"""Large text files, a line at a time."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from core.errors import DataError, NotFound

# At most as large as what indexes keep of it: 64 bits.
MOST_DIGITS = 18
_WHOLE_NUMBER = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number, from 1, and line, without its end (LF or CR LF); blank lines too. Memory: one line.

    Raises:
        NotFound: no such file.
        DataError: a line is not UTF-8.
    """
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                data = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                try:
                    line = data.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise DataError(
                        f"{path}, line {number}: a data file must be UTF-8, got {error.reason}"
                    ) from error
                yield number, line.removesuffix("\n").removesuffix("\r")
    except OSError as error:
        raise NotFound(f"{path} cannot be read ({error.strerror}); check the data folder") from error


def whole_number(text: str, name: str, where: str) -> int:
    """The number that a field holds; spaces around it do not matter.

    Args:
        name: the field's, for the message.
        where: file and line, for the message.

    Raises:
        DataError: the field is not decimal digits alone, or more than `MOST_DIGITS` of them.
    """
    digits = text.strip()
    if not _WHOLE_NUMBER.fullmatch(digits):
        raise DataError(
            f"{where}: {name} must be a whole number of at most {MOST_DIGITS} digits, got {text[:40]!r}"
        )
    return int(digits)
