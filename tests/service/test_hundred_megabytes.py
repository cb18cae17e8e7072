"""A hundred megabytes on one line end like any other text: ready, found to its last sentence, bounded.

What is left out is the embedding itself, which costs a few milliseconds a window whatever the text is
(docs/decisions/0003-minilm-int8.md): some 210,000 windows here, a quarter of an hour on one core.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.api.app import create_app
from service.jobs import Jobs
from tests.conftest import ROOT
from tests.support.live_server import live_server
from tests.support.long_line_worker import LAST, SHAPES, DigestEmbedder
from tests.support.pipelines import HARBOUR, pipeline, tell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def ingested(directory: Path, shape: str, megabytes: int) -> dict[str, Any]:
    """What the worker says of a line."""
    worker = [sys.executable, "-m", "tests.support.long_line_worker", str(directory), shape, str(megabytes)]
    done = subprocess.run(worker, cwd=ROOT, capture_output=True, text=True, timeout=1000)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize(("shape", "megabytes"), [("words", 100), ("sentences", 20), ("chinese", 20)])
def test_one_line_is_ingested_and_found_by_its_end_in_bounded_time_and_memory(
    tmp_path: Path, shape: str, megabytes: int
) -> None:
    said = ingested(tmp_path, shape, megabytes)
    assert said["state"] == "ready", said
    assert said["answer"].endswith(LAST[shape].lstrip("。 "))
    # Measured on two busy cores: 100 MB of words in 280 seconds, 73 of them the process's own; 2.6 GB.
    assert said["seconds"]["published"] < 9 * megabytes + 60, said
    assert said["megabytes"] < 400 + 40 * megabytes, said


@pytest.mark.parametrize("piece", [*SHAPES.values(), "x"], ids=[*SHAPES, "one word"])
def test_one_line_is_cut_by_command_line_in_seconds(tmp_path: Path, piece: str) -> None:
    (tmp_path / "line.txt").write_bytes((piece * (100_000_000 // len(piece.encode()))).encode())
    command = [sys.executable, "-m", "service.cli", "chunk", str(tmp_path / "line.txt")]
    began = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        ends = [json.loads(line)["end"] for line in process.stdout]
    assert process.returncode == 0
    assert ends == sorted(ends)
    assert ends[-1] >= 100_000_000 // len(piece.encode()) * len(piece) - 1
    assert time.monotonic() - began < 120


def test_one_line_over_http_is_taken_at_once_and_questions_are_answered_meanwhile(tmp_path: Path) -> None:
    data = (SHAPES["words"] * 4_000_000 + LAST["words"]).encode()
    with pipeline(tmp_path, embedder=DigestEmbedder()) as sawyer:
        tell(sawyer, HARBOUR)
        jobs = Jobs(sawyer)
        app = create_app(sawyer, jobs, max_document_bytes=len(data))
        with live_server(app) as url, httpx.Client(base_url=url, trust_env=False, timeout=60) as http:
            began = time.monotonic()
            sent = http.post("/v1/documents", files={"file": ("line.txt", data)}, data={"collection": "long"})
            assert sent.status_code == 202
            assert time.monotonic() - began < 20
            slowest, state = 0.0, "queued"
            while state not in ("done", "failed"):
                began = time.monotonic()
                reply = http.post("/v1/answer", json={"question": "Who lit the lamp?"})
                slowest = max(slowest, time.monotonic() - began)
                assert reply.json()["hits"]
                state = http.get(f"/v1/jobs/{sent.json()['job_id']}").json()["state"]
                time.sleep(0.2)
            assert state == "done"
            assert slowest < 20
            asked = {"question": "Who carved the xylograph?", "collection": "long", "retriever": "lexical"}
            assert "carved by Tobias" in http.post("/v1/answer", json=asked).json()["answer"]["text"]
        assert jobs.close()
