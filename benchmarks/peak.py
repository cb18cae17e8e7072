"""The most memory that this process has held."""

from __future__ import annotations

import re
import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """Bytes in memory at the highest, mapped files included, since the process began its program.

    Linux's `getrusage` also counts what the parent held when it started this process: a worker of a large
    test run would look large itself.
    """
    if _STATUS.exists():
        (kibibytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
        return int(kibibytes) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes where there is no /proc: on macOS
