"""Names: a document's source (its identity in a collection) and title (for people), and a collection's."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path, PurePosixPath

from core.errors import InvalidValue
from core.values import Span

MAX_NAME = 255  # characters, as file systems have it
MAX_SOURCE = 1024  # characters
_MAX_TITLE = 200
_TITLE_WITHIN = 65_536  # characters; a title further down is none
_SOURCE = re.compile(rf"(?=[^\x00]*[^\s\x00])[^\x00\ud800-\udfff]{{1,{MAX_SOURCE}}}")
_COLLECTION = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,128}")
_FENCE = ("```", "~~~")
_LABEL = re.compile(r"title\s*:\s*", re.IGNORECASE)


def check_source(name: str) -> None:
    """Refuse what identifies nothing.

    Raises:
        InvalidValue: the name is blank, too long, or holds NUL or a lone surrogate.
    """
    if not _SOURCE.fullmatch(name):
        raise InvalidValue(
            f"a source's name must have 1 to {MAX_SOURCE:,} characters, a visible one among them, and no NUL "
            f"or lone surrogate, got {name[:100]!a}"
        )


def check_collection(name: str) -> None:
    """Refuse what can be no collection's name.

    Raises:
        InvalidValue: blank, over 128 characters, or with a control character or a lone surrogate.
    """
    if not _COLLECTION.fullmatch(name) or not name.strip():
        raise InvalidValue(
            f"a collection's name must have 1 to 128 characters, a visible one among them and no control "
            f"characters, got {name[:140]!r}"
        )


def source_name(path: Path, root: Path) -> str:
    """The source of a file: its path relative to the folder that was asked for, with ``/``.

    When the file itself was asked for (``path == root``), its name. The bytes of a name that is not
    Unicode are written out in hexadecimal, so that two files never share a source.

    Raises:
        InvalidValue: the file does not lie under ``root``.
    """
    if path == root:
        relative = path.name
    elif path.is_relative_to(root):
        relative = path.relative_to(root).as_posix()
    else:
        raise InvalidValue(f"file must lie under {root}, got {path}")
    return relative.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def upload_name(name: str) -> str:
    """The source of an upload: the last part of the file name that a client sent.

    Folders are dropped, those of Windows too: ``../../etc/passwd`` is ``passwd``. The name is an
    identity and is never opened as a path; it is still kept to what a file can be called.

    Raises:
        InvalidValue: no name is left, it holds control characters (NUL among them), or it is too long.
    """
    last = re.split(r"[/\\]", name)[-1].strip()
    if last in {"", ".", ".."}:
        raise InvalidValue(f"file name must name a file, got {name!r}; send one such as book.md")
    if any(unicodedata.category(c) in {"Cc", "Cs"} for c in last):
        raise InvalidValue(f"file name must hold no control characters, got {last!r}; rename the file")
    if len(last) > MAX_NAME:
        raise InvalidValue(f"file name must have at most {MAX_NAME} characters, got {len(last)}; shorten it")
    return last


def title_of(text: str, source: str, *, given: str | None, markdown: bool) -> str:
    """What people see: the given title, else the first ``# `` heading of Markdown, else the file's name.

    ``# Title: Emma`` is ``Emma``; ``War_and_Peace_-_Leo_Tolstoy.md`` is ``War and Peace - Leo Tolstoy``.
    """
    heading = _first_heading(text) if markdown else ""
    return tidy_title(given or "") or tidy_title(heading or _readable(source))


def tidy_title(title: str) -> str:
    """A title on one line, cut where it is longer than a title may be; blank ones are empty."""
    line = " ".join(title.split())
    return line if len(line) <= _MAX_TITLE else Span(0, _MAX_TITLE - 1).of(line) + "…"


def unlabelled(heading: str) -> str:
    """A heading without the label that some books give their title: ``Title: Emma`` is ``Emma``."""
    label = _LABEL.match(heading)
    return heading if label is None else Span(label.end(), len(heading)).of(heading)


def _first_heading(text: str) -> str:
    in_code = False
    for line in Span(0, min(len(text), _TITLE_WITHIN)).of(text).splitlines():
        if line.lstrip().startswith(_FENCE):
            in_code = not in_code
        heading = line.strip("# \t") if line.startswith(("# ", "#\t")) and not in_code else ""
        if found := unlabelled(" ".join(heading.split())):
            return found
    return ""


def _readable(source: str) -> str:
    path = PurePosixPath(source)
    # What follows the last point is a suffix only when it is short: "St. Augustine" has none.
    stem = path.stem if re.fullmatch(r"\.\w{1,8}", path.suffix) else path.name
    words = stem.replace("_", " ")
    if " " not in words:
        words = words.replace("-", " ")
    return " ".join(words.split()) or source
