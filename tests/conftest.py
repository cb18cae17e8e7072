"""Fixtures for every test: where the outside data lies, and how large the counts are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The data-set folder: ``SAWYER_DATA``, else ``../shared/data`` beside the checkout."""
    root = Path(os.environ.get("SAWYER_DATA") or ROOT.parent / "shared" / "data")
    if not root.is_dir():
        pytest.skip(f"no data folder at {root}: set SAWYER_DATA to run the tests on real data")
    return root


@pytest.fixture(scope="session")
def soak() -> bool:
    """Whether `make soak` runs: the same proofs with larger counts."""
    return os.environ.get("SAWYER_SOAK") == "1"
