"""What a figure depends on besides the data: strategies, embedder, versions, seed; in words and in columns.

A *record* is what `eval.command.Command.record` gives, with the ``set`` and the ``rule`` of the command.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

# The packages that decide where a text is cut, how it is ranked, or what a figure is.
_PACKAGES = ("sawyer-rag", "numpy", "nupunkt", "tokenizers", "onnxruntime", "tantivy", "PyStemmer", "bm25s")
_DIGITS = 12  # of a digest, for people


def versions() -> dict[str, str]:
    """Python's, and those of the packages that decide a figure."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def footer(record: Mapping[str, Any], strategies: Mapping[str, str]) -> str:
    """What stands below a table, as a Markdown list: each strategy by its name, then the record.

    Args:
        strategies: name in the table to ``repr``.
    """
    lines = [f"- {name}: `{strategy}`" for name, strategy in strategies.items()]
    return "\n".join([*lines, f"- {record_line(record)}"])


def plot_note(record: Mapping[str, Any], strategies: Mapping[str, str]) -> str:
    """The same for a plot, whose readers see no Markdown."""
    return "\n".join([record_line(record), *(f"{name}: {strategy}" for name, strategy in strategies.items())])


def record_line(record: Mapping[str, Any]) -> str:
    """The record in one line, for people."""
    columns = record_columns(record)
    return "; ".join(
        (
            f"set {columns['set']}",
            f"data {columns['data_sha256'][:_DIGITS]}",
            f"embedder {columns['embedder'] or 'none'}"
            + (f", fingerprint {columns['fingerprint'][:_DIGITS]}" if columns["embedder"] else ""),
            f"rule {columns['rule']}",
            f"seed {columns['seed']}",
            columns["versions"],
            f"{columns['run_seconds']} s",
        )
    )


def record_columns(record: Mapping[str, Any]) -> dict[str, str]:
    """The record as cells of a table whose every line stands for itself."""
    embedder = record["embedder"] or {}
    rule = record["rule"]
    return {
        "set": record["set"],
        "data_sha256": record["data_sha256"],
        "embedder": embedder.get("name", ""),
        "fingerprint": embedder.get("fingerprint", ""),
        "rule": rule if isinstance(rule, str) else ", ".join(rule),
        "seed": str(record["seed"]),
        "versions": ", ".join(f"{name} {number}" for name, number in record["versions"].items()),
        "run_seconds": str(record["seconds"]),
    }
