"""The ``sawyer`` command: how it begins and how it ends.

Light on purpose: what a command needs is loaded when that command runs.
"""

from __future__ import annotations

import argparse
import io
import os
import secrets
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SawyerError
from service.cli.arguments import parser

if TYPE_CHECKING:
    from service.cli.session import Connect

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
BROKEN_PIPE = 141  # 128 + SIGPIPE
INTERNAL = 1

Command = Callable[[argparse.Namespace, "Connect"], int]


def main(argv: Sequence[str] | None = None, *, connect: Connect | None = None) -> int:
    """Run one command and return its exit code, which `core.errors` has a table of.

    Args:
        argv: the arguments after the command's name; None takes those of the process.
        connect: how to reach the system in place of `service.cli.session.open_session`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no terminal's encoding makes a command fail
    args = parser().parse_args(argv)
    try:
        exit_code = _run(args, connect)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has enough. Python flushes once more at exit: into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except SawyerError as error:
        _say(str(error))
        return error.outcome.exit_code
    except Exception as error:  # noqa: BLE001 - a bug: its text goes to a file, its number to the person
        _say(_incident(error))
        return INTERNAL
    return exit_code


def _run(args: argparse.Namespace, connect: Connect | None) -> int:
    from service.cli import commands
    from service.cli.session import open_session

    command: Command = getattr(commands, args.command)
    return command(args, connect or open_session)


def _say(message: str) -> None:
    from service.cli.output import note

    note(message)


def _incident(error: Exception) -> str:
    number = secrets.token_hex(4)
    log = Path(tempfile.gettempdir()) / f"sawyer-incident-{number}.log"
    log.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace")
    return f"something went wrong here (incident {number}); {log} holds the cause, please report it"
