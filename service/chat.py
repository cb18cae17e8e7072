"""A chat model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from core.errors import InvalidValue, ProviderError, UnusableReply
from core.protocols import ChatModel, Count, uncounted
from service.chat_dialect import BAD_REQUEST, THINKING_TOKENS, Dialect, Question
from service.chat_reply import Said, said, unfinished
from service.provider import OPENAI_URL, Endpoint
from service.settings import Settings

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError, OpenAI

_PROBE = Question(
    "You answer questions in one whole sentence of plain English.",
    "How many legs has a cat?",
    max_tokens=60,
    schema={
        "type": "object",
        "properties": {"legs": {"type": "integer"}},
        "required": ["legs"],
        "additionalProperties": False,
    },
)
# What servers that know no JSON schema answer to one.
_NO_SCHEMA = frozenset((400, 415, 422, 501))
# An endpoint that has failed at so many probes and answered none is left alone for so many seconds, in which
# every question fails at once: the windows of a book would wait for hours, one after another.
_PROBES, _REST = 3, 60.0
# Stands where the client insists on a key: servers of one's own ask for none.
_NO_KEY = "no-key-was-set"


class OpenAIChat:
    """Replies from ``POST {base_url}/chat/completions``, at temperature 0 where the endpoint takes one.

    What the endpoint takes is found out as it refuses things, each once, and kept for the later calls.

    Args:
        notices: what people should know of how this model was set up.

    Raises:
        InvalidValue: no model name.
    """

    def __init__(self, model: str, endpoint: Endpoint, notices: Sequence[str] = ()) -> None:
        if not model.strip():
            raise InvalidValue("a chat model needs a name, got none; set SAWYER_CHAT_MODEL")
        self._model = model
        self.endpoint = endpoint
        self._notices = list(notices)
        self._dialect = Dialect()
        self._keeps_schema: bool | None = None
        self._failed: list[ProviderError] = []  # of the probes, until one succeeds
        self._resting_until = 0.0
        self._probing = Lock()
        self._learning = Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def notices(self) -> Sequence[str]:
        """See `core.protocols.ChatModel`."""
        return tuple(self._notices)

    def keeps_schema(self, count: Count = uncounted) -> bool:
        """See `core.protocols.ChatModel`.

        The model is told to answer a question in a sentence and held to a schema that leaves room for a
        number alone: it sends JSON only if the endpoint sees to it.
        """
        failures = len(self._failed)
        with self._probing:
            # While this thread waited for the very same request, or when nobody has answered one yet.
            if len(self._failed) > failures or monotonic() < self._resting_until:
                raise type(self._failed[-1])(*self._failed[-1].args)
            if self._keeps_schema is None:
                count("probed")
                try:
                    self._keeps_schema, found = self._probe(count)
                except ProviderError as error:
                    self._failed.append(error)
                    if len(self._failed) >= _PROBES:
                        self._resting_until = monotonic() + _REST
                    raise
                self._notices.append(f"{self._model} at {self.endpoint.shown} {found}")
        return self._keeps_schema

    def complete(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        count: Count = uncounted,
    ) -> str:
        """See `core.protocols.ChatModel`."""
        with self.endpoint.errors():
            return self._complete(Question(system, user, max_tokens, schema), count)

    @cached_property
    def _client(self) -> OpenAI:
        return self.endpoint.client()

    def _probe(self, count: Count) -> tuple[bool, str]:
        """Whether schemas are kept, and how that is said."""
        import openai

        with self.endpoint.errors():
            try:
                reply = self._complete(_PROBE, count)
            except openai.APIStatusError as error:
                if error.status_code not in _NO_SCHEMA or self.endpoint.refuses(error):
                    raise
                return False, f"refuses JSON schemas ({error.status_code}): it is asked for plain text"
            except UnusableReply as error:
                return False, f"fails at a JSON schema ({error.reason}): it is asked for plain text"
        if _keeps(reply):
            return True, "keeps to a JSON schema: it is asked for JSON"
        return False, "does not keep to a JSON schema: it is asked for plain text"

    def _complete(self, question: Question, count: Count) -> str:
        import openai

        while True:  # each round but the last gives up one of three things for good
            dialect = self._dialect
            try:
                reply = self._send(dialect, question, count)
            except openai.APIStatusError as error:
                if error.status_code not in BAD_REQUEST or not self._learn(dialect, error):
                    raise
            else:
                if not reply.cut:
                    return reply.text
                if dialect.thinks:
                    raise unfinished(self.endpoint, question.max_tokens + THINKING_TOKENS)
                with self._learning:
                    self._dialect = replace(self._dialect, thinks=True)
            count("request reworded")

    def _send(self, dialect: Dialect, question: Question, count: Count) -> Said:
        import openai

        create = self._client.chat.completions.with_raw_response.create
        try:
            reply = create(**dialect.options(self._model, question))
        except (openai.APIConnectionError, openai.APIStatusError) as error:
            _count_retries(_retries(error), count)
            raise
        _count_retries(reply.retries_taken, count)
        return said(reply.text, self.endpoint)

    def _learn(self, used: Dialect, error: APIStatusError) -> bool:
        """Whether the endpoint may take what is known of it by now, having refused ``used``."""
        with self._learning:
            known = self._dialect.without(error.message)
            if self._dialect.steady and not known.steady:
                self._notices.append(
                    f"{self._model} at {self.endpoint.shown} takes no temperature of 0: the same question "
                    "may get another answer"
                )
            self._dialect = known
        return known != used


def build_chat(settings: Settings) -> ChatModel | None:
    """The chat model that the settings name; None, whatever keys there are, when they name none.

    Nothing is sent before the first use.

    Raises:
        InvalidValue: a base URL or key that cannot be, or no key for OpenAI's own endpoint.
    """
    if settings.chat_model is None:
        return None
    url = settings.chat_base_url or OPENAI_URL
    key = settings.chat_api_key or settings.borrowed_chat_key
    if not key and not settings.chat_base_url:
        raise InvalidValue(
            f"SAWYER_CHAT_MODEL={settings.chat_model} needs an API key for {url}, got none; set "
            "SAWYER_CHAT_API_KEY, or SAWYER_CHAT_BASE_URL for a server of your own"
        )
    endpoint = Endpoint(url, key or _NO_KEY, settings.chat_timeout)
    notices = []
    if key and not settings.chat_api_key:
        notices.append(f"SAWYER_CHAT_API_KEY is not set: the key in OPENAI_API_KEY goes to {endpoint.shown}")
    return OpenAIChat(settings.chat_model, endpoint, notices)


def _keeps(reply: str) -> bool:
    try:
        return type(json.loads(reply)["legs"]) is int
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _retries(error: APIConnectionError | APIStatusError) -> int:
    """How often a request that failed had been made again."""
    said_by_client = error.request.headers.get("x-stainless-retry-count", "0")
    return int(said_by_client) if said_by_client.isdecimal() else 0


def _count_retries(number: int, count: Count) -> None:
    for _ in range(number):
        count("request made again")
