"""A report's record, as `eval.command.Command.record` gives it."""

from __future__ import annotations

from typing import Any

RECORD: dict[str, Any] = {
    "command": "python -m eval.gutenqa --chunker recursive",
    "set": "bundled sample",
    "data_sha256": "7b21c0" + "0" * 58,
    "rule": ["span"],
    "embedder": {"name": "minilm", "fingerprint": "f1" * 32, "similarity": "cosine"},
    "seed": 3,
    "versions": {"python": "3.11.9", "numpy": "2.1.0"},
    "seconds": 1.5,
}
COLUMNS = ["set", "data_sha256", "embedder", "fingerprint", "rule", "seed", "versions", "run_seconds"]
