"""Processes that work for another one, and end with it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess


def worker_pool(processes: int) -> ProcessPoolExecutor:
    """A pool whose processes end when this one does, killed or not.

    They are spawned, not forked: an embedder's threads do not survive a fork.
    """
    return ProcessPoolExecutor(processes, get_context("spawn"), initializer=end_with_parent)


def end_with_parent() -> None:
    """End this process as soon as its parent has ended.

    A worker holds both ends of the queue that it waits at, so that without this it would wait there for
    ever for the tasks of a parent that was killed.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
