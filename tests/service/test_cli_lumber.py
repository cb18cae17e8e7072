"""`sawyer chunk --chunker lumber`: who picks, what it would cost, where it stops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chat_rules import by_hash, is_pick, picking
from tests.support.openai_server import OpenAIServer, completion, status
from tests.support.terminal import Terminal

TEXT = "\n\n".join(
    f"On day {day} the ferry crossed the river again, and the water rose a little more than it had before."
    for day in range(150)
)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        running.always(picking(by_hash))
        yield running


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Terminal:
    monkeypatch.setenv("SAWYER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-stray")
    return Terminal(capsys)


@pytest.fixture
def asking(terminal: Terminal, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal where a chat model is set."""
    monkeypatch.setenv("SAWYER_CHAT_MODEL", "rule")
    monkeypatch.setenv("SAWYER_CHAT_BASE_URL", server.base_url)
    monkeypatch.setenv("SAWYER_CHAT_API_KEY", "sk-test")
    return terminal


@pytest.fixture
def ferry(tmp_path: Path) -> str:
    path = tmp_path / "ferry.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def chunk(terminal: Terminal, file: str, *flags: str) -> int:
    return terminal("chunk", "--chunker", "lumber", *flags, file)


def windows(server: OpenAIServer) -> int:
    return sum(is_pick(request) for request in server.requests)


def text_of(terminal: Terminal) -> str:
    return "\n\n".join(line["text"] for line in terminal.json_lines())


def test_a_chat_model_that_is_set_picks_and_what_it_took_is_told(
    asking: Terminal, server: OpenAIServer, ferry: str
) -> None:
    assert chunk(asking, ferry) == 0
    assert text_of(asking) == TEXT
    assert f"ferry.txt: calls {windows(server)}" in asking.err
    assert "plain text" in asking.err  # what was found out of the endpoint
    assert chunk(asking, ferry) == 0
    assert "remembered" in asking.err
    assert text_of(asking) == TEXT


def test_without_a_chat_model_the_local_picker_picks_says_so_and_a_stray_key_sends_nothing(
    terminal: Terminal, server: OpenAIServer, ferry: str, tmp_path: Path
) -> None:
    assert chunk(terminal, ferry) == 0
    assert text_of(terminal) == TEXT
    assert "no chat model is set: the local picker finds the boundaries" in terminal.err
    assert not server.requests
    assert not (tmp_path / "data").exists()


def test_the_local_picker_can_be_chosen_and_the_chat_model_demanded(
    terminal: Terminal, asking: Terminal, server: OpenAIServer, ferry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chunk(asking, ferry, "--picker", "local") == 0
    assert not server.requests
    assert "no chat model" not in asking.err
    monkeypatch.delenv("SAWYER_CHAT_MODEL")
    assert chunk(terminal, ferry, "--picker", "chat") == 2
    assert "picker chat needs a chat model, got none; set SAWYER_CHAT_MODEL" in terminal.err


def test_a_plan_is_told_and_nothing_is_sent(asking: Terminal, server: OpenAIServer, ferry: str) -> None:
    assert chunk(asking, ferry, "--plan") == 0
    (plan,) = asking.json_lines()
    assert not server.requests
    assert f"about {plan['calls']} calls" in asking.err
    assert chunk(asking, ferry) == 0
    assert 0.5 * plan["calls"] < windows(server) <= plan["most"]
    assert chunk(asking, ferry, "--plan") == 0
    assert asking.json_lines()[0]["calls"] == 0, "all is remembered"


def test_a_plan_of_what_asks_nobody_says_so(terminal: Terminal, ferry: str) -> None:
    assert terminal("chunk", "--chunker", "recursive", "--plan", ferry) == 0
    assert terminal.json_lines()[0]["most"] == 0
    assert "nothing is sent to a chat model" in terminal.err


def test_max_calls_stops_with_the_chunks_so_far_and_the_next_run_goes_on(
    asking: Terminal, server: OpenAIServer, ferry: str
) -> None:
    assert chunk(asking, ferry, "--max-calls", "5") == 13
    assert windows(server) == 5
    assert "must be found within 5 calls" in asking.err
    begun = text_of(asking)
    assert begun
    assert TEXT.startswith(begun)
    assert chunk(asking, ferry) == 0
    assert text_of(asking) == TEXT
    assert len(asking.json_lines()[0]["text"]) <= len(begun)


def test_on_failure_decides_what_becomes_of_a_window_without_a_pick(
    asking: Terminal, server: OpenAIServer, ferry: str
) -> None:
    server.always(completion("It was a dark and stormy night."))
    assert chunk(asking, ferry) == 10
    assert "--on-failure keep or local" in asking.err
    assert chunk(asking, ferry, "--on-failure", "keep") == 0
    assert text_of(asking) == TEXT
    assert "without a usable pick from chat:rule stayed whole" in asking.err
    assert chunk(asking, ferry, "--on-failure", "local") == 0
    assert text_of(asking) == TEXT
    assert "without a usable pick from chat:rule went to the local picker" in asking.err


def test_a_wrong_key_fails_at_once_whatever_is_done_about_failures(
    asking: Terminal, server: OpenAIServer, ferry: str
) -> None:
    server.always(status(401, "Incorrect API key"))
    assert chunk(asking, ferry, "--on-failure", "keep") == 10
    assert "check the API key" in asking.err
    assert len(server.requests) <= 8


def test_a_place_where_no_pick_can_be_kept_is_noticed_before_one_is_paid_for(
    asking: Terminal, server: OpenAIServer, ferry: str, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    assert chunk(asking, ferry) == 8
    assert "memory of picks" in asking.err
    assert server.requests == []


def test_limits_are_kept_and_refused_where_they_mean_nothing(asking: Terminal, ferry: str) -> None:
    assert chunk(asking, ferry, "--min", "30", "--soft", "60", "--hard", "90", "--unit", "words") == 0
    assert text_of(asking) == TEXT
    assert all(30 <= len(line["text"].split()) <= 90 for line in asking.json_lines())
    assert chunk(asking, ferry, "--min", "60", "--hard", "30") == 2
    assert "limits must be 1 <= least <= soft <= hard" in asking.err
    assert asking("chunk", "--chunker", "fixed", "--hard", "30", ferry) == 2
    assert "limits are for chunkers that follow the content" in asking.err
