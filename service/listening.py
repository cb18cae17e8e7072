"""The socket that a server listens on, and the URL that leads to it."""

from __future__ import annotations

import errno
import socket

from core.errors import InvalidValue

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised here, never chosen


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Connections wait until they are accepted.

    Raises:
        InvalidValue: the port is taken or not ours to take, or the host is no address of this machine.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server(address, family=family, backlog=128)
    except (OSError, UnicodeError) as error:  # UnicodeError: a name with a label that is too long
        raise InvalidValue(_remedy(host, port, error)) from error


def url_of(host: str, listening: socket.socket) -> str:
    """Where this machine reaches the socket: a host that means every address becomes the loopback one."""
    name = _EVERYWHERE.get(host, host)
    port: int = listening.getsockname()[1]
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _remedy(host: str, port: int, error: OSError | UnicodeError) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return (
            f"the port must be free, but another program listens on {host}:{port}; "
            f"choose another with --port or SAWYER_PORT, or 0 for any free one"
        )
    if number in (errno.EACCES, errno.EPERM):
        return (
            f"the port must be one that you may use, got {port}; "
            f"choose one above 1023 with --port or SAWYER_PORT"
        )
    return (
        f"the host must be a name or address of this machine, got {host!r}; "
        f"choose another with --host or SAWYER_HOST, such as 127.0.0.1"
    )
