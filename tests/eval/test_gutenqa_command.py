"""``python -m eval.gutenqa`` from the command line: sample, data folder, chunk files, JSON and errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eval.datasets.sample import sample_directory
from eval.gutenqa import main

ROOT = Path(__file__).resolve().parents[2]
TIDES = "Tides_-_A._Nobody"


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    # A cache of its own for every test: none may see what another has kept.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A data root: the sample as a book with spans, and two published questions on another."""
    (tmp_path / "gutenqa/dev").mkdir(parents=True)
    (tmp_path / "gutenqa/emma").mkdir()
    (tmp_path / "books").mkdir()
    shutil.copy(sample_directory() / "questions.jsonl", tmp_path / f"gutenqa/dev/{TIDES}.jsonl")
    shutil.copy(sample_directory() / "the_tide_book.md", tmp_path / f"books/{TIDES}.md")
    questions = [
        {"Book Name": "Emma_-_Jane_Austen", "Question": f"Who {n}?", "Answer": "", "Chunk Must Contain": gold}
        for n, gold in enumerate(["her sister’s marriage", "not in the text"])
    ]
    lines(tmp_path / "gutenqa/emma/questions.jsonl", questions)
    chunks = ["Emma Woodhouse, handsome.", "In consequence of Her Sister’s marriage.", "Sixteen years."]
    lines(tmp_path / "gutenqa/emma/paragraph.jsonl", chunk_rows("Emma_-_Jane_Austen", chunks))
    return tmp_path


def lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")


def chunk_rows(book: str, chunks: list[str]) -> list[dict[str, object]]:
    return [{"Book Name": book, "Chunk ID": at, "Chunk": text} for at, text in enumerate(chunks)]


def report(path: Path) -> dict[str, list[dict[str, object]]]:
    loaded: dict[str, list[dict[str, object]]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_without_a_data_folder_the_sample_is_scored_and_one_line_says_how_to_get_the_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--chunker", "recursive", "--retriever", "bm25"]) == 0
    printed = capsys.readouterr()
    table = printed.out.partition("\n\n")[0].splitlines()
    assert len(table) == 3
    assert table[2].startswith("| recursive | bm25 | span | 1 | 20 | ")
    said = [line for line in printed.err.splitlines() if "get GutenQA from https://" in line]
    assert len(said) == 1
    assert "bundled sample" in said[0]


def test_the_json_holds_rows_published_and_provenance(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    command = ["--chunker", "recursive", "fixed", "--retriever", "bm25", "lexical", "--json", str(path)]
    assert main(command) == 0
    found = report(path)
    assert [(row["chunker"], row["retriever"]) for row in found["rows"]] == [
        ("recursive", "bm25"), ("recursive", "lexical"), ("fixed", "bm25"), ("fixed", "lexical"),
    ]  # fmt: skip
    assert list(found["rows"][0]) == [
        "chunker", "picker", "strategy", "retriever", "rule", "books", "n",
        "dcg@1", "dcg@2", "dcg@5", "dcg@10", "dcg@20", "recall@20", "er@500", "er@1000", "er@2000", "er@4000",
        "tokens_per_chunk", "ceiling", "ci", "tokens_per_chunk_p5", "tokens_per_chunk_p95",
        "tokens_per_chunk_max", "chunks",
    ]  # fmt: skip
    for row in found["rows"]:
        assert row["picker"] is None
        assert row["books"] == ["The_Tide_Book"]
        assert all(0 <= float(str(row[name])) <= 1 for name in row if "@" in name)
    assert len(found["published"]) == 6
    provenance = dict(found["provenance"])
    assert provenance["command"] == f"python -m eval.gutenqa {' '.join(command)}"
    assert provenance["embedder"] is None
    assert provenance["rule"] == ["span"]
    assert provenance["set"] == "bundled sample"


def test_the_same_command_gives_the_same_rows(tmp_path: Path) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    for path in (first, second):
        assert main(["--chunker", "paragraph", "--retriever", "bm25", "lexical", "--json", str(path)]) == 0
    assert report(first)["rows"] == report(second)["rows"]


@pytest.mark.parametrize("inside", ["", "gutenqa"])
def test_data_may_be_the_root_or_the_sets_own_folder_and_the_choice_is_printed(
    small: Path, inside: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--chunker", "paragraph", "--retriever", "bm25", "--data", str(small / inside)]) == 0
    printed = capsys.readouterr()
    kind = "folder of the set" if inside else "data root"
    assert f"data: {small / 'gutenqa'} ({kind} given)" in printed.err
    table = printed.out.splitlines()
    # Each rule in a row of its own, then the six published rows.
    assert [line.split(" | ")[:5] for line in table[2:4]] == [
        ["| paragraph", "bm25", "span", "1", "20"],
        ["| paragraph", "bm25", "substring", "1", "2"],
    ]
    assert sum(line.startswith("| published: ") for line in table) == 6


def test_the_environment_names_the_data_folder(
    small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SAWYER_DATA", str(small))
    path = tmp_path / "out.json"
    assert (
        main(["--chunker", "paragraph", "--retriever", "bm25", "--books", "Tides", "--json", str(path)]) == 0
    )
    assert [row["books"] for row in report(path)["rows"]] == [[TIDES]]


def test_published_questions_are_scored_on_the_authors_paragraphs(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    command = ["--chunker", "paragraph", "--retriever", "bm25", "--books", "Emma", "--data", str(small)]
    assert main([*command, "--json", str(path)]) == 0
    (row,) = report(path)["rows"]
    assert (row["rule"], row["n"], row["ceiling"]) == ("substring", 2, 0.5)


def test_chunk_files_are_scored_by_their_book_name_under_substring(small: Path, tmp_path: Path) -> None:
    mine, path = tmp_path / "mine.jsonl", tmp_path / "out.json"
    story = (small / f"books/{TIDES}.md").read_text(encoding="utf-8")
    lines(mine, chunk_rows(TIDES, story.split("\n\n")))
    command = ["--chunks", str(mine), "--retriever", "bm25", "dense", "--data", str(small)]
    assert main([*command, "--embedder", "minilm", "--json", str(path)]) == 0
    rows = report(path)["rows"]
    assert [(row["chunker"], row["books"], row["rule"], row["n"]) for row in rows] == [
        ("mine", [TIDES], "substring", 20)
    ] * 2
    assert dict(report(path)["provenance"])["embedder"] is not None


def test_the_sample_is_scored_with_the_default_retriever_and_embedder(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--chunker", "recursive"]) == 0
    cells = capsys.readouterr().out.splitlines()[2].split(" | ")
    assert cells[:3] == ["| recursive", "hybrid", "span"]
    assert float(cells[9]) > 0.7  # dcg@20


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--chunker"],
        ["--chunker", "recursive", "--chunks", "mine.jsonl"],
        ["--chunker", "recursive", "--retriever", "bm42"],
        ["--chunker", "recursive", "--rule", "overlap"],
    ],
)
def test_a_wrong_command_line_exits_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(wrong)
    assert caught.value.code == 2
    assert "usage: python -m eval.gutenqa" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (["--chunker", "recursiv"], 2, "chunker must be one of"),
        (["--chunker", "recursive", "--books", "Emmaa"], 2, "--books must name books with questions"),
        (["--chunker", "recursive", "--data", "/nowhere"], 4, "the data folder must be a data root"),
        (["--chunks", "/nowhere/mine.jsonl"], 4, "mine.jsonl cannot be read"),
    ],
)
def test_an_error_is_said_on_stderr_with_the_exit_code_of_its_kind(
    wrong: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*wrong, "--retriever", "bm25"]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err.splitlines()[-1]
    assert printed.err.splitlines()[-1].startswith("python -m eval.gutenqa: error: ")


def test_a_set_without_a_question_is_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gutenqa/dev").mkdir(parents=True)
    assert main(["--chunker", "recursive", "--retriever", "bm25", "--data", str(tmp_path)]) == 4
    assert "GutenQA must hold questions on a book, got none" in capsys.readouterr().err


def test_span_on_chunk_files_is_refused_since_they_have_no_spans(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = small / "mine.jsonl"
    lines(mine, chunk_rows(TIDES, ["The sea breathes."]))
    command = ["--chunks", str(mine), "--rule", "span", "--retriever", "bm25", "--data", str(small)]
    assert main(command) == 2
    assert "rule span needs chunks cut from the book" in capsys.readouterr().err


def test_it_runs_as_a_module_in_a_folder_of_no_meaning(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "SAWYER_DATA"}
    done = subprocess.run(
        [sys.executable, "-m", "eval.gutenqa", "--chunker", "recursive", "--retriever", "bm25"],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("| chunker | retriever | rule |")
