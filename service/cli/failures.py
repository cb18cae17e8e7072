"""What went wrong among several things that a command was asked for."""

from __future__ import annotations

from service.cli.output import note


class Failures:
    """What went wrong among ``total`` things, told at the end; the first decides the exit code."""

    def __init__(self, total: int) -> None:
        self.exit_code = 0
        self._total = total
        self._told: list[str] = []

    def add(self, name: str, reason: str, exit_code: int) -> None:
        """One thing that failed."""
        self._told.append(f"{name}: {reason}")
        self.exit_code = self.exit_code or exit_code

    def note(self) -> None:
        """Tell of all of them, on standard error; of none, nothing."""
        if self._told:
            note(f"{len(self._told)} of {self._total} failed:")
        for line in self._told:
            note(f"  {line}")
