"""A process that ingests and deletes without end, saying before and after each step what it does.

    python -m tests.support.crash_worker DIRECTORY SEED

Lines on standard output: ``begin SOURCE VERSION`` and ``done SOURCE VERSION``; version 0 is a deletion.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from service.stores import Generation, Stores
from tests.support.generations import generation, ingest

SOURCES = ("a.txt", "b.txt", "c.txt", "d.txt")


def mark(source: str, version: int) -> str:
    """A word that only this version of this document holds."""
    return f"zq{source[0]}v{version}qz"


def made(source: str, version: int) -> Generation:
    """A version of a document: of its own length, every chunk with its mark."""
    rng = random.Random(f"{source} {version}")
    words = "the harbour lay still under a pewter sky while quinces fell in orchards".split()
    text = " ".join(
        f"{mark(source, version)} {' '.join(rng.choices(words, k=8))}." for _ in range(rng.randint(3, 120))
    )
    return generation(source, text, size=120)


def main(directory: str, seed: str) -> None:
    """Work until killed."""
    rng = random.Random(seed)
    stores = Stores(Path(directory))
    say("open")
    while True:
        source = rng.choice(SOURCES)
        version = rng.randint(1, 10**6)
        one = made(source, version)
        if rng.random() < 0.25 and stores.document(one.document_id) is not None:
            say(f"begin {source} 0")
            stores.hide(one.document_id)
            stores.purge()
            say(f"done {source} 0")
        else:
            say(f"begin {source} {version}")
            ingest(stores, one)
            say(f"done {source} {version}")


def say(line: str) -> None:
    """Tell the parent, so that it knows even if the next moment is the last."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
