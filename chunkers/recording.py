"""What a picker said, kept in a file to learn from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from chunkers.base import BoundaryPicker, CountedPicker
from core.errors import StoreError
from core.protocols import Count, uncounted


@dataclass(frozen=True, slots=True)
class Recorded:
    """One pick: what was shown, by whom it was picked, and the pick (see `BoundaryPicker`)."""

    passages: Sequence[str]
    picker: str
    pick: int


@dataclass(frozen=True)
class RecordingPicker:
    """Passes on what ``picker`` says, and adds it to the file ``path``: one JSON object a line.

    A line holds the fields of `Recorded` and is written once the pick was had. Picks of several threads
    and of several runs go into one file, in the order in which they came.

    Raises:
        StoreError: from every pick, when the file cannot be written.
    """

    picker: BoundaryPicker
    path: Path = field(repr=False, compare=False)
    _lock: Lock = field(init=False, repr=False, compare=False, default_factory=Lock)

    @property
    def name(self) -> str:
        """The picker's own."""
        return self.picker.name

    def pick(self, passages: Sequence[str]) -> int:
        """See `BoundaryPicker`."""
        return self.pick_counted(passages, uncounted)

    def pick_counted(self, passages: Sequence[str], count: Count) -> int:
        """See `chunkers.base.CountedPicker`."""
        if isinstance(self.picker, CountedPicker):
            picked = self.picker.pick_counted(passages, count)
        else:
            picked = self.picker.pick(passages)
        self._keep({"passages": list(passages), "picker": repr(self.picker), "pick": picked})
        return picked

    def notices(self) -> Sequence[str]:
        """See `chunkers.base.CountedPicker`."""
        return self.picker.notices() if isinstance(self.picker, CountedPicker) else ()

    def _keep(self, line: dict[str, object]) -> None:
        try:
            with self._lock, self.path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read() != b"\n":  # a run was killed in the middle of a line
                        file.write(b"\n")
                file.write(json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise StoreError(
                f"picks must be recorded in a file that can be written, got {self.path} ({error}); "
                "name another"
            ) from error


def read_recording(path: Path) -> Iterator[Recorded]:
    """The picks of a recording, oldest first, without lines that were cut when a run was killed.

    Raises:
        StoreError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                try:
                    kept = json.loads(line)
                    yield Recorded(kept["passages"], kept["picker"], kept["pick"])
                except (ValueError, KeyError, TypeError):
                    continue
    except OSError as error:
        raise StoreError(f"the recording {path} cannot be read ({error}); check its name") from error
