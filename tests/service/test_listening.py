"""A socket that cannot be had is told with a remedy; one that was had is named by a URL that works."""

from __future__ import annotations

import socket

import pytest

from core.errors import InvalidValue
from service.listening import listen, url_of


def test_port_0_takes_a_free_one_and_connections_wait() -> None:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert url_of("127.0.0.1", listening) == f"http://127.0.0.1:{port}"
        socket.create_connection(("127.0.0.1", port), timeout=2).close()


@pytest.mark.parametrize(
    ("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("localhost", "localhost"), ("box.example", "box.example")]
)
def test_a_url_leads_there_from_this_machine(host: str, shown: str) -> None:
    with listen("127.0.0.1", 0) as listening:
        assert url_of(host, listening).startswith(f"http://{shown}:")


@pytest.mark.parametrize("host", ["::", "::1"])
def test_an_ipv6_address_stands_in_brackets(host: str) -> None:
    with listen("127.0.0.1", 0) as listening:
        assert url_of(host, listening).startswith("http://[::1]:")


def test_a_taken_port_is_told() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(InvalidValue, match=f"listens on 127.0.0.1:{port}; choose another with --port"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid", "x" * 300, "a b"])
def test_a_host_that_is_not_this_machine_is_told(host: str) -> None:
    with pytest.raises(InvalidValue, match="--host or SAWYER_HOST"):
        listen(host, 0)
