"""An OpenAI-compatible endpoint: where it is, how long we wait, and what its failures are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import regex

from core.errors import InvalidValue, ProviderError, ProviderRefused

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

OPENAI_URL = "https://api.openai.com/v1"
# How much of an endpoint's own words an error repeats.
_QUOTED = 300
_REMEDIES = {
    400: "check the model name and that the texts are not too long for it",
    401: "check the API key",
    402: "check the account's balance",
    403: "check that the API key may use this model",
    404: "check the base URL (it usually ends in /v1) and the model name",
    405: "check the base URL (it usually ends in /v1)",
    429: "wait, or raise the account's limit",
}
# What these say of one request they would say of every other.
_REFUSALS = frozenset((401, 402, 403, 404, 405))
# So would a 400 that speaks of these, as Gemini answers to a wrong key and Mistral to a wrong model.
_OF_KEY = regex.compile(r"\bAPI[ _-]?key\b", regex.I)
_OF_MODEL = regex.compile(
    r"\b(?:invalid|unknown) model\b|\bmodel\b.{0,100}\b(?:not found|not exist)\b", regex.I
)
_BAD_REQUEST = 400
# Some servers keep a connection warm with blanks while they work; one that goes on for ever is given up.
_PATIENCE = 5  # times the time-out, from the head of a reply to its end


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers.

    A request that failed by time-out, by a cut connection, or with 408, 409, 429 or 5xx is made again
    up to ``retries`` times; a ``Retry-After`` of at most two minutes is waited for, a longer one is
    not. Everything else fails at once.

    Attributes:
        base_url: with the version, as in ``https://api.openai.com/v1``.
        timeout: seconds without a byte from the endpoint, for one attempt; a reply that comes in drips is
            given five times as long in all.

    Raises:
        InvalidValue: the URL is not an http one, or the key cannot be sent in a header.
    """

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)
    timeout: float = 60.0
    retries: int = 2

    def __post_init__(self) -> None:
        if not _is_http(self.base_url):
            raise InvalidValue(
                f"base URL must start with http:// or https:// and name a host, got {self.base_url!r}"
            )
        if not self.api_key:
            raise InvalidValue(f"the endpoint {self.shown} needs an API key, got none; set one")
        if not (self.api_key.isascii() and self.api_key.isprintable() and " " not in self.api_key):
            raise InvalidValue("API key must be printable ASCII without spaces; copy it again")

    @property
    def shown(self) -> str:
        """The URL as errors show it: without a name and password, and without a query."""
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{host}{port}{parts.path}"

    def client(self) -> OpenAI:
        """A client for this endpoint; safe to use from several threads."""
        from openai import OpenAI

        from service.patient_client import PatientClient

        # The URL and key are always passed: the client would look for them in the environment, where
        # an empty OPENAI_BASE_URL breaks it.
        return OpenAI(
            api_key=self.api_key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.retries,
            http_client=PatientClient(_PATIENCE * self.timeout),
        )

    def refuses(self, error: APIStatusError) -> bool:
        """Whether it would answer so to every other request."""
        return error.status_code in _REFUSALS or self._refused_for(error) is not None

    def _refused_for(self, error: APIStatusError) -> int | None:
        """The status that a 400 stands for, where its words say so."""
        if error.status_code != _BAD_REQUEST:
            return None
        said = _words(error)
        return 401 if _OF_KEY.search(said) else 404 if _OF_MODEL.search(said) else None

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Name what goes wrong inside.

        Raises:
            ProviderRefused: the endpoint refuses the key, the URL or the model.
            ProviderError: in place of any other error of the client. Both say where, what and the remedy.
        """
        import openai

        try:
            yield
        except openai.APITimeoutError as error:
            raise ProviderError(
                f"the endpoint {self.shown} must answer within {self.timeout:g} seconds, got nothing in "
                f"{self.retries + 1} attempts; try again later, or use another endpoint"
            ) from error
        except openai.APIConnectionError as error:
            raise ProviderError(
                f"the endpoint {self.shown} cannot be reached or cut the connection "
                f"({error.__cause__ or error}) in {self.retries + 1} attempts; check the base URL and that "
                "it is up"
            ) from error
        except openai.APIStatusError as error:
            kind = ProviderRefused if self.refuses(error) else ProviderError
            raise kind(self._status_message(error)) from error
        except openai.OpenAIError as error:
            raise ProviderError(
                f"the endpoint {self.shown} gave no usable reply ({error}); check that it speaks the "
                "OpenAI protocol"
            ) from error

    def _status_message(self, error: APIStatusError) -> str:
        words = _words(error)[:_QUOTED].replace(self.api_key, "***")
        said = f" ({words})" if words else ""
        remedy = _REMEDIES.get(
            self._refused_for(error) or error.status_code, "try again later, or use another endpoint"
        )
        return f"the endpoint {self.shown} answered {error.status_code}{said}; {remedy}"


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # a port that cannot be raises only here
    except ValueError:
        return False
    plain = url.isprintable() and " " not in url
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)


def _words(error: APIStatusError) -> str:
    """What the endpoint says of an error; blank where it says nothing in a known form."""
    body = error.body
    if isinstance(body, list) and body:  # Gemini's
        body = body[0]
    if not isinstance(body, dict):  # a page of HTML is not worth repeating
        return ""
    inner = body.get("error")
    words = body.get("message") or (inner.get("message") if isinstance(inner, dict) else inner)
    return words if isinstance(words, str) else ""
