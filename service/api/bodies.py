"""Request bodies: bounded while they are read, and JSON as the standard has it.

Python's decoder lets NaN, numbers beyond a double and lone surrogates through; they would only fail
later, somewhere else, as a bug. Of a name that comes twice it keeps the last value and says nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import InvalidInput, TooLarge, UnsupportedFormat

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class BodyLimit:
    """ASGI middleware: a body over the limit is refused unread, or as soon as it passes the limit.

    Args:
        app: what reads the bodies.
        limit: bytes.
        prefix: the paths it holds for; the chat page bounds its own uploads.
    """

    def __init__(self, app: ASGIApp, *, limit: int, prefix: str) -> None:
        self._app = app
        self._limit = limit
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not scope["path"].startswith(self._prefix):
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            if declared.isdecimal() and int(declared) > self._limit:
                raise self._too_large(int(declared))
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise self._too_large(None)
            return message

        await self._app(scope, bounded, send)

    def _too_large(self, size: int | None) -> TooLarge:
        got = "more" if size is None else f"{size:,}"
        return TooLarge(
            f"a request's body must have at most {self._limit:,} bytes, got {got}; "
            f"send less, or raise SAWYER_MAX_UPLOAD_MB"
        )


class StrictRoute(APIRoute):
    """A route whose JSON body is decoded strictly before FastAPI sees it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, behind the strict decoder where the route has a body."""
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            decoded = _DecodedRequest(request.scope, request.receive)
            if self.body_field is not None:
                decoded.content = await read_json(decoded)
            return await handle(decoded)

        return strict


async def read_json(request: Request) -> Any:
    """The decoded body.

    Raises:
        UnsupportedFormat: the content type is not JSON.
        InvalidInput: the body is not JSON.
        TooLarge: the body is over the limit.
    """
    kind = media_type(request)
    if kind != "application/json":
        raise UnsupportedFormat(f"content-type must be application/json, got {kind or 'none'!r}")
    return decode_json(await request.body())


def media_type(request: Request) -> str:
    """The content type without its parameters, in lower case; empty when there is none."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def decode_json(body: bytes) -> Any:
    """What RFC 8259 calls JSON, in UTF-8: numbers that a double holds, text that is Unicode, names once.

    Raises:
        InvalidInput: anything else.
    """
    try:
        text = body.decode("utf-8-sig")
        decoded = json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_once
        )
    except UnicodeDecodeError as error:
        raise InvalidInput(f"a JSON body must be UTF-8, byte {error.start:,} is not") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"the body must be JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise InvalidInput("a JSON body must not nest as deeply as this one does") from None
    except InvalidInput:
        raise
    except ValueError:  # what int() says of more digits than it takes
        raise InvalidInput("a number in a JSON body must have at most 4,300 digits") from None
    if _SURROGATE_ESCAPE.search(text):
        _check_unicode(decoded)
    return decoded


class _DecodedRequest(Request):
    """A request that hands FastAPI what was decoded already."""

    content: Any = None

    async def json(self) -> Any:
        return self.content


def _no_constant(name: str) -> NoReturn:
    raise InvalidInput(f"a number in a JSON body must be finite, got {name}")


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        twice = next(name for name, count in Counter(name for name, _ in members).items() if count > 1)
        raise InvalidInput(
            f"an object in a JSON body must hold a name once, got {twice[:40]!r} more than once"
        )
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidInput(f"a number in a JSON body must fit a double, got {digits[:40]}")
    return number


def _check_unicode(decoded: Any) -> None:
    waiting = [decoded]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise InvalidInput(
                    f"text in a JSON body must be Unicode, got the lone surrogate "
                    f"\\u{ord(value[error.start]):04x} at character {error.start:,} of a string"
                ) from None
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
