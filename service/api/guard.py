"""Who may talk to the server: requests for its own names, from no page but its own.

A page elsewhere can make a browser send requests to a loopback service, and by rebinding its own name
to 127.0.0.1 it could even read the replies. So every request, to the chat page and to websockets too,
must carry a Host that is ours, and an Origin, where a browser sends one, that is ours as well. No CORS
header is ever sent, and no page elsewhere may frame ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import InvalidValue, Refused
from service.api.errors import problem

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
VARIABLE = "SAWYER_ALLOWED_HOSTS"
_SHOWN = 100  # characters of a header that a message quotes
_POLICY_VIOLATION = 1008  # RFC 6455


def trusted_names(allowed_hosts: Iterable[str] = ()) -> frozenset[str]:
    """The loopback names, and the allowed ones: with a port (that port only) or without (any port).

    Nothing is trusted for being bound to: ``0.0.0.0`` is nobody's name.

    Raises:
        InvalidValue: an allowed host is no host name. ``*`` is none on purpose: it would open a service
            without passwords to every page that its users visit.
    """
    return LOOPBACK | {_checked(name) for name in allowed_hosts}


class Guard:
    """ASGI middleware that refuses foreign Host and Origin headers.

    Args:
        app: what is guarded.
        trusted: from `trusted_names`.
    """

    def __init__(self, app: ASGIApp, *, trusted: frozenset[str]) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["headers"])
        if refusal is None:
            await self._app(scope, receive, _unframed(send) if scope["type"] == "http" else send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await problem(Refused(refusal), scope["path"])(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": "refused"})

    def _refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
        """Why the request is refused, or None."""
        found: dict[bytes, list[str]] = {b"host": [], b"origin": []}
        for name, value in headers:
            if name in found:
                found[name].append(value.decode("latin-1"))
        hosts, origins = found[b"host"], found[b"origin"]
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return _message("Host", ", ".join(hosts))
        for origin in origins:
            scheme, separator, host = origin.partition("://")
            if scheme not in ("http", "https") or not separator or not self._is_ours(host):
                return _message("Origin", origin)
        return None

    def _is_ours(self, host: str) -> bool:
        parts = _parts(host)
        if parts is None:
            return False
        name, port = parts
        return name in self._trusted or f"{name}:{port}" in self._trusted


def _parts(host: str) -> tuple[str, int | None] | None:
    """``(name, port)`` of a Host header, the name in lower case, or None when it is no host."""
    try:
        split = urlsplit(f"//{host}")
        name, port = split.hostname, split.port
    except ValueError:
        return None
    # Everything but a name and a port (a user, a path, white space) would have been cut off silently.
    if name is None or split.netloc != host or "@" in host or any(c.isspace() for c in host):
        return None
    return (f"[{name}]" if ":" in name else name), port


def _checked(allowed: str) -> str:
    parts = _parts(allowed)
    if parts is None or "*" in allowed:
        raise InvalidValue(
            f"an allowed host must be a name such as sawyer.example.org or sawyer.example.org:8443, "
            f"got {allowed!r}; list every name in {VARIABLE}, separated by commas"
        )
    name, port = parts
    return name if port is None else f"{name}:{port}"


def _message(header: str, value: str) -> str:
    shown = value[:_SHOWN] or "none"
    return (
        f"{header} must be a loopback name (127.0.0.1, localhost, [::1]) or one that {VARIABLE} names, "
        f"got {shown!r}; if this server is meant to be reached by that name, add it to {VARIABLE}"
    )


def _unframed(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("x-frame-options", "SAMEORIGIN")
            headers.setdefault("x-content-type-options", "nosniff")
        await send(message)

    return sending
