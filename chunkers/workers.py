"""Threads that wait for others' work and never keep the process from ending."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workers:
    """Does what is submitted in threads, oldest first, within a ``with`` block.

    The block ends when all of it is done; after an error, when what had begun is done, and the rest is
    left. Whoever interrupts it (``KeyboardInterrupt``) waits for nothing: an endpoint may be silent for
    minutes, and threads of ``concurrent.futures`` would hold up the end of the process for as long.

    Args:
        number: of threads at most; one is started when there is something to do for it.
        name: of the threads.
    """

    def __init__(self, number: int, name: str) -> None:
        self._number, self._name = number, name
        self._threads: list[Thread] = []
        self._due: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have ``work`` done; what it returns or raises is the future's."""
        future: Future[T] = Future()

        def do() -> None:
            try:
                result = work(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - the future raises it
                future.set_exception(error)
            else:
                future.set_result(result)

        self._due.put(do)
        if len(self._threads) < self._number:
            name = f"{self._name}-{len(self._threads)}"
            self._threads.append(Thread(target=self._work, name=name, daemon=True))
            self._threads[-1].start()
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._drop()
        for _ in self._threads:
            self._due.put(None)
        if kind is None or issubclass(kind, Exception):
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while (do := self._due.get()) is not None:
            do()

    def _drop(self) -> None:
        try:
            while True:
                self._due.get_nowait()
        except Empty:
            pass
