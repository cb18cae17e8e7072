"""The benchmark beside other chunkers runs and says what it compares."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_benchmark_prints_a_row_for_each_side_and_kind() -> None:
    story = Path(__file__).parent / "texts" / "ferryman.md"
    command = [sys.executable, "-m", "benchmarks.chunkers", "--text", story, "--tokenizer", "minilm"]
    done = subprocess.run(
        [*command, "--rounds", "1"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ferry")]
    sides = [(row[2], row[3].split()[0]) for row in rows]
    assert sides == [
        ("fixed", "Sawyer"),
        ("fixed", "chonkie"),
        ("sentence", "Sawyer"),
        ("sentence", "chonkie"),
        ("recursive", "Sawyer"),
        ("recursive", "langchain-text-splitters"),
        ("recursive", "chonkie"),
        ("recursive", "semchunk"),
        ("recursive", "semantic-text-splitter"),
    ], done.stderr
    assert all(int(row[6]) <= 512 for row in rows if row[3] == "Sawyer")
    assert "the fastest Python peer's time to ours" in done.stdout


def test_the_benchmark_of_the_local_picker_embeds_nothing_but_windows() -> None:
    story = Path(__file__).parent / "texts" / "ferryman.md"
    command = [sys.executable, "-m", "benchmarks.lumber_local", "--text", story, "--rounds", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert "| ferryman |" in done.stdout, done.stderr
    assert "largest share" in done.stdout


def parallel(*options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.lumber_parallel", *map(str, options), "--seeds", "1"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280)


def test_the_benchmark_of_chains_checks_the_boundaries_over_a_real_server(tmp_path: Path) -> None:
    text = tmp_path / "ferry.txt"
    text.write_text("\n\n".join(f"On day {day} " + "the ferry crossed again. " * 20 for day in range(80)))
    done = parallel("--text", text, "--delay", "10", "5-15", "--rehearsals", "2")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ferry |")]
    assert [row.split(" | ")[1:3] for row in rows] == [
        ["hash", "10"], ["hash", "5-15"], ["score", "10"], ["score", "5-15"],
    ]  # fmt: skip


@pytest.mark.slow
def test_eight_calls_at_once_cut_a_novella_in_a_quarter_of_the_time(data_root: Path) -> None:
    done = parallel("--data", data_root, "--book", "A Christmas Carol", "--delay", "200", "--rehearsals", "2")
    assert done.returncode == 0, done.stdout + done.stderr
