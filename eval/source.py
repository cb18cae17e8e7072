"""Which code decides a result: a digest of some modules and of all that they import of ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from core.identity import content_digest, digest
from eval.provenance import versions

_OURS = ("core", "chunkers", "answering", "service", "eval")


@cache
def code_digest(*modules: str) -> str:
    """Digest of the modules' source, of what they import of ours, anywhere in them, and of versions.

    A change elsewhere leaves it as it is.
    """
    found: dict[str, bytes] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _path(name)
        if name in found or path is None:
            continue
        found[name] = path.read_bytes()
        waiting += _imported(found[name])
        if "." in name:
            waiting.append(name.rpartition(".")[0])  # whose __init__ runs first
    parts = [f"{name} {content_digest(source)}" for name, source in sorted(found.items())]
    return digest(*parts, *(f"{name} {number}" for name, number in sorted(versions().items())))


def _path(module: str) -> Path | None:
    """Where the module of ours lies; None for a name that is no module: a class, a function, another's."""
    if module.partition(".")[0] not in _OURS:
        return None
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # its parent is a module, not a package: a class or a function
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _imported(source: bytes) -> Iterator[str]:
    """Names that are imported anywhere in the source, and what is taken from them, module or not."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
