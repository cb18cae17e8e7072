"""Killed at any moment, the stores come back whole: each document before or after its last step."""

from __future__ import annotations

import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.identity import document_id
from service.lexical import TantivyIndex
from service.stores import Stores
from service.vectors import ChromaSpace
from tests.conftest import ROOT
from tests.support.crash_worker import SOURCES, made, mark
from tests.support.generations import bytes_on_disk, ingest

# Version of each document by source; 0: none.
Versions = dict[str, int]


def test_killed_at_a_few_moments_each_document_is_whole_or_absent(tmp_path: Path) -> None:
    kill_and_check(tmp_path, kills=3, seed=1)


@pytest.mark.slow
def test_killed_at_thirty_moments_each_document_is_whole_or_absent(tmp_path: Path, soak: bool) -> None:
    kill_and_check(tmp_path, kills=300 if soak else 30, seed=2)


def kill_and_check(tmp_path: Path, *, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    directory = tmp_path / "data"
    settled: Versions = dict.fromkeys(SOURCES, 0)
    cut_off = 0
    for number in range(kills):
        lines = run_and_kill(directory, f"{seed}-{number}", after=rng.uniform(0, 1.2))
        allowed = follow(settled, lines)
        cut_off += sum(len(versions) > 1 for versions in allowed.values())
        settled = check(directory, allowed, tmp_path / "copy")
    assert cut_off >= kills // 3  # the moments were not all between two steps


def run_and_kill(directory: Path, seed: str, *, after: float) -> list[str]:
    """Let a worker go on for ``after`` seconds once it is under way, kill it, and return what it said."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.support.crash_worker", str(directory), seed],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "open\n"
        first = worker.stdout.readline()
        # The first step loads Chroma; every second kill falls into what comes after it.
        lines = [first] if after < 0.6 else [first, worker.stdout.readline()]
        time.sleep(after)
        worker.send_signal(signal.SIGKILL)
        lines += worker.stdout.readlines()
    return lines


def follow(settled: Versions, lines: list[str]) -> dict[str, set[int]]:
    """Which versions each document may have after what the worker said."""
    allowed = {source: {version} for source, version in settled.items()}
    for line in lines:
        if not line.endswith("\n"):
            break  # cut off in the middle of a line
        step, source, version = line.split()
        allowed[source] = {int(version)} if step == "done" else allowed[source] | {int(version)}
    return allowed


def check(directory: Path, allowed: dict[str, set[int]], copy: Path) -> Versions:
    """Open, compare all stores with what may be, and repeat what was cut off."""
    stores = Stores(directory)
    found: Versions = {}
    for source, versions in allowed.items():
        text = stores.text(document_id("default", source))
        texts = {None if version == 0 else made(source, version).text: version for version in versions}
        assert text in texts, f"{source} is neither its former nor its new version"
        found[source] = texts[text]
        record = stores.document(document_id("default", source))
        if found[source]:
            assert record is not None
            assert record.state == "ready"
        else:  # never there, deleted, or cut off before it was there
            assert record is None or (record.state, record.reason) == ("failed", "interrupted")
    expected = [made(source, version) for source, version in found.items() if version]
    chunk_ids = {chunk.id for one in expected for chunk in one.chunks}
    table = stores.table("default")
    assert set(table.chunk_ids) == chunk_ids == stores.lexical("default").ids()
    assert len(table.window_ids) == sum(len(one.windows) for one in expected)
    for one in expected:
        assert stores.chunks([chunk.id for chunk in one.chunks]) == list(one.chunks)
    if expected:
        stores.nearest("default", expected[0].vectors[0], 1)
    stores.close()
    assert engine_rows(directory, copy) == (chunk_ids, set(table.window_ids))
    kept = {mark(source, version) for source, version in found.items() if version}
    assert marks_on_disk(directory) == kept

    stores = Stores(directory)
    for source, versions in allowed.items():
        for version in versions - {found[source], 0}:
            ingest(stores, made(source, version))
            found[source] = version
    converged = {source: stores.text(document_id("default", source)) for source in found}
    assert converged == {source: made(source, v).text if v else None for source, v in found.items()}
    stores.close()
    return found


def engine_rows(directory: Path, copy: Path) -> tuple[set[str], set[str]]:
    """Ids of chunks and windows that the engines themselves hold, read from a copy."""
    shutil.copytree(directory, copy)
    chunks: set[str] = set()
    windows: set[str] = set()
    for path in (copy / "lexical").glob("*"):
        chunks |= {row.partition("/")[2] for row in TantivyIndex(path).ids()}
    for path in (copy / "vectors").glob("*"):
        space = ChromaSpace(path)
        windows |= space.ids()
        space.close()
    shutil.rmtree(copy)
    return chunks, windows


def marks_on_disk(directory: Path) -> set[str]:
    """The marks that stand in any file, whatever it is."""
    data = b"".join(bytes_on_disk(directory).values())
    return {found.decode() for found in re.findall(rb"zq[a-d]v\d+qz", data)}
