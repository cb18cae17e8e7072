"""Chroma's corpora and Choi's documents: pinned by counts and rows, and bad lines are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import DataError, NotFound
from core.values import Span
from eval.datasets.base import locate
from eval.datasets.choi import CHOI, read_choi, read_segments
from eval.datasets.chunking_evaluation import CHUNKING_EVALUATION, published_chunking, read_corpora
from eval.datasets.sample import sample_directory

HEADER = "question,references,corpus_id"
TEXT = "The kettle holds 1.7 litres. It hums."
GOOD = '"[{""content"": ""It hums."", ""start_index"": 29, ""end_index"": 37}]"'


def corpora(folder: Path, *rows: str) -> Path:
    (folder / "corpora").mkdir()
    (folder / "corpora" / "kettle.md").write_text(TEXT, encoding="utf-8")
    (folder / "questions_df.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return folder


def test_chunking_evaluation_is_276_questions_with_452_exact_references(data_root: Path) -> None:
    found = read_corpora(locate(CHUNKING_EVALUATION, data_root).folder)
    assert {name: len(text) for name, text in found.texts.items()} == {
        "state_of_the_union": 48_051, "wikitexts": 118_372, "chatlogs": 40_000,
    }  # fmt: skip
    assert len(found.questions) == 276
    assert sum(len(question.references) for question in found.questions) == 452
    assert [
        (question.text[:60], question.corpus, question.references[0])
        for question in (found.questions[at] for at in (0, 9, -1))
    ] == [
        (
            "What significant regulatory changes and proposals has Presid",
            "state_of_the_union",
            Span(27_346, 27_425),
        ),
        (
            "What does President Biden refuse to do regarding the events ",
            "state_of_the_union",
            Span(3_786, 3_883),
        ),
        ("What is the composition of the mermaid exhibit at the Viktor", "chatlogs", Span(9_951, 10_217)),
    ]


def test_choi_is_920_documents(data_root: Path) -> None:
    found = read_choi(locate(CHOI, data_root).folder)
    assert len(found) == 920
    assert sum(len(document.segments) for document in found) == 9_186
    assert [
        (document.name, document.group, len(document.segments), document.segments[0][0][:32])
        for document in (found[at] for at in (0, 9, -1))
    ] == [
        ("choi/1/3-5/0", "3-5", 10, "Some of the features of the top "),
        ("choi/1/3-5/9", "3-5", 10, "6.4 ."),
        ("choi/4/12-15/29", "12-15", 10, "The most beautiful bed of pansie"),
    ]


def test_the_bundled_samples_are_in_these_forms() -> None:
    chunked = read_corpora(sample_directory() / "chunking_evaluation")
    assert (len(chunked.texts), len(chunked.questions)) == (2, 8)
    documents = read_choi(sample_directory() / "choi")
    assert [len(document.segments) for document in documents] == [4, 3]
    assert documents[0].segments[0][0] == "The bread must rest for an hour before it is shaped ."


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (f"What hums?,{GOOD},lamp", "corpus_id must name a file of corpora/, got 'lamp'"),
        ("What hums?,[],kettle", "a question must have at least one reference"),
        ("What hums?,none,kettle", "references must be a JSON list of content, start_index and end_index"),
        ('What hums?,"[{""content"": ""x""}]",kettle', "references must be a JSON list"),
        (f"What hums?,{GOOD.replace('29', '37')},kettle", "0 <= start < end"),
        (f"What hums?,{GOOD.replace('29', '28')},kettle", "must be its corpus's text"),
        ("What hums?", "a row must have 3 fields"),
    ],
)
def test_a_malformed_question_is_named_by_file_line_and_rule(tmp_path: Path, row: str, rule: str) -> None:
    folder = corpora(tmp_path, f"What holds?,{GOOD},kettle", row)
    with pytest.raises(DataError) as caught:
        read_corpora(folder)
    assert "questions_df.csv, line 3: " in str(caught.value)
    assert rule in str(caught.value)


def test_a_file_without_questions_or_columns_is_refused(tmp_path: Path) -> None:
    folder = corpora(tmp_path)
    with pytest.raises(DataError, match="line 2: there must be at least one question"):
        read_corpora(folder)
    (folder / "questions_df.csv").write_text("question,corpus_id\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1: a header must name question, references, corpus_id"):
        read_corpora(folder)


def test_segments_stand_between_borders_and_neither_blank_lines_nor_empty_segments_count(
    tmp_path: Path,
) -> None:
    path = tmp_path / "0.ref"
    path.write_text("==========\nA b . \n\nC .\n==========\n==========\nD .\n==========\n", encoding="utf-8")
    assert read_segments(path) == (("A b .", "C ."), ("D .",))


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("A .\n==========\n", 1, "must start with a line of =, got 'A .'"),
        ("==========\nA .\nB .\n", 3, "must end with a line of =, got 'B .'"),
        ("==========\n==========\n", 1, "must hold at least one sentence"),
        ("", 1, "must hold at least one sentence"),
    ],
)
def test_a_malformed_document_is_named_by_file_line_and_rule(
    tmp_path: Path, text: str, line: int, rule: str
) -> None:
    path = tmp_path / "0.ref"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_segments(path)
    assert f"0.ref, line {line}: " in str(caught.value)
    assert rule in str(caught.value)


def test_documents_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("10/0", "2/10", "2/9"):
        path = tmp_path / f"{name}.ref"
        path.parent.mkdir(exist_ok=True)
        path.write_text("==========\nA .\n==========\n", encoding="utf-8")
    assert [document.name for document in read_choi(tmp_path)] == ["2/9", "2/10", "10/0"]
    with pytest.raises(NotFound, match="get Choi's segmentation documents from https://"):
        read_choi(tmp_path / "2" / "nowhere")


def test_the_published_tables_are_chromas_21_rows() -> None:
    rows, source = published_chunking()
    assert len(rows) == 21
    assert source.endswith("https://research.trychroma.com/evaluating-chunking")
    best = max((row for row in rows if row.embedder == "all-MiniLM-L6-v2"), key=lambda row: row.means["iou"])
    assert (best.chunker, best.size, best.overlap) == ("Cluster", "200 (~102)", 0)
    assert best.means == {"recall": 0.752, "precision": 0.072, "precision_omega": 0.336, "iou": 0.072}
    assert best.deviations == {"recall": 0.399, "precision": 0.061, "precision_omega": 0.2, "iou": 0.06}
