"""Runs an experiment: what was computed before comes from the cache, the rest is shared out to processes.

One task is one method on one book; its results are kept as soon as they are there, so that a run which was
stopped goes on where it stood.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.errors import Unavailable
from core.identity import digest
from core.protocols import Embedder
from eval.command import say
from eval.datasets.base import data_digest
from eval.embedders import Embedders, embedder_named
from eval.keeping import Shelf
from eval.retrievers import Retriever
from eval.rows import Cell
from eval.scoring import Experiment, Report, score_method
from eval.source import code_digest
from eval.workers import worker_pool

# What makes a result: cutting, embedding, ranking, judging, and reading the data.
DECIDING = (
    "eval.scoring",
    "eval.nulls",
    "eval.datasets.gutenqa",
    "eval.datasets.sample",
    "service.embedding",
)

# Fewer tasks than this are not worth the seconds that a process takes to start.
TASKS_A_PROCESS = 3


@dataclass(frozen=True, slots=True)
class Task:
    """One method, by its place in the experiment, on one book."""

    book: str
    method: int


@dataclass(frozen=True)
class Laboratory:
    """An experiment with its embedder and its cache: what a process needs to compute any task of it.

    Attributes:
        embedder: its name, as a command line gives it; None when no retriever needs vectors.
        cache: the folder of kept results and vectors.
    """

    experiment: Experiment
    embedder: str | None
    cache: Path

    def tasks(self, report: Report) -> list[Task]:
        """Every book under every method that has it, book by book."""
        methods = self.experiment.methods
        for method in methods:
            absent = [book for book in self.experiment.books if not method.has(book)]
            if absent:
                report(f"{method.name} has no chunks of {', '.join(absent)}: left out of its row")
        tasks = [
            Task(book, at)
            for book in self.experiment.books
            for at, method in enumerate(methods)
            if method.has(book)
        ]
        for task in tasks:
            method = methods[task.method]
            rewritten = method.rewritten(task.book, self.experiment.questions)
            if rewritten and self.experiment.rule_of(method, task.book) == "substring":
                report(
                    f"{method.name} says {task.book} in other words, in which rule substring finds no gold: "
                    "its row is not comparable"
                )
        return tasks

    def cells(self, jobs: int, report: Report) -> list[Cell]:
        """Every task's cells, book by book.

        Args:
            jobs: processes at most; a few tasks are computed in this one.

        Raises:
            SawyerError: what a task raises; what others have finished stays kept.
            Unavailable: a process was killed.
        """
        tasks = self.tasks(report)
        found: dict[Task, list[Cell]] = {}
        for task in tasks:
            kept = self._kept(task)
            if len(kept) == len(self.experiment.retrievers):
                found[task] = list(kept.values())
        if found:
            report(f"kept from before: {len(found)} of {len(tasks)} books under a method")
        missing = [task for task in tasks if task not in found]
        processes = min(jobs, len(missing) // TASKS_A_PROCESS)
        computed = self._in_processes(missing, processes) if processes > 1 else self._here(missing, report)
        started = time.monotonic()
        for done, (task, cells) in enumerate(computed, start=1):
            found[task] = cells
            left = (time.monotonic() - started) / done * (len(missing) - done)
            name = self.experiment.methods[task.method].name
            report(f"done {done} of {len(missing)}, about {duration(left)} left: {task.book}, {name}")
        return [cell for task in tasks for cell in found[task]]

    def compute(self, task: Task, report: Report) -> list[Cell]:
        """The task's cells: those that are kept, and the others, computed and kept."""
        cells = self._kept(task)
        missing = [retriever for retriever in self.experiment.retrievers if retriever not in cells]
        models = None if self.embedder is None else _embedders(self.embedder, task.book, self.cache)
        keys = self._keys(task)
        for cell in score_method(self.experiment, task.book, task.method, missing, models, report):
            self._results.write(keys[cell.retriever], cell.as_json())
            cells[cell.retriever] = cell
        return list(cells.values())

    def _here(self, tasks: Iterable[Task], report: Report) -> Iterator[tuple[Task, list[Cell]]]:
        for task in tasks:
            yield task, self.compute(task, report)

    def _in_processes(self, tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, list[Cell]]]:
        pool = worker_pool(processes)
        try:
            # By method, so that processes begin with different books and none waits for another's windows.
            ordered = sorted(tasks, key=lambda task: task.method)
            waiting = {pool.submit(_compute, self, task): task for task in ordered}
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BrokenProcessPool as error:
            raise Unavailable(
                "a process of the run was killed, for want of memory perhaps; run the command again with "
                "a smaller --jobs: what is finished is kept"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)

    @property
    def _results(self) -> Shelf:
        return Shelf(self.cache / "results", say)

    def _kept(self, task: Task) -> dict[Retriever, Cell]:
        rule = self.experiment.rule_of(self.experiment.methods[task.method], task.book)
        kept = {}
        for retriever, key in self._keys(task).items():
            content = self._results.read(key)
            if content is not None:
                kept[retriever] = Cell.of_json(content, task.book, task.method, retriever, rule)
        return kept

    def _keys(self, task: Task) -> dict[Retriever, str]:
        """For each retriever the digest of all that decides the task's result under it."""
        experiment, method = self.experiment, self.experiment.methods[task.method]
        deciding = self.embedder if any(one.needs_vectors for one in experiment.retrievers) else None
        fingerprint = "" if deciding is None else named_embedder(deciding).fingerprint
        decided = [
            code_digest(*DECIDING),
            data_digest(experiment.questions, [task.book]),
            task.book,
            *(query.id for query in experiment.queries(task.book)),
            method.strategy,
            experiment.rule_of(method, task.book),
        ]
        return {
            retriever: digest(*decided, str(retriever), fingerprint if retriever.needs_vectors else "")
            for retriever in experiment.retrievers
        }


def duration(seconds: float) -> str:
    """Seconds as a person says them: ``40 s``, ``3 min``, ``2.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3_600:.1f} h"


@lru_cache(maxsize=1)
def named_embedder(name: str) -> Embedder:
    """The embedder of that name, one in a process."""
    return embedder_named(name)


@lru_cache(maxsize=1)
def _embedders(name: str, book: str, cache: Path) -> Embedders:  # noqa: ARG001 - anew for each book
    """One book's texts stay in memory; window vectors are kept on disk as well."""
    return Embedders.around(named_embedder(name), cache, say)


def _compute(laboratory: Laboratory, task: Task) -> list[Cell]:
    return laboratory.compute(task, lambda _: None)
