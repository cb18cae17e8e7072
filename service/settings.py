"""Every setting, once: where it comes from, what it may be, what it is when nobody says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from platformdirs import user_data_path
from pydantic import Field, PrivateAttr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from core.errors import InvalidValue
from service.values import DEFAULT_SELECTOR, IndexMode, OnFailure, PickerName, UnitName

PREFIX = "SAWYER_"
MEBIBYTE = 1024 * 1024


class Settings(BaseSettings):
    """What a caller says, else ``SAWYER_<NAME>`` in the environment, else the default.

    An empty variable counts as unset. A field's description is the rule that its error quotes: it
    completes "must be". Build it with `load`, which turns pydantic's errors into ours.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid", str_strip_whitespace=True
    )

    host: str = Field("127.0.0.1", min_length=1, description="a host name or address to listen on")
    port: int = Field(7860, ge=0, le=65535, description="a whole number from 0 (any free port) to 65535")
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("sawyer", appauthor=False), description="a folder"
    )
    # Beyond the loopback names: what a proxy in front of the server calls it.
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field((), description="host names, comma-separated")
    chat: bool = Field(True, description="true or false: whether the server shows the chat page")

    embedder: str = Field(
        "minilm",
        min_length=1,
        description="minilm, st:NAME_OR_PATH, contriever:PATH, dpr:QPATH,CPATH or openai:MODEL",
    )
    embedder_base_url: str | None = Field(None, description="the URL of an OpenAI-compatible endpoint")
    embedder_api_key: str | None = Field(None, repr=False, description="that endpoint's key")
    index: IndexMode = Field("windows", description="windows or chunks: what is embedded")

    selector: str = Field(DEFAULT_SELECTOR, min_length=1, description="the name of a selector")

    chunker: str = Field("recursive", min_length=1, description="the name of a chunker")
    chunk_size: int | None = Field(None, ge=1, description="a whole number of at least 1, in chunk units")
    chunk_unit: UnitName | None = Field(None, description="chars, words or tokens")
    chunk_overlap: int = Field(0, ge=0, description="a whole number of at least 0, in chunk units")
    chunk_least: int | None = Field(None, ge=1, description="a whole number of at least 1, in chunk units")
    chunk_soft: int | None = Field(None, ge=1, description="a whole number of at least 1, in chunk units")
    chunk_hard: int | None = Field(None, ge=1, description="a whole number of at least 1, in chunk units")
    picker: PickerName = Field("auto", description="auto, chat or local: who finds lumber's boundaries")
    on_failure: OnFailure = Field("raise", description="raise, keep or local")
    max_calls: int | None = Field(None, ge=1, description="a whole number of calls of at least 1")

    # Nothing is sent to a chat model unless one is named, whatever keys lie about.
    chat_model: str | None = Field(None, min_length=1, description="the name of a chat model")
    chat_base_url: str | None = Field(None, description="the URL of an OpenAI-compatible endpoint")
    chat_api_key: str | None = Field(None, repr=False, description="that endpoint's key")
    chat_workers: int = Field(8, ge=1, le=256, description="a whole number of requests from 1 to 256")
    chat_timeout: float = Field(
        120.0, gt=0, le=3600, description="a number of seconds, more than 0 and at most 3600"
    )
    _openai_api_key: str | None = PrivateAttr(default_factory=lambda: os.environ.get("OPENAI_API_KEY"))

    lock_wait: float = Field(
        30.0, ge=0, allow_inf_nan=False, description="a number of seconds of at least 0: the longest wait"
    )
    # Forty times the longest novel (5 MB), and what a text costs in memory stays near 1 GB at most.
    max_upload_mb: int = Field(200, ge=1, description="a whole number of mebibytes of at least 1")
    max_question_chars: int = Field(2000, ge=1, description="a whole number of characters of at least 1")

    @classmethod
    def load(cls, **overrides: object) -> Settings:
        """Settings with ``overrides`` (flags, say) above the environment; an override of None says nothing.

        Raises:
            InvalidValue: a value outside its rule; names the variable, or the override.
        """
        given = {name: value for name, value in overrides.items() if value is not None}
        unknown = given.keys() - cls.model_fields.keys()
        if unknown:
            raise TypeError(f"no such setting: {', '.join(sorted(unknown))}")
        try:
            # Overrides are of any type until pydantic has looked at them.
            return cls(**given)  # type: ignore[arg-type]
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            field = str(first["loc"][0])
            name = field if field in given else PREFIX + field.upper()
            remedy = "correct it" if field in given else "correct the variable, or unset it for the default"
            rule = cls.model_fields[field].description
            raise InvalidValue(f"{name} must be {rule}, got {first['input']!r}; {remedy}") from None

    @property
    def borrowed_chat_key(self) -> str | None:
        """The key in ``OPENAI_API_KEY``, which serves a chat model that was given none of its own."""
        return (self._openai_api_key or "").strip() or None

    @property
    def max_upload_bytes(self) -> int:
        """The size limit of one document."""
        return self.max_upload_mb * MEBIBYTE

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(host for part in value.split(",") if (host := part.strip()))

    @field_validator("data_dir", mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        # As a path it would be the current folder, which nobody means who names none.
        if isinstance(value, str) and not value.strip():
            raise ValueError("blank")
        return value

    @field_validator("data_dir", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        try:
            return value.expanduser().absolute()
        except RuntimeError as error:  # the home of a user that is not there
            raise ValueError(str(error)) from error
