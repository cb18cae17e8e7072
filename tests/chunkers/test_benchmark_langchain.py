"""The benchmark beside LangChain, by characters, runs and says what it compares."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_benchmark_prints_a_row_for_each_pair_and_text() -> None:
    text = Path(__file__).parent / "texts" / "ferryman.md"
    command = [sys.executable, ROOT / "benchmarks" / "chunkers_langchain.py", "--text", text, "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert [row[0].removeprefix("| ") for row in rows] == ["ferryman"] * 5 + ["2 x all"] * 5, done.stderr
    # Paragraphs of one text are the same on both sides; the copies' seam is a paragraph's end.
    chunks, theirs = rows[3][3], rows[3][4]
    assert chunks == theirs
    assert "lowest ratio with offsets" in done.stdout
