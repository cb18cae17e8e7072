"""The bundled story and its questions are what their README says."""

from __future__ import annotations

import json
from importlib.resources import files

import regex

SAMPLE = files("eval.sample")


def text() -> str:
    return SAMPLE.joinpath("the_tide_book.md").read_bytes().decode("utf-8")


def rows(name: str) -> list[dict[str, object]]:
    lines = SAMPLE.joinpath(name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_story_is_about_3000_words_in_chapters_and_scenes() -> None:
    story = text()
    assert 2_900 <= len(story.split()) <= 3_300
    assert "\r" not in story
    assert story.startswith("# The Tide Book\n")
    assert len(regex.findall(r"(?m)^## \S", story)) == 6
    assert story.count("\n* * *\n") >= 2


def test_every_answered_question_has_an_exact_and_unique_span() -> None:
    story = text()
    questions = rows("questions.jsonl")
    assert len(questions) == 20
    assert len({str(row["question"]) for row in questions}) == 20
    for row in questions:
        assert list(row) == ["question", "answer", "start", "end", "evidence"]
        assert story[int(str(row["start"])) : int(str(row["end"]))] == row["evidence"]
        assert story.count(str(row["evidence"])) == 1


def test_ten_questions_have_no_answer_in_the_story() -> None:
    unanswerable = rows("unanswerable.jsonl")
    assert len(unanswerable) == 10
    assert not {str(row["question"]) for row in unanswerable} & {
        str(row["question"]) for row in rows("questions.jsonl")
    }
