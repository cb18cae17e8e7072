"""Whatever becomes of a data file, a loader reads it or names file, line and rule; nothing else comes out."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DataError
from eval.datasets.choi import read_segments
from eval.datasets.chunking_evaluation import read_corpora
from eval.datasets.fairytaleqa import read_stories
from eval.datasets.gutenqa import read_chunks
from eval.datasets.lotte_files import read_answers, read_passages, read_queries, read_threads
from eval.datasets.own import read_own_questions
from eval.datasets.sample import BOOK, Sample, sample_directory
from eval.datasets.spans import read_span_queries
from eval.datasets.tables import read_rows
from eval.lotte_ranking import read_ranking
from eval.trec import read_qrels, read_run

SAMPLE = sample_directory()
STORY = Sample().text(BOOK)
SAILING = SAMPLE / "lotte" / "sailing" / "dev"
CHUNKS = "\n".join(
    json.dumps({"Book Name": "B", "Chunk ID": at, "Chunk": text})
    for at, text in enumerate(STORY[:600].split("\n\n"))
)
OWN = 'question,answer,start,end\nWho kept it?,the tide,,\nWhere?,,3,9\n"a, b",tide,,\n'
LOADERS: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "spans.jsonl": ((SAMPLE / "questions.jsonl").read_bytes(), lambda path: read_span_queries(path, STORY)),
    "chunks.jsonl": (CHUNKS.encode(), read_chunks),
    "own.csv": (OWN.encode(), lambda path: read_own_questions(path, STORY)),
    "collection.tsv": ((SAILING / "collection.tsv").read_bytes(), lambda path: list(read_passages(path))),
    "questions.search.tsv": ((SAILING / "questions.search.tsv").read_bytes(), read_queries),
    "qas.search.jsonl": ((SAILING / "qas.search.jsonl").read_bytes(), read_answers),
    "metadata.jsonl": (b'{"dataset":"a","post_ids":[1]}\n' * 3, lambda path: list(read_threads(path))),
    "0.ref": ((SAMPLE / "choi" / "3-5" / "0.ref").read_bytes(), read_segments),
    "run.txt": (b"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.25 t\n", read_run),
    "qrels.txt": (b"q1 0 d1 1\nq1 0 d2 0\n", read_qrels),
    "ranking.tsv": (b"0\t1\t1\t2.0\n0\t2\t2\t1\n1\t4\t1\t1\n", lambda path: read_ranking(path, 5)),
}
NUMBERS = (b"NaN", b"1e400", b"-1", b"9" * 25, b"9" * 5_000, "٣".encode(), b"null", b"true")
MARKS = (
    b'"',
    b"[",
    b"}",
    b",",
    b"\t",
    b"\n\n",
    b"\r",
    b"\x00",
    b"\\ud800",
    "\u2028".encode(),
    "\ufeff".encode(),
)
JUNK = st.sampled_from((*NUMBERS, *MARKS, b"\xff", b"\xed\xa0\x80"))
WHERE = re.compile(r", line \d+: .")


def damaged(data: bytes, at: int, removed: int, junk: bytes, *, cut: bool) -> bytes:
    at %= len(data) + 1
    return data[:at] + junk + (b"" if cut else data[at + removed :])


def complaint(load: Callable[[Path], object], path: Path) -> str | None:
    """What a loader has to say of the file; None when it reads it. Any other error goes through."""
    try:
        load(path)
    except DataError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", LOADERS)
@given(at=st.integers(0, 4_000), removed=st.integers(0, 30), junk=JUNK, cut=st.booleans())
def test_a_damaged_file_is_read_or_named(
    name: str, tmp_path_factory: Any, at: int, removed: int, junk: bytes, cut: bool
) -> None:
    data, load = LOADERS[name]
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(damaged(data[:4_000], at, removed, junk, cut=cut))
    said = complaint(load, path)
    assert said is None or (said.startswith(f"{path}, line ") and WHERE.search(said))


@pytest.mark.parametrize(
    ("folder", "name", "load"),
    [
        ("fairytaleqa", "questions/val/*.csv", lambda root: read_stories(root, "val")),
        ("fairytaleqa", "section-stories/val/*.csv", lambda root: read_stories(root, "val")),
        ("chunking_evaluation", "questions_df.csv", read_corpora),
    ],
)
@given(at=st.integers(0, 4_000), removed=st.integers(0, 30), junk=JUNK, cut=st.booleans())
def test_a_damaged_file_of_a_folder_is_read_or_named(
    folder: str, name: str, load: Callable[[Path], object], tmp_path_factory: Any,
    at: int, removed: int, junk: bytes, cut: bool,
) -> None:  # fmt: skip
    root = tmp_path_factory.getbasetemp() / folder
    shutil.copytree(SAMPLE / folder, root, dirs_exist_ok=True)
    (path,) = root.glob(name)
    path.write_bytes(damaged(path.read_bytes(), at, removed, junk, cut=cut))
    said = complaint(load, root)
    assert said is None or WHERE.search(said)


def test_a_header_that_is_no_csv_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('section,"te"xt\n1,a\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"table\.csv, line 1: a row must be valid CSV"):
        list(read_rows(path, ("section",)))
