"""What the flags that were given mean: settings, and the session that they are for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import InvalidValue
from service.cli.output import note
from service.cli.session import Connect, Session
from service.settings import Settings

# What a server decides by its own settings.
_SERVERS_OWN = {
    "embedder": "--embedder",
    "index": "--index",
    "chunker": "--chunker",
    "chunk_size": "--size",
    "chunk_unit": "--unit",
    "chunk_overlap": "--overlap",
    "chunk_least": "--min",
    "chunk_soft": "--soft",
    "chunk_hard": "--hard",
    "picker": "--picker",
    "on_failure": "--on-failure",
    "max_calls": "--max-calls",
}


def settings_of(args: argparse.Namespace, *, leave_out: str = "") -> Settings:
    """The settings under the flags that were given, but for the one that is left out.

    Raises:
        InvalidValue: see `service.settings.Settings.load`.
    """
    given = vars(args)
    names = (Settings.model_fields.keys() & given.keys()) - {leave_out}
    return Settings.load(**{name: given[name] for name in names})


@contextmanager
def session_of(args: argparse.Namespace, settings: Settings, connect: Connect) -> Iterator[Session]:
    """Whoever the command goes to.

    Raises:
        InvalidValue: it is a server, and a flag is given that a server decides by its own settings.
    """
    with connect(settings, args.url, note) as session:
        flags = [flag for name, flag in _SERVERS_OWN.items() if getattr(args, name, None) is not None]
        if session.url and flags:
            raise InvalidValue(
                f"{', '.join(flags)} must be left to the server at {session.url}, which has settings of its "
                "own; leave it out, or restart the server with it"
            )
        yield session
