"""Progress of long work on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service.cli.output import printable
from service.values import Progress

# Called with a label; gives what to report progress to, or None when nobody watches.
Watch = Callable[[str], Progress | None]


@contextmanager
def watching() -> Iterator[Watch]:
    """Progress bars on standard error while the block lasts; nothing when that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[stage]}", markup=False),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # A piped standard output stays what it is; on a terminal its lines go above the bars.
    redirect = sys.stdout.isatty()
    with Bars(*columns, console=Console(stderr=True), transient=True, redirect_stdout=redirect) as bars:

        def watch(label: str) -> Progress:
            for finished in bars.task_ids:
                bars.remove_task(finished)
            task = bars.add_task(printable(label), stage="", total=None)

            def progress(stage: str, done: int, total: int) -> None:
                bars.update(task, stage=stage, completed=done, total=total)

            return progress

        yield watch
