"""A text that identifies how somebody else's object is configured, the same in every process."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from enum import Enum
from typing import Any

from core.errors import InvalidValue

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEEPEST = 6
# What is kept to oneself and decides nothing: `api_key='...'`, `'Authorization': '...'`.
_SECRET = re.compile(
    r"""(\w*(?:api_?key|secret|passw|credential|authorization|access_?token|auth_?token)\w*['"]?\s*[=:]\s*b?)"""
    r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""",
    re.IGNORECASE,
)


def configuration(value: object) -> str:
    """The value's class and all that it was given, as ``repr`` of a dataclass would show it.

    Functions are named where they can be imported by that name; a function made inside a library's
    function is told apart by what it encloses. Of keys, passwords and the like it shows only that there
    are some: it is stored, and shown to people.

    Raises:
        InvalidValue: something in it, a lambda say, has no name or content that would identify it.
    """
    return _SECRET.sub(r"\1'***'", _configuration(value, _DEEPEST))


def _configuration(value: object, deepest: int) -> str:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if deepest == 0:
        raise _unidentified(value)
    if isinstance(value, Enum | re.Pattern | range):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_configuration(item, deepest - 1) for item in value)}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(_configuration(item, deepest - 1) for item in value))}}}"
    if isinstance(value, Mapping):
        items = (
            f"{_configuration(key, _DEEPEST)}: {_configuration(item, deepest - 1)}"
            for key, item in value.items()
        )
        return f"{{{', '.join(items)}}}"
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return _callable(value, deepest)
    return _object(value, deepest)


def _callable(value: Any, deepest: int) -> str:
    name = f"{value.__module__}.{value.__qualname__}"
    bound_to = getattr(value, "__self__", None)
    if bound_to is not None and not isinstance(bound_to, type(sys)):
        return f"{name} of {_configuration(bound_to, deepest - 1)}"
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is value:
        return name
    # Made inside another function: its code is that of the library, and differs by what it encloses.
    if value.__module__ == "__main__" or "<lambda>" in name or not hasattr(value, "__closure__"):
        raise _unidentified(value)
    enclosed = (_configuration(cell.cell_contents, deepest - 1) for cell in value.__closure__ or ())
    return f"{name}[{', '.join(enclosed)}]"


def _object(value: object, deepest: int) -> str:
    shown = repr(value)
    if type(value).__repr__ is not object.__repr__ and not _ADDRESS.search(shown):
        return shown
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    try:
        fields = vars(value)
    except TypeError as error:
        raise _unidentified(value) from error
    return (
        f"{name}({', '.join(f'{key}={_configuration(fields[key], deepest - 1)}' for key in sorted(fields))})"
    )


def _unidentified(value: object) -> InvalidValue:
    return InvalidValue(
        f"a splitter's configuration must identify it, got {value!r} in it, which has no name or content to "
        "tell it from another; give the splitter an identity: from_langchain(splitter, identity='...')"
    )
