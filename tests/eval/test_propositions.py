"""Propositions are scored as the service finds them: rows of their chunks, judged by the chunks' spans."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import chunkers
from chunkers.proposition import PropositionChunker
from eval.chunked import cut_book
from eval.gutenqa import main
from tests.support.openai_server import OpenAIServer, completion

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = "Tom came at noon.\n\nAnn left at dusk."


@dataclass(frozen=True)
class Shouts:
    name: str = "shouts"

    def rewrite(self, passage: str) -> Sequence[str]:
        return [passage.upper(), "!"]


def test_propositions_are_embedded_behind_the_windows_for_their_chunks() -> None:
    plain = cut_book("b", TEXT, chunkers.build("paragraph"))
    stated = cut_book("b", TEXT, PropositionChunker(chunkers.build("paragraph"), Shouts()))
    assert stated.texts == plain.texts
    assert stated.spans == plain.spans
    assert stated.windows == (*plain.windows, "TOM CAME AT NOON.", "!", "ANN LEFT AT DUSK.", "!")
    first = len(plain.windows)
    assert stated.pairs.tolist() == [
        *plain.pairs.tolist(),
        [first, 0], [first + 1, 0], [first + 2, 1], [first + 3, 1],
    ]  # fmt: skip


def test_the_gutenqa_command_scores_propositions_of_a_chat_model(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "eval.gutenqa", "--chunker", "proposition", "--retriever", "dense"]
    with OpenAIServer() as server:
        server.always(completion('{"propositions": [{"ids": [1], "text": "The ferryman is old."}]}'))
        environment = {
            **{name: value for name, value in os.environ.items() if name != "SAWYER_DATA"},
            "SAWYER_DATA_DIR": str(tmp_path / "data"),
            "SAWYER_CHAT_MODEL": "small",
            "SAWYER_CHAT_BASE_URL": server.base_url,
            "SAWYER_CHAT_API_KEY": "sk-test",
        }
        # A process of its own, since a process keeps the chat model that it first asked.
        done = subprocess.run(
            [*command, "--limit", "2", "--jobs", "1", "--cache", str(tmp_path / "cache")],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "proposition[chat:small]" in done.stdout
        assert server.requests


def test_without_a_chat_model_the_command_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    assert main(["--chunker", "proposition", "--cache", str(tmp_path)]) == 2
    assert "proposition needs a chat model, got none; set SAWYER_CHAT_MODEL" in capsys.readouterr().err
