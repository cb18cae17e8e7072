"""The `sawyer` command as a test drives it: over a Sawyer in memory, with all that it prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.cli import main
from service.cli.session import Session
from service.ownership import Notify
from service.settings import Settings
from tests.support.fake_sawyer import FakeSawyer

STORY = (
    "# The Harbour\n\n## Night\n\nThe lamp was lit by Maren. It burned until dawn.\n\nNobody saw the boat.\n"
)


@dataclass
class Terminal:
    """The command line with everything it prints; ``url`` pretends that a server answers."""

    capture: pytest.CaptureFixture[str]
    sawyer: FakeSawyer = field(default_factory=FakeSawyer)
    url: str | None = None
    asked: list[tuple[Settings, str | None]] = field(default_factory=list)
    out: str = ""
    err: str = ""

    @contextmanager
    def connect(
        self,
        settings: Settings,
        url: str | None,
        notify: Notify,  # noqa: ARG002 - the seam's
    ) -> Iterator[Session]:
        self.asked.append((settings, url))
        yield Session(self.sawyer, url or self.url)

    def __call__(self, *argv: str) -> int:
        exit_code = main(argv, connect=self.connect)
        self.out, self.err = self.capture.readouterr()
        return exit_code

    def json_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]
