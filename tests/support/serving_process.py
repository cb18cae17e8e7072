"""`serve` in a process of its own, over a `GatedSawyer`: signals, sockets and locks are real."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_PROGRAM = """
import sys, threading
from pathlib import Path
from service.serving import serve
from service.settings import Settings
from tests.support.served import GatedSawyer

directory, port, opens, chat = sys.argv[1:]
sawyer = GatedSawyer()
if float(opens) > 0:
    sawyer.gate.clear()
    timer = threading.Timer(float(opens), sawyer.gate.set)
    timer.daemon = True
    timer.start()
serve(
    Settings.load(data_dir=Path(directory), port=int(port), chat=chat == "chat"),
    open_sawyer=lambda settings: sawyer,
)
print("closed" if sawyer.closed else "left open")
"""


@dataclass
class Serving:
    """A process that serves, or is about to."""

    process: subprocess.Popen[str]

    def url(self) -> str:
        """Where it serves, once it says that it is ready."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Sawyer is ready at http://"), line + self.process.communicate()[1]
        return line.removeprefix("Sawyer is ready at ").strip()

    def stop(self, number: int) -> tuple[int, str, str, float]:
        """Exit status, the rest of standard output, standard error, and the seconds that it took."""
        started = time.monotonic()
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err, time.monotonic() - started


@contextmanager
def serving(directory: Path, *, port: int = 0, opens: float = 0, chat: bool = False) -> Iterator[Serving]:
    """A server on ``directory``, killed at the end if it still runs.

    Args:
        opens: seconds after which ingests go through; 0: from the start.
    """
    arguments = [str(directory), str(port), str(opens), "chat" if chat else "api"]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Serving(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
