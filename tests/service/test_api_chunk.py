"""`/v1/chunk` with chunkers that follow the content: by the server's own models alone."""

from __future__ import annotations

import pytest

from chunkers.recipe import Models
from tests.support.fakes import HashEmbedder
from tests.support.rule_chat import RuleChat
from tests.support.served import problem_of, served

TEXT = "\n\n".join(f"On day {day} the ferry crossed, and the water rose a little more." for day in range(150))


@pytest.mark.parametrize("chunker", ["lumber", "semantic"])
def test_a_content_driven_chunker_cuts_and_says_what_it_did(chunker: str) -> None:
    with served(models=Models(embedder=HashEmbedder())) as server:
        reply = server.send("/v1/chunk", text=TEXT, chunker=chunker).json()
    assert "\n\n".join(chunk["text"] for chunk in reply["chunks"]).split() == TEXT.split()
    assert len(reply["chunks"]) > 2
    assert any("no chat model is set" in notice for notice in reply["notices"]) == (chunker == "lumber")


def test_the_chat_model_that_the_operator_set_picks() -> None:
    chat = RuleChat()
    with served(models=Models(embedder=HashEmbedder(), chat=chat)) as server:
        reply = server.send("/v1/chunk", text=TEXT, chunker="lumber").json()
    assert chat.asked > 2
    assert reply["counts"]["calls"] == chat.asked
    assert reply["chunks"][-1]["end"] == len(TEXT)


def test_limits_are_taken_and_a_missing_model_is_named() -> None:
    with served(models=Models(embedder=HashEmbedder())) as server:
        limits = {"least": 20, "soft": 40, "hard": 60, "unit": "words"}
        reply = server.send("/v1/chunk", text=TEXT, chunker="lumber", **limits).json()
        assert all(20 <= len(chunk["text"].split()) <= 60 for chunk in reply["chunks"])
        refused = server.send("/v1/chunk", text=TEXT, chunker="lumber", least=9, hard=3)
        assert "least <= soft <= hard" in problem_of(refused, 422, "invalid_value")["detail"]
    with served() as server:
        refused = server.send("/v1/chunk", text=TEXT, chunker="lumber")
        assert "needs an embedder" in problem_of(refused, 422, "missing_model")["detail"]
