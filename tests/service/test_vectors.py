from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbedderMismatch, InvalidValue
from core.protocols import Vectors
from service.stores.seals import remove_directory
from service.vectors import ChromaSpace, SpaceClosed, VectorStore


def rows(n: int, dim: int = 24, *, seed: int = 0, clusters: int = 40) -> Vectors:
    """Unit rows that lie in clusters, as those of texts do."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(clusters, dim))
    found = centres[rng.integers(0, clusters, n)] + 0.5 * rng.normal(size=(n, dim))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def names(n: int) -> list[str]:
    return [f"7.{position}" for position in range(n)]


@pytest.fixture
def space(tmp_path: Path) -> Iterator[ChromaSpace]:
    space = ChromaSpace(tmp_path / "space")
    yield space
    space.close()


def test_a_space_keeps_the_port(space: ChromaSpace) -> None:
    assert isinstance(space, VectorStore)


def test_an_empty_space_has_nothing_near(space: ChromaSpace) -> None:
    assert space.nearest(rows(1)[0], 5) == []
    assert space.count() == 0
    assert space.ids() == set()


def test_similarities_are_dot_products_best_first(space: ChromaSpace) -> None:
    matrix = rows(50) * np.linspace(0.5, 3, 50, dtype=np.float32)[:, None]  # not unit rows
    space.add(names(50), matrix)
    query = rows(1, seed=5)[0]
    got = space.nearest(query, 50)
    exact = matrix @ query
    assert [name for name, _ in got] == [f"7.{row}" for row in np.argsort(-exact)]
    assert [score for _, score in got] == pytest.approx(sorted(exact.tolist(), reverse=True), abs=1e-5)


def test_equals_come_by_id(space: ChromaSpace) -> None:
    matrix = np.repeat(rows(1), 9, axis=0)
    space.add(list("ihgfedcba"), matrix)
    assert [name for name, _ in space.nearest(matrix[0], 9)] == list("abcdefghi")


def test_more_than_there_are_gives_all(space: ChromaSpace) -> None:
    space.add(names(3), rows(3))
    assert {name for name, _ in space.nearest(rows(1)[0], 100)} == set(names(3)) == space.ids()


def test_n_is_at_least_one(space: ChromaSpace) -> None:
    with pytest.raises(InvalidValue, match="n must be at least 1"):
        space.nearest(rows(1)[0], 0)


def test_a_vector_of_another_length_is_another_embedder_s(space: ChromaSpace) -> None:
    space.add(names(3), rows(3, dim=24))
    with pytest.raises(EmbedderMismatch, match="sawyer reindex"):
        space.nearest(rows(1, dim=8)[0], 1)


def test_batches_are_told_and_all_is_stored(space: ChromaSpace) -> None:
    told: list[int] = []
    space.add(names(4500), rows(4500), told.append)
    assert told == [2000, 4000, 4500]
    assert space.count() == 4500


def test_the_ten_nearest_are_found_nearly_always(space: ChromaSpace) -> None:
    matrix = rows(3000)
    space.add(names(3000), matrix)
    shares = []
    for query in rows(40, seed=1):
        exact = {f"7.{row}" for row in np.argsort(-(matrix @ query))[:10]}
        shares.append(len(exact & {name for name, _ in space.nearest(query, 10)}) / 10)
    assert np.mean(shares) >= 0.97


def test_what_was_added_is_found_by_the_next_to_open(tmp_path: Path) -> None:
    matrix = rows(1500)
    first = ChromaSpace(tmp_path)
    first.add(names(1500), matrix)
    first.close()
    second = ChromaSpace(tmp_path)
    assert second.nearest(matrix[1234], 1)[0][0] == "7.1234"
    second.close()


def test_closing_lets_go_of_every_file(tmp_path: Path) -> None:
    space = ChromaSpace(tmp_path / "space")
    space.add(names(1200), rows(1200))
    space.nearest(rows(1)[0], 3)
    space.close()
    space.close()  # a second time does nothing
    deadline = time.monotonic() + 20
    while _open_files(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _open_files(tmp_path) == []
    remove_directory(tmp_path / "space")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SpaceClosed):
        space.nearest(rows(1)[0], 3)


def test_closing_waits_for_those_who_ask(tmp_path: Path) -> None:
    space = ChromaSpace(tmp_path / "space")
    matrix = rows(500)
    space.add(names(500), matrix)
    outcomes: list[str] = []

    def ask() -> None:
        try:
            while True:
                assert space.nearest(matrix[3], 1)[0][0] == "7.3"
        except SpaceClosed:
            outcomes.append("closed")

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    time.sleep(0.2)
    space.close()
    for asker in askers:
        asker.join(20)
    assert outcomes == ["closed"] * 3


@pytest.mark.parametrize("n", [1, 60, 1300])
def test_files_hold_rows_and_nothing_that_memory_held_before(tmp_path: Path, n: int) -> None:
    mark = b"\xabxylograph\xab"
    litter = [bytearray(mark * (size // len(mark))) for size in (400, 8000, 20_000) * 300]
    del litter  # freed, and so what the engine is likely to be given
    first = ChromaSpace(tmp_path)
    first.add(names(n), rows(n))
    for _ in range(2):  # as they were written, and as they were opened
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert [path.name for path in files if mark in path.read_bytes()] == []
        if n < 1000:  # none written yet but into the log: the room for them is empty
            room = {path.name: path.read_bytes() for path in files if path.suffix == ".bin"}
            assert not any(room["data_level0.bin"] + room["length.bin"])
        first.close()
        first = ChromaSpace(tmp_path)
        assert first.nearest(rows(n)[0], 1)[0][0] == "7.0"
    first.close()


def _open_files(directory: Path) -> list[str]:
    links = Path("/proc/self/fd")
    if not links.is_dir():
        pytest.skip("open files are counted through /proc, which this system lacks")
    found = []
    for link in links.iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.startswith(str(directory)):
            found.append(target)
    return found
