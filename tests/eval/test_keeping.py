"""What is kept is given back as it was; what is damaged is told and computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import StoreError
from eval.keeping import Shelf
from eval.kept_vectors import KeptVectors
from tests.support.fakes import HashEmbedder

TEXTS = ["A rope.", "The tide turned.", "half \ud800 a pair", ""]


def shelf(folder: Path) -> tuple[Shelf, list[str]]:
    said: list[str] = []
    return Shelf(folder, said.append), said


def test_json_and_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    kept, said = shelf(tmp_path)
    assert kept.read("ab12") is None
    kept.write("ab12", {"values": [0.1, 1 / 3]})
    assert kept.read("ab12") == {"values": [0.1, 1 / 3]}
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    kept.write_rows("cd34", rows, {"seconds": 2.5})
    found = kept.read_rows("cd34")
    assert found is not None
    assert np.array_equal(found[0], rows)
    assert found[1]["seconds"] == 2.5
    assert said == []


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 9, "content": {}}', b"\xff"]
)
def test_a_damaged_entry_is_told_and_counts_as_none(tmp_path: Path, damage: bytes) -> None:
    kept, said = shelf(tmp_path)
    kept.write("ab12", {"value": 1})
    (tmp_path / "ab/ab12.json").write_bytes(damage)
    assert kept.read("ab12") is None
    assert len(said) == 1
    assert "ab12.json is damaged: computing it again" in said[0]
    kept.write("ab12", {"value": 2})
    assert kept.read("ab12") == {"value": 2}


def test_each_list_of_texts_is_embedded_once_by_whoever_comes_first(tmp_path: Path) -> None:
    first, second = HashEmbedder(), HashEmbedder()
    rows = KeptVectors(first, shelf(tmp_path)[0]).embed_passages(TEXTS)
    again = KeptVectors(second, shelf(tmp_path)[0])
    assert np.array_equal(again.embed_passages(TEXTS), rows)
    assert np.array_equal(again.embed_query("a rope"), HashEmbedder().embed_query("a rope"))
    assert (first.calls, second.calls) == (4, 0)
    assert again.cost.model_calls == 5  # what it costs does not depend on who has paid
    other = HashEmbedder(32)
    assert KeptVectors(other, shelf(tmp_path)[0]).embed_passages(TEXTS).shape == (4, 32)
    assert other.calls == 4


@pytest.mark.parametrize("at", [0, 200, -1])
def test_one_changed_byte_of_kept_vectors_is_noticed(tmp_path: Path, at: int) -> None:
    KeptVectors(HashEmbedder(), shelf(tmp_path)[0]).embed_passages(TEXTS)
    (path,) = tmp_path.rglob("*.npy")
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    kept, said = shelf(tmp_path)
    embedder = HashEmbedder()
    assert np.array_equal(
        KeptVectors(embedder, kept).embed_passages(TEXTS), HashEmbedder().embed_passages(TEXTS)
    )
    assert embedder.calls == 4
    assert [line.endswith(".npy is damaged: computing it again") for line in said] == [True]


def test_a_folder_that_cannot_be_made_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="choose another --cache"):
        shelf(tmp_path / "file" / "cache")[0].write("ab12", {})
