"""Errors over HTTP: each one a problem+json (RFC 9457), with the status of the error tree's table.

``type`` is the path of a page of this server that says what the code means; ``detail`` is the error's
own text; ``code`` is what a program reads. An error outside the tree shows an incident number only.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import (
    OUTCOMES,
    InvalidInput,
    InvalidValue,
    NotFound,
    SawyerError,
    TooLarge,
    Unavailable,
    UnsupportedFormat,
    error_class,
)
from service.incidents import incident

MEDIA_TYPE = "application/problem+json"
SHOWN_ERRORS = 20  # of one request; a body of a million wrong fields is told about the first ones

# What the framework itself refuses, in our terms; other statuses keep HTTP's own name.
_FRAMEWORK: dict[int, type[SawyerError]] = {
    400: InvalidInput,
    404: NotFound,
    413: TooLarge,
    415: UnsupportedFormat,
    422: InvalidInput,
}

_HEADERS: dict[type[SawyerError], dict[str, str]] = {
    Unavailable: {"retry-after": "5"},  # seconds, a guess: how soon a queue has moved on
    TooLarge: {"connection": "close"},  # the rest of the body would have to be read otherwise
}

# What the OpenAPI description says about every native route.
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {
        "description": "A problem (RFC 9457); `code` names it.",
        "content": {
            MEDIA_TYPE: {
                "schema": {
                    "type": "object",
                    "required": ["type", "title", "status", "detail", "instance", "code"],
                    "properties": {
                        "type": {"type": "string"},
                        "title": {"type": "string"},
                        "status": {"type": "integer"},
                        "detail": {"type": "string"},
                        "instance": {"type": "string"},
                        "code": {"type": "string", "enum": sorted(o.code for o in OUTCOMES.values())},
                        "errors": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "detail": {"type": "string"},
                                    "pointer": {"type": "string"},
                                    "parameter": {"type": "string"},
                                },
                            },
                        },
                    },
                }
            }
        },
    }
    for status in ("4XX", "5XX", 422)
}

router = APIRouter()


class InvalidFields(InvalidValue):
    """A request that does not fit its schema; ``errors`` says where."""

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        self.errors = [_field(error) for error in errors[:SHOWN_ERRORS]]
        first = self.errors[0]
        place = first.get("pointer") or first.get("parameter") or "the body"
        super().__init__(
            f"a request must fit its schema, got {len(errors)} wrong place(s), the first at {place}: "
            f"{first['detail']}; /docs describes every route"
        )

    @staticmethod
    def of(error: ValidationError) -> InvalidFields:
        """The same for a body that we validated ourselves."""
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return InvalidFields([{**one, "loc": ("body", *one["loc"])} for one in found])


class Problem(Exception):
    """An error of the tree with more members than its own."""

    def __init__(self, error: SawyerError, extra: Mapping[str, Any]) -> None:
        super().__init__(str(error))
        self.error = error
        self.extra = extra


def problem(error: SawyerError, instance: str, extra: Mapping[str, Any] | None = None) -> Response:
    """The response of an error in the tree."""
    code, status, _ = error.outcome
    kind = error_class(code)  # the nearest class that the table names
    more: dict[str, Any] = {"errors": error.errors} if isinstance(error, InvalidFields) else {}
    headers = _HEADERS.get(kind, {})
    return _response(
        {
            "type": f"/problems/{code}",
            "title": _title(kind),
            "status": status,
            "detail": str(error),
            "instance": quote(instance),
            "code": code,
            **more,
            **(extra or {}),
        },
        headers,
    )


def install(app: FastAPI) -> None:
    """Answer every error that a route or the framework raises, and say what each code means."""
    app.add_exception_handler(SawyerError, _on_sawyer_error)
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.include_router(router)


@router.get("/problems/{code}", include_in_schema=False)
def describe_problem(code: str) -> dict[str, Any]:
    """What a code means: the page that a problem's ``type`` points to."""
    for kind, outcome in OUTCOMES.items():
        if outcome.code == code:
            return {
                "code": code,
                "title": _title(kind),
                "status": outcome.status,
                "exit_code": outcome.exit_code,
            }
    raise NotFound(f"there is no problem {code!r}; the codes stand in /openapi.json")


class Incidents:
    """ASGI middleware: an error outside the tree gives status 500 and a number, its text goes to the log.

    Two ends of a request are no errors: a sender who left before the whole body was there is told
    nothing, and whoever still waits when the server stops is told so.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # what a stopping server does once its grace is over
            if not started:
                await problem(_stopping(), scope["path"])(scope, receive, send)
        except Exception as error:
            detail = incident(error, f"{scope['method']} {scope['path']}")
            if started:
                raise  # half a response is out: only a broken connection tells the caller
            await problem(SawyerError(detail), scope["path"])(scope, receive, send)


def _stopping() -> Unavailable:
    return Unavailable("the server is stopping; look up what became of this, or ask again, once it is back")


async def _on_sawyer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SawyerError)  # noqa: S101 - what the handler is registered for
    return problem(error, request.scope["path"])


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 - what the handler is registered for
    return problem(error.error, request.scope["path"], error.extra)


async def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what the handler is registered for
    return problem(InvalidFields(error.errors()), request.scope["path"])


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - what the handler is registered for
    path = request.scope["path"]
    kind = _FRAMEWORK.get(error.status_code)
    if kind is NotFound:
        return problem(NotFound(f"there is no route {request.method} {path}; /docs lists them"), path)
    if kind is not None:
        return problem(kind(error.detail), path)
    phrase = HTTPStatus(error.status_code).phrase
    body = {"title": phrase, "status": error.status_code, "detail": error.detail}
    code = phrase.lower().replace(" ", "_")
    return _response(
        {"type": "about:blank", "instance": quote(path), "code": code, **body}, dict(error.headers or {})
    )


def _response(body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
    # A message may quote what no encoding can hold (lone surrogates): shown as "?", never a second error.
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(text, status_code=body["status"], headers=dict(headers), media_type=MEDIA_TYPE)


def _title(kind: type[SawyerError]) -> str:
    if kind is SawyerError:
        return "Something went wrong"
    return (kind.__doc__ or kind.__name__).splitlines()[0].rstrip(".")


def _field(error: Mapping[str, Any]) -> dict[str, str]:
    """Where and what; never the value, which may be long, secret or unprintable."""
    place, *path = error["loc"]
    if place != "body":
        return {"detail": error["msg"], "parameter": ".".join(map(str, path))}
    segments = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    pointer = "".join(f"/{quote(part, errors='replace')}" for part in segments)
    return {"detail": error["msg"], "pointer": f"#{pointer}"}
