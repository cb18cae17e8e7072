"""What this process may use of the machine."""

from __future__ import annotations

import os


def cores() -> int:
    """Cores that this process may use; a container may grant fewer than there are."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
