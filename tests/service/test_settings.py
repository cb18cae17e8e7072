"""Settings come from overrides, then the environment, then defaults; bad ones are named."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import chunkers
from core.errors import InvalidValue
from service.settings import Settings
from service.values import UnitName


@pytest.fixture(autouse=True)
def _no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SAWYER_{name.upper()}", raising=False)


def test_defaults_serve_on_loopback_alone() -> None:
    settings = Settings.load()
    assert (settings.host, settings.port, settings.allowed_hosts) == ("127.0.0.1", 7860, ())
    assert settings.data_dir.is_absolute()
    assert settings.data_dir.name == "sawyer"
    assert settings.max_upload_bytes == 200 * 1024 * 1024


def test_the_environment_sets_and_an_override_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SAWYER_PORT", "8000")
    monkeypatch.setenv("SAWYER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SAWYER_CHAT", "false")
    settings = Settings.load(chunker="fixed", chunk_size=300)
    assert (settings.port, settings.data_dir, settings.chat) == (8000, tmp_path, False)
    assert (settings.chunker, settings.chunk_size) == ("fixed", 300)
    assert Settings.load(port=9000).port == 9000


def test_an_override_of_none_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAWYER_PORT", "8000")
    assert Settings.load(port=None).port == 8000


@pytest.mark.parametrize("field", ["port", "data_dir", "chunk_size", "allowed_hosts", "embedder"])
def test_an_empty_variable_counts_as_unset(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    default = getattr(Settings.load(), field)
    monkeypatch.setenv(f"SAWYER_{field.upper()}", "")
    assert getattr(Settings.load(), field) == default


def test_allowed_hosts_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAWYER_ALLOWED_HOSTS", " books.example, reader.example:8443 ,,")
    assert Settings.load().allowed_hosts == ("books.example", "reader.example:8443")
    assert Settings.load(allowed_hosts=("a.example",)).allowed_hosts == ("a.example",)


def test_a_relative_or_home_data_folder_becomes_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/reader")
    assert Settings.load(data_dir="~/books").data_dir == Path("/home/reader/books")
    assert Settings.load(data_dir="books").data_dir == Path.cwd() / "books"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SAWYER_PORT", "eighty"),
        ("SAWYER_PORT", "70000"),
        ("SAWYER_CHUNK_SIZE", "0"),
        ("SAWYER_CHUNK_OVERLAP", "-1"),
        ("SAWYER_CHUNK_UNIT", "pages"),
        ("SAWYER_INDEX", "everything"),
        ("SAWYER_LOCK_WAIT", "nan"),
        ("SAWYER_LOCK_WAIT", "inf"),
        ("SAWYER_MAX_UPLOAD_MB", "0"),
        ("SAWYER_MAX_QUESTION_CHARS", "1.5"),
        ("SAWYER_CHAT", "perhaps"),
        ("SAWYER_HOST", "  "),
        ("SAWYER_DATA_DIR", "  "),
        ("SAWYER_DATA_DIR", "~nobody-by-this-name/books"),
    ],
)
def test_a_bad_variable_is_named_with_its_rule_and_value(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidValue) as caught:
        Settings.load()
    message = str(caught.value)
    assert message.startswith(f"{variable} must be ")
    assert repr(value) in message
    assert "pydantic" not in message
    assert "\n" not in message
    assert caught.value.__suppress_context__, "no pydantic traceback"


def test_a_bad_override_is_named_without_blaming_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidValue, match=r"^port must be .*, got 70000; correct it$"):
        Settings.load(port=70000)


def test_an_empty_data_folder_is_not_the_current_one() -> None:
    with pytest.raises(InvalidValue, match=r"^data_dir must be a folder, got ''; correct it$"):
        Settings.load(data_dir="")


def test_an_unknown_override_is_a_bug() -> None:
    with pytest.raises(TypeError, match="colour"):
        Settings.load(colour="blue")


def test_settings_cannot_change_and_do_not_show_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAWYER_EMBEDDER_API_KEY", "very-secret")
    settings = Settings.load()
    assert settings.embedder_api_key == "very-secret"
    assert "very-secret" not in repr(settings)
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1  # type: ignore[misc]  # what mypy forbids, too


def test_the_key_of_another_program_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-ours")
    assert Settings.load().embedder_api_key is None


def test_the_units_that_may_be_named_are_those_that_chunkers_know() -> None:
    assert set(get_args(UnitName)) == chunkers.UNITS.keys()
