"""A process whose pool has one worker; it prints the worker's id and waits to be killed."""

from __future__ import annotations

import os
import sys
import time

from eval.workers import worker_pool

if __name__ == "__main__":
    pool = worker_pool(1)
    sys.stdout.write(f"{pool.submit(os.getpid).result()}\n")
    sys.stdout.flush()
    time.sleep(120)
