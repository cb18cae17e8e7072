"""A person's own text and questions: CSV and JSON lines, answers and spans, and what is wrong with a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import DataError, InvalidValue, NotFound, UnsupportedFormat
from core.values import Span
from eval.datasets.own import read_own_questions, read_own_text
from eval.datasets.sample import BOOK, Sample

TEXT = "Maren lit the lamp.\r\nThe lamp  burned until dawn.\r\n"
START = TEXT.index("until dawn")


def questions(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_csv_and_json_lines_say_the_same(tmp_path: Path) -> None:
    table = questions(
        tmp_path,
        "q.csv",
        "question,answer,start,end\n"
        f'Who lit it?,Maren,,\n"What, then?",,{START},{START + 10}\nWhat?,THE LAMP,,\n',
    )
    rows = [
        {"question": "Who lit it?", "answer": "Maren"},
        {"question": "What, then?", "answer": None, "start": START, "end": START + 10},
        {"question": "What?", "answer": "the\nlamp."},
    ]
    lines = questions(tmp_path, "q.jsonl", "\n".join(map(json.dumps, rows)))
    for path in (table, lines):
        found = read_own_questions(path, TEXT)
        assert [(question.id, question.text) for question in found] == [
            ("1", "Who lit it?"), ("2", "What, then?"), ("3", "What?"),
        ]  # fmt: skip
        assert [[gold.of(TEXT) for gold in question.golds] for question in found] == [
            ["Maren"], ["until dawn"], ["the lamp", "The lamp"],
        ]  # fmt: skip


def test_the_bundled_questions_are_in_this_form() -> None:
    story, asked = Sample().files(BOOK)
    text = read_own_text(story)
    found = read_own_questions(asked, text)
    assert [question.golds for question in found] == [(query.span,) for query in Sample().queries(BOOK)]


def test_a_text_is_read_as_it_is_ingested(tmp_path: Path) -> None:
    assert read_own_text(questions(tmp_path, "t.txt", "\ufeff" + TEXT)) == TEXT
    with pytest.raises(NotFound, match="--text must name a file that can be read"):
        read_own_text(tmp_path / "nowhere.txt")
    with pytest.raises(UnsupportedFormat):
        read_own_text(questions(tmp_path, "t.pdf", "%PDF-1.7"))


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ({"question": " ", "answer": "Maren"}, "a question must not be blank"),
        ({"question": "Who?"}, "must have an answer, or start and end"),
        (
            {"question": "Who?", "answer": "Joss"},
            "an answer must stand in the text word for word, got 'Joss'",
        ),
        ({"question": "Who?", "start": 3}, "start and end must be whole numbers, got 3 and None"),
        ({"question": "Who?", "start": 5, "end": 5}, "0 <= start < end <= 51, got [5, 5)"),
        ({"question": "Who?", "start": 5, "end": 52}, "0 <= start < end <= 51, got [5, 52)"),
        ({"question": "Who?", "start": 0, "end": 5, "evidence": "maren"}, "evidence must be the text [0, 5)"),
        ({"answer": "Maren"}, "'question' must be str"),
    ],
)
def test_a_malformed_line_is_named_by_file_line_and_rule(
    tmp_path: Path, row: dict[str, object], rule: str
) -> None:
    good = json.dumps({"question": "Who?", "answer": "Maren"})
    path = questions(tmp_path, "q.jsonl", f"{good}\n\n{json.dumps(row)}\n")
    with pytest.raises(DataError) as caught:
        read_own_questions(path, TEXT)
    assert "q.jsonl, line 3: " in str(caught.value)
    assert rule in str(caught.value)


def test_a_csv_line_is_named_too_and_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"q\.csv, line 3: .*word for word"):
        read_own_questions(questions(tmp_path, "q.csv", "question,answer\nWho?,Maren\nWho?,Joss\n"), TEXT)
    with pytest.raises(DataError, match="at least one question"):
        read_own_questions(questions(tmp_path, "q.csv", "question,answer\n"), TEXT)
    with pytest.raises(DataError, match="line 1: a header must name question"):
        read_own_questions(questions(tmp_path, "q.csv", "q,answer\nWho?,Maren\n"), TEXT)
    with pytest.raises(InvalidValue, match=r"ends in \.csv or \.jsonl, got q\.txt"):
        read_own_questions(questions(tmp_path, "q.txt", ""), TEXT)


def test_a_span_is_in_code_points_of_the_file_as_it_stands(tmp_path: Path) -> None:
    text = "\U0001f56f \r\nlamp"
    path = questions(tmp_path, "q.jsonl", '{"question": "What?", "start": 4, "end": 8, "evidence": "lamp"}')
    assert read_own_questions(path, text)[0].golds == (Span(4, 8),)
