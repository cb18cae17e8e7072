"""`sawyer ingest`, killed with -9 at any moment: each document whole or absent, and a repeat converges.

The stores have such a test of their own (test_stores_crash.py); here it is the real command in a process
of its own, with the real embedder, taking over what a dead process held.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.identity import document_id
from service.cli import main
from service.embedding import build_embedder
from service.ownership import CARD, own
from service.pipeline import build
from service.settings import Settings
from service.stores import Stores
from tests.conftest import ROOT
from tests.support.generations import files_holding

# Version of each text by its source.
Versions = Mapping[str, int]
BEFORE: Versions = {"kept.md": 1, "c.md": 1}
INGESTED: Versions = {"a.md": 1, "b.md": 1, "c.md": 2, "d.md": 1, "e.md": 1, "f.md": 1}
AFTER: Versions = {**BEFORE, **INGESTED}
PYTHON = (sys.executable, "-u")  # each line of its output comes when it is written
EMBEDDER = build_embedder("minilm")  # loaded once, at its first use


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_killed_at_a_few_moments_of_an_ingest_each_document_is_whole_or_absent(scene: Scene) -> None:
    scene.kill(3, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_at_thirty_moments_of_an_ingest_each_document_is_whole_or_absent(
    scene: Scene, soak: bool
) -> None:
    scene.kill(300 if soak else 30, seed=2)


def mark(source: str, version: int) -> str:
    """A word that only this version of this text holds."""
    return f"zq{source.removesuffix('.md')}v{version}"


def story(source: str, version: int) -> str:
    """A version of a text, of its own length, with its mark in every sentence."""
    rng = random.Random(f"{source} {version}")
    words = "harbour pewter sky quinces orchard ferry lantern mill winter letter oar miller".split()
    lists = (" and the ".join(rng.choices(words, k=6)) for _ in range(rng.randint(5, 25)))
    told = (f"The {mark(source, version)} of the {things} was kept by Maren.\n\n" for things in lists)
    return f"# {source}\n\n{''.join(told)}"


class Scene:
    """A data directory with two texts in it, and a folder whose ingest adds five and replaces one."""

    def __init__(self, root: Path) -> None:
        self.first = self.step = 0.0  # seconds
        self.folder = root / "folder"
        self.data = root / "data"
        self.start = root / "start"
        self._write(BEFORE)
        assert self._ingest(self.start) == 0
        self._write(INGESTED)

    def kill(self, kills: int, *, seed: int) -> None:
        """Run the command, kill it at random moments between its first and its last, and look each time."""
        rng = random.Random(seed)
        self.first, self.step = self._run(len(INGESTED), 60)
        assert self._stored() == AFTER
        amid = 0
        for number in range(kills):
            done = number % (len(INGESTED) + 1)
            self._run(done, rng.uniform(0, self.step if done else self.first))
            found = self._stored()
            amid += found not in (BEFORE, AFTER)
            assert found["kept.md"] == 1
            assert "c.md" in found
            self._answers(found)
            assert self._ingest(self.data) == 0
            assert self._stored() == AFTER
            self._answers(AFTER)
        assert amid >= kills // 3, "too few of the moments came between two documents"

    def _run(self, done: int, seconds: float) -> tuple[float, float]:
        """Kill the command so many seconds after it was done with so many documents.

        Returns:
            Seconds from the moment when it owned the directory to its first document, and from each of
            the others to the next.
        """
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(self.start, self.data)
        argv = [*PYTHON, "-m", "service.cli", "ingest", str(self.folder), "--data-dir", str(self.data)]
        with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as command:
            assert command.stdout is not None
            while not (self.data / CARD).exists() and command.poll() is None:
                time.sleep(0.002)
            moments = [time.monotonic()]
            for _ in range(done):
                assert command.stdout.readline().startswith(b"ready ")
                moments.append(time.monotonic())
            try:
                assert command.wait(seconds) == 0
            except subprocess.TimeoutExpired:
                command.kill()
        return moments[min(1, done)] - moments[0], (moments[-1] - moments[min(1, done)]) / max(1, done - 1)

    def _stored(self) -> Versions:
        """Which version of each text is there, after making sure that it is there whole or not at all."""
        found: dict[str, int] = {}
        with own(self.data):
            stores = Stores(self.data)
            for record in stores.documents():
                text = stores.text(record.id)
                if text is None:
                    assert (record.state, record.reason) == ("failed", "interrupted")
                    continue
                assert record.state == "ready"
                (found[record.source],) = [
                    version for version in (1, 2) if text == story(record.source, version)
                ]
                assert record.characters == len(text)
            stores.close()
        for source, version in (*BEFORE.items(), *INGESTED.items()):
            if found.get(source) != version:
                assert files_holding(self.data, mark(source, version).encode()) == []
        return found

    def _answers(self, expected: Versions) -> None:
        """Each of these texts answers to its mark by every way there is, and nothing else is in an answer."""
        # One that goes by shared words: the marks are words of no language.
        settings = Settings.load(data_dir=self.data, selector="overlap")
        with own(self.data), build(settings, embedder=EMBEDDER) as sawyer:
            for source, version in expected.items():
                identity = document_id("default", source)
                question = f"Who kept the {mark(source, version)}?"
                best = sawyer.ask(question, k=2).decision.answer
                assert best is not None
                assert best.candidate.document_id == identity
                assert best.candidate.text == best.candidate.span.of(story(source, version))
                for retriever in ("dense", "lexical", "hybrid"):
                    hits = sawyer.retrieve(question, k=100, retriever=retriever).hits
                    known = {document_id("default", name): story(name, v) for name, v in expected.items()}
                    assert all(
                        hit.chunk.text == hit.chunk.span.of(known[hit.chunk.document_id]) for hit in hits
                    )
                    assert identity in {hit.chunk.document_id for hit in hits}

    def _ingest(self, data: Path) -> int:
        """Repeat the command to its end, in this process, which has loaded what it needs."""
        return main(["ingest", str(self.folder), "--data-dir", str(data)])

    def _write(self, versions: Versions) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for source, version in versions.items():
            (self.folder / source).write_text(story(source, version), encoding="utf-8")
