"""``--fetch``: the published Parquet files in each layout, over HTTP and from a folder, checked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from core.errors import DataError, NotFound
from eval.datasets.gutenqa_parquet import FOLDER, fetch
from eval.gutenqa import main

BOOKS = ("Tides_-_A._Nobody", "Uncle_Tom’s_Rope,_or_Two_-_B._Nobody")
TEXTS = {
    book: [f"{book[:5]} one. The tide turned.", "A rope lay there.", "“Who?” — he\u00a0said."]
    for book in BOOKS
}
QUESTIONS = [
    (BOOKS[0], 0, "What turned?", "The tide turned"),
    (BOOKS[0], 0, "What did the tide do?", "tide turned"),
    (BOOKS[1], 2, "Who spoke?", "“Who?” — he"),
]


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:  # the server's own lines belong to no test
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the URL at which it is served."""
    folder = tmp_path / "home"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def write(path: Path, rows: list[dict[str, Any]], **types: pyarrow.DataType) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pyarrow.Table.from_pylist(rows)
    for name, kind in types.items():
        column = name.replace("_", " ")
        table = table.set_column(table.schema.get_field_index(column), column, table[column].cast(kind))
    pyarrow.parquet.write_table(table, path)


def chunk_rows() -> list[dict[str, Any]]:
    return [
        {"Book Name": book, "Book ID": number, "Chunk ID": at, "Chapter": "I", "Chunk": text}
        for number, book in enumerate(BOOKS)
        for at, text in enumerate(TEXTS[book])
    ]


def question_rows() -> list[dict[str, Any]]:
    return [
        {
            "Book Name": book,
            "Book ID": 0,
            "Chunk ID": at,
            "Question": asked,
            "Answer": "It.",
            "Chunk Must Contain": gold,
        }
        for book, at, asked, gold in QUESTIONS
    ]


def joined_rows() -> list[dict[str, Any]]:
    rows = []
    for row in chunk_rows():
        asked = [
            one
            for one in question_rows()
            if (one["Book Name"], one["Chunk ID"]) == (row["Book Name"], row["Chunk ID"])
        ]
        empty = {"Question": None, "Answer": None, "Chunk Must Contain": None}
        rows += [{**row, **{name: one[name] for name in empty}} for one in asked or [empty]]
    return rows


def lay_out(home: Path, layout: str) -> None:
    if layout == "two files":
        write(home / "GutenQA/resolve/main/gutenqa_chunks.parquet", chunk_rows())
        write(
            home / "GutenQA/resolve/main/questions.parquet", question_rows(), Question=pyarrow.large_string()
        )
    elif layout == "converted":
        converted = home / "GutenQA/resolve/refs/convert/parquet"
        write(converted / "gutenqa/gutenqa_chunks/0000.parquet", chunk_rows(), Chunk_ID=pyarrow.int32())
        write(converted / "questions/gutenqa_questions/0000.parquet", question_rows())
    else:
        write(home / "GutenQA/resolve/main/GutenQA.parquet", joined_rows())
    paragraphs = [
        {"Book Name": row["Book Name"], "Chunk ID": row["Chunk ID"], "Chunk": row["Chunk"]}
        for row in chunk_rows()
    ]
    write(home / "GutenQA_Paragraphs/resolve/main/GutenQA_paragraphs.parquet", paragraphs)


@pytest.mark.parametrize("layout", ["two files", "converted", "one file"])
def test_every_layout_gives_the_same_set_and_it_is_scored(
    layout: str, served: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, url = served
    lay_out(home, layout)
    data, out = tmp_path / "data", tmp_path / "out.json"
    command = ["--fetch", url, "--data", str(data), "--cache", str(tmp_path / "cache"), "--json", str(out)]
    assert main([*command, "--chunker", "paragraph", "--retriever", "bm25"]) == 0
    assert "fetched 2 books, 3 questions, 6 chunks, 6 paragraphs" in capsys.readouterr().err
    (row,) = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert (row["books"], row["n"], row["rule"], row["ceiling"]) == (sorted(BOOKS), 3, "substring", 1.0)
    lumber = data / "gutenqa" / FOLDER / "lumberchunker.jsonl"
    again = ["--data", str(data), "--cache", str(tmp_path / "cache"), "--chunks", str(lumber)]
    assert main([*again, "--retriever", "bm25", "--json", str(out)]) == 0
    (row,) = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert (row["chunker"], row["n"], row["chunks"]) == ("lumberchunker", 3, 6)


def test_what_was_fetched_stays_and_is_not_fetched_again(served: tuple[Path, str], tmp_path: Path) -> None:
    home, url = served
    lay_out(home, "two files")
    said: list[str] = []
    fetch(url, tmp_path / "gutenqa", said.append)
    before = sorted(tmp_path.glob("gutenqa/**/*"))
    fetch("http://127.0.0.1:9/nobody", tmp_path / "gutenqa", said.append)
    assert sorted(tmp_path.glob("gutenqa/**/*")) == before
    assert "is there: fetching nothing" in said[-1]
    assert [path.name for path in tmp_path.glob("gutenqa/*")] == [FOLDER]


def test_a_folder_with_the_same_files_will_do(tmp_path: Path) -> None:
    lay_out(tmp_path / "copies", "two files")
    fetch(str(tmp_path / "copies"), tmp_path / "gutenqa", lambda _: None)
    lines = (
        (tmp_path / "gutenqa" / FOLDER / BOOKS[1] / "questions.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert [json.loads(line)["Chunk Must Contain"] for line in lines] == ["“Who?” — he"]


def test_without_paragraphs_it_says_what_cannot_be_scored(served: tuple[Path, str], tmp_path: Path) -> None:
    home, url = served
    lay_out(home, "two files")
    (home / "GutenQA_Paragraphs/resolve/main/GutenQA_paragraphs.parquet").unlink()
    said: list[str] = []
    fetch(url, tmp_path / "gutenqa", said.append)
    assert "the place has no paragraphs: chunk files can be scored, our own chunkers cannot" in said


def test_without_a_network_the_remedy_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--fetch", "http://127.0.0.1:9", "--data", str(tmp_path), "--chunker", "recursive"]
    assert main(command) == 4
    last = capsys.readouterr().err.splitlines()[-1]
    assert "gutenqa_chunks.parquet cannot be fetched (" in last
    assert "pass --fetch DIR" in last
    assert [path.name for path in tmp_path.glob("gutenqa/*")] == []


def test_a_home_that_fails_is_no_empty_set(tmp_path: Path) -> None:
    class Failing(Silent):
        def do_GET(self) -> None:
            self.send_error(503)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.raises(NotFound, match="503"):
            fetch(f"http://127.0.0.1:{server.server_port}", tmp_path, lambda _: None)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_place_without_the_set_names_the_layouts(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"known layout \(GutenQA/resolve/main/questions.parquet with"):
        fetch(str(tmp_path), tmp_path / "gutenqa", lambda _: None)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda rows: [{k: v for k, v in row.items() if k != "Chunk"} for row in rows],
            "must have a column 'Chunk'",
        ),
        (
            lambda rows: [{**row, "Chunk ID": str(row["Chunk ID"])} for row in rows],
            "'Chunk ID' must be of type integer",
        ),
        (
            lambda rows: [{**row, "Chunk": at} for at, row in enumerate(rows)],
            "'Chunk' must be of type string",
        ),
        (lambda rows: [*rows, {**rows[0], "Chunk": None}], "row 7: 'Chunk' must have a value"),
        (
            lambda rows: [*rows, {**rows[0], "Chunk": "Other."}],
            "chunk 0 of Tides_-_A._Nobody must have one text",
        ),
    ],
)
def test_columns_types_and_values_are_checked(spoil: Any, message: str, tmp_path: Path) -> None:
    lay_out(tmp_path / "copies", "two files")
    write(tmp_path / "copies/GutenQA/resolve/main/gutenqa_chunks.parquet", spoil(chunk_rows()))
    with pytest.raises(DataError, match=message):
        fetch(str(tmp_path / "copies"), tmp_path / "gutenqa", lambda _: None)
    assert list((tmp_path / "gutenqa").iterdir()) == []


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path / "copies", "two files")
    (tmp_path / "copies/GutenQA/resolve/main/questions.parquet").write_bytes(b"<html>not found</html>")
    with pytest.raises(DataError, match=r"questions.parquet must be a Parquet file"):
        fetch(str(tmp_path / "copies"), tmp_path / "gutenqa", lambda _: None)


@pytest.mark.parametrize("name", ["..", "a/b", " . "])
def test_a_book_whose_name_would_leave_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    lay_out(tmp_path / "copies", "two files")
    rows = [{**row, "Book Name": name} for row in question_rows()]
    write(tmp_path / "copies/GutenQA/resolve/main/questions.parquet", rows)
    with pytest.raises(DataError, match="a book's name must do as a folder's"):
        fetch(str(tmp_path / "copies"), tmp_path / "gutenqa", lambda _: None)
