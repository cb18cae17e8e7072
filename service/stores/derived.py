"""Search engines' directories, derived from the catalog: opened when asked, written anew when in doubt."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from core.errors import StoreError
from core.identity import digest
from service.catalog import Catalog
from service.catalog.places import Location, Place
from service.catalog.ready import ReadyGeneration
from service.stores.seals import remove_directory, seal

_log = logging.getLogger(__name__)


class Engine(Protocol):
    """What a directory is opened as."""

    def close(self) -> None:
        """Release the files."""


E = TypeVar("E", bound=Engine)


class DerivedStores(Generic[E]):
    """The stores of one kind, each in a directory that the catalog names and seals.

    A store whose files are not what the seal says (a crash, damage, a missing file) is never opened
    but written anew. Nothing here is the truth, so every way out of trouble is to start again.

    Args:
        root: their directories lie in it.
        catalog: names the directories.
        writing: held while a store is written or replaced.
        connect: opens a directory, or makes a store in an empty one.
        fill: writes generations into an empty store.
    """

    def __init__(
        self,
        root: Path,
        catalog: Catalog,
        writing: threading.RLock,
        *,
        connect: Callable[[Path], E],
        fill: Callable[[E, Sequence[ReadyGeneration]], None],
    ) -> None:
        self._root = root
        self._catalog = catalog
        self._writing = writing
        self._connect = connect
        self._fill = fill
        self._open: dict[Place, E] = {}

    def get(self, place: Place) -> E:
        """The place's store as it is now."""
        engine = self._open.get(place)
        if engine is not None:
            return engine
        with self._writing:
            if place not in self._open:
                engine = self._reopened(place)
                if engine is None:
                    location, engine = self._written_anew(place)
                    self._catalog.places.put(place, location)
                    self.sweep()
                self._open[place] = engine
            return self._open[place]

    @contextmanager
    def replacing(self, places: Iterable[Place]) -> Iterator[Callable[[], None]]:
        """Write the places' stores anew beside the current ones, which answer until the block's end.

        Yields what the caller calls in the transaction that makes the new ones count. Places where
        nothing is retrievable lose their store.
        """
        fresh: dict[Place, tuple[Location, E]] = {}
        emptied: list[Place] = []

        def name() -> None:
            for place, (location, _) in fresh.items():
                self._catalog.places.put(place, location)
            for place in emptied:
                self._catalog.places.drop(place)

        try:
            for place in places:
                if self._generations(place):
                    fresh[place] = self._written_anew(place)
                else:
                    emptied.append(place)
            yield name
        except BaseException:
            for _, engine in fresh.values():
                engine.close()
            self.sweep()
            raise
        for place in (*fresh, *emptied):
            former = self._open.pop(place, None)
            if place in fresh:
                self._open[place] = fresh[place][1]
            if former is not None:
                former.close()
        self.sweep()

    @contextmanager
    def changing(self, place: Place) -> Iterator[E]:
        """The store, to add to it; should the block end by an error, it is removed and later written anew.

        Inside, the caller calls `sealed` in the transaction that makes the addition count.
        """
        engine = self.get(place)
        location = self._location(place)
        self._catalog.places.put(place, Location(location.directory, None))
        try:
            yield engine
        except BaseException:
            self.drop(place)
            self.sweep()
            raise

    def sealed(self, place: Place) -> None:
        """The place's store is whole as it is on the disk now."""
        directory = self._location(place).directory
        self._catalog.places.put(place, Location(directory, seal(self._root / directory)))

    def drop(self, place: Place) -> None:
        """Close the place's store and let the catalog name it no longer; `sweep` removes its directory."""
        self._catalog.places.drop(place)
        engine = self._open.pop(place, None)
        if engine is not None:
            engine.close()

    def sweep(self) -> None:
        """Remove every directory that the catalog does not name; files are not ours (``.DS_Store``)."""
        if self._root.is_dir():
            named = {location.directory for location in self._catalog.places.all().values()}
            for path in self._root.iterdir():
                if path.name not in named and path.is_dir():
                    remove_directory(path)

    def close(self) -> None:
        """Close all stores."""
        for place in list(self._open):
            self._open.pop(place).close()

    def _generations(self, place: Place) -> list[ReadyGeneration]:
        return self._catalog.ready.generations(place.collection, place.fingerprint or None)

    def _written_anew(self, place: Place) -> tuple[Location, E]:
        name = f"{digest(place.kind, place.collection, place.fingerprint)[:16]}-{self._catalog.serial()}"
        engine = self._connect(self._root / name)
        try:
            self._fill(engine, self._generations(place))
            return Location(name, seal(self._root / name)), engine
        except BaseException:
            engine.close()
            raise

    def _reopened(self, place: Place) -> E | None:
        location = self._catalog.places.get(place)
        if location is None:
            return None
        path = self._root / location.directory
        if location.seal is None or not path.is_dir() or seal(path) != location.seal:
            _log.warning("a %s store is not whole; it is written anew", place.kind)
            return None
        try:
            engine = self._connect(path)
        except StoreError as error:
            _log.warning("a %s store cannot be opened; it is written anew: %s", place.kind, error)
            return None
        self.sealed(place)  # opening alone may change an engine's files
        return engine

    def _location(self, place: Place) -> Location:
        location = self._catalog.places.get(place)
        if location is None:
            raise StoreError(
                f"the catalog must name a {place.kind} store that is open, got none; start again"
            )
        return location
