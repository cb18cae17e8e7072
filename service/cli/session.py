"""How a command reaches the system: over HTTP where a server owns the data directory, else in process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import DataDirectoryBusy
from service.ownership import Notify, find_owner, own
from service.settings import Settings
from service.values import Sawyer


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who ingests and answers, and the URL of the server when it is one."""

    sawyer: Sawyer
    url: str | None = None


# Called with the settings, the URL that was asked for, and who is told what is done otherwise.
Connect = Callable[[Settings, str | None, Notify], AbstractContextManager[Session]]


@contextmanager
def open_session(settings: Settings, url: str | None, notify: Notify) -> Iterator[Session]:
    """The server at ``url``; else the server that owns the data directory; else a pipeline of our own.

    A pipeline owns the directory for the length of the block and waits ``settings.lock_wait`` seconds
    for another command that does.

    Raises:
        DataDirectoryBusy: the other command takes longer.
        ServerUnreachable: nobody answers at ``url``.
    """
    with ExitStack() as stack:
        yield _entered(stack, settings, url, notify)


def _entered(stack: ExitStack, settings: Settings, url: str | None, notify: Notify) -> Session:
    server = _server_of(settings.data_dir) if url is None else url
    if server is None:
        try:
            stack.enter_context(own(settings.data_dir, wait=settings.lock_wait, notify=notify))
        except DataDirectoryBusy:
            server = _server_of(settings.data_dir)  # it began to serve while we waited
            if server is None:
                raise
        else:
            from service.pipeline import build  # here, as it loads the stores and the model

            return Session(stack.enter_context(build(settings)))
    from service.client import Client

    if url is None:
        notify(f"using the server at {server}")
    return Session(stack.enter_context(Client(server)), server)


def _server_of(directory: Path) -> str | None:
    owner = find_owner(directory)
    return owner.url if owner else None
