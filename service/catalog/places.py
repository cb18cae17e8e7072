"""Where the derived stores lie: the part of the catalog that names their directories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from service.catalog.database import Database

Kind = Literal["lexical", "vectors"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A derived store's identity: a collection's lexical index, or its space under one embedder."""

    kind: Kind
    collection: str
    fingerprint: str = ""


class Location(NamedTuple):
    """A store's directory and the seal that its files must have; None: dirty, to be written anew."""

    directory: str
    seal: str | None


class Places:
    """The derived stores that exist. A directory that no place names is rubbish."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, place: Place) -> Location | None:
        """Where the place's store is, or None."""
        return self.all().get(place)

    def all(self) -> dict[Place, Location]:
        """Every derived store."""
        with self._database.reading() as db:
            rows = db.execute("SELECT kind, collection, fingerprint, directory, seal FROM derived").fetchall()
        return {Place(*row[:3]): Location(*row[3:]) for row in rows}

    def put(self, place: Place, location: Location) -> None:
        """Name the place's directory from here on."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO derived VALUES (?, ?, ?, ?, ?)",
                (place.kind, place.collection, place.fingerprint, *location),
            )

    def drop(self, place: Place) -> None:
        """The place has no store from here on."""
        with self._database.writing() as db:
            db.execute(
                "DELETE FROM derived WHERE kind = ? AND collection = ? AND fingerprint = ?",
                (place.kind, place.collection, place.fingerprint),
            )
