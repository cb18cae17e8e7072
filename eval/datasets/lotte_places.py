"""Where topics in LoTTE's layout lie: in a data root, a set's folder, a topic's, or a topic's split's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from core.errors import InvalidValue, NotFound
from eval.datasets.base import spelled_out
from eval.datasets.lotte import LOTTE, POOLED, SPLITS, TOPICS, Split, Topic, TopicFolder
from eval.datasets.lotte_pooled import PooledTopics

# Below a data root: the set itself, and small complete collections laid out like it.
SET_FOLDERS = (LOTTE.folder, "lotte_shaped")
_MARKS = ("collection.tsv", "qas.*.jsonl", "questions.*.tsv")


@dataclass(frozen=True, slots=True)
class LottePlace:
    """Topics found at one place.

    Attributes:
        kind: what the given path turned out to be.
        folders: every topic and split there, in the official order, then by name.
    """

    given: Path
    kind: str
    folders: tuple[TopicFolder, ...]

    def splits(self) -> tuple[Split, ...]:
        """The splits that some topic has."""
        present = {folder.split for folder in self.folders}
        return tuple(split for split in SPLITS if split in present)

    def split(self, asked: Split | None) -> Split:
        """The split asked for, else the one there is, else ``dev``.

        Raises:
            NotFound: it is not there.
        """
        present = self.splits()
        chosen = asked or present[0]
        if chosen not in present:
            raise NotFound(
                f"--split must be one that {self.given} holds ({', '.join(present)}), got {chosen}"
            )
        return chosen

    def topics(self, split: Split) -> list[TopicFolder]:
        """The folders of a split."""
        return [folder for folder in self.folders if folder.split == split]

    def topic(self, split: Split, name: str) -> Topic | None:
        """The topic of that name; None when there is none.

        Where ``pooled`` has no folder of its own, it is joined from the topics with passages, if there are
        two or more in one set.
        """
        found = self.topics(split)
        own = next((folder for folder in found if folder.name == name), None)
        if own is not None or name != POOLED:
            return own
        sets: dict[Path, list[TopicFolder]] = {}
        for folder in found:
            if folder.collection.exists():
                sets.setdefault(folder.folder.parent.parent, []).append(folder)
        return next((PooledTopics(tuple(parts)) for parts in sets.values() if len(parts) > 1), None)


def find_lotte(directory: Path) -> LottePlace:
    """What lies at a path.

    Raises:
        NotFound: nothing in LoTTE's layout.
        InvalidValue: two topics by one name.
    """
    given = spelled_out(directory)
    roots = [given / name for name in SET_FOLDERS]
    kinds = (
        ("data root", [folder for root in roots for folder in _set(root)]),
        ("folder of the set", _set(given)),
        ("folder of a topic", _topic(given)),
        ("folder of a topic's split", _split(given)),
    )
    for kind, folders in kinds:
        if folders:
            return LottePlace(given, kind, _ordered(folders))
    raise NotFound(
        f"the data folder must be a data root that holds {' or '.join(SET_FOLDERS)}, a set's own folder, or "
        f"a folder TOPIC/SPLIT, got {given}; {LOTTE.instructions}"
    )


def sample_place() -> LottePlace:
    """The bundled topics, in a checkout and in an installed wheel alike."""
    folder = Path(str(files("eval.sample"))) / "lotte"
    return LottePlace(folder, "bundled sample", _ordered(_set(folder)))


def _set(folder: Path) -> list[TopicFolder]:
    if not folder.is_dir():
        return []
    return [found for topic in folder.iterdir() if topic.is_dir() for found in _topic(topic)]


def _topic(folder: Path) -> list[TopicFolder]:
    return [found for split in SPLITS for found in _split(folder / split)]


def _split(folder: Path) -> list[TopicFolder]:
    if folder.name not in SPLITS or not any(any(folder.glob(mark)) for mark in _MARKS):
        return []
    return [TopicFolder(folder.parent.name, SPLITS[SPLITS.index(folder.name)], folder)]


def _ordered(folders: Sequence[TopicFolder]) -> tuple[TopicFolder, ...]:
    names = official_order({folder.name for folder in folders})
    found = sorted(folders, key=lambda folder: (names.index(folder.name), folder.split))
    for one, other in pairwise(found):
        if (one.name, one.split) == (other.name, other.split):
            raise InvalidValue(
                f"a topic must have one folder a split, got {one.folder} and {other.folder}; name one of them"
            )
    return tuple(found)


def official_order(names: set[str]) -> list[str]:
    """The official evaluator's topics in its order, with others, by name, before ``pooled``."""
    others = sorted(names - set(TOPICS))
    return [name for name in (*TOPICS[:-1], *others, POOLED) if name in names]
