"""The command line over a Sawyer in memory, and a small story for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.terminal import STORY, Terminal


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.md"
    path.write_text(STORY, encoding="utf-8")
    return path
