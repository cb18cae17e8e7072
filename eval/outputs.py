"""The files that a command was asked to write, tried before it scores anything."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import InvalidValue
from eval.plots import check_plot

_FLAGS = ("json", "csv", "plot")


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse what could not be written, before the hours that it would be the result of.

    Looks at ``--json``, ``--csv``, ``--plot`` and ``--rankings``, as far as the command has them. A file that
    is there keeps its content; none is left that was not.

    Raises:
        InvalidValue: a file or folder that cannot be written, two flags with one file, or a plot's ending.
        MissingExtra: a plot is asked for and matplotlib is not installed.
    """
    files = {flag: path for flag in _FLAGS if (path := getattr(options, flag, None)) is not None}
    taken: dict[Path, str] = {}
    for flag, path in files.items():
        other = taken.setdefault(path.absolute(), flag)
        if other != flag:
            raise InvalidValue(f"--{other} and --{flag} must name different files, got {path} for both")
    if "plot" in files:
        check_plot(files["plot"])
    for flag, path in files.items():
        _try(f"--{flag} must name a writable file", path, path)
    rankings = getattr(options, "rankings", None)
    if rankings is not None:
        _try_folder(rankings)


def _try_folder(folder: Path) -> None:
    told = "--rankings must name a writable folder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidValue(f"{told}, got {folder} ({error.strerror})") from error
    _try(told, folder / ".sawyer-writes-here", folder)


def _try(told: str, path: Path, named: Path) -> None:
    there = path.exists()
    if there and not (path.is_file() or path.is_dir()):
        return  # a pipe or a device: opening it here would tell its reader that all has been written
    try:
        with path.open("ab"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        raise InvalidValue(f"{told}, got {named} ({error.strerror})") from error
