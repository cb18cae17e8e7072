"""Fixtures of the laboratory's tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A cache of its own for every test: none may see what another has kept, nor what the user has."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
