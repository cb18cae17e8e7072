"""The UIUC questions: pinned by counts and rows, and bad lines are named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from answering.question_class import CLASSES, coarse_of
from core.errors import DataError, NotFound
from eval.datasets.base import locate
from eval.datasets.sample import sample_directory
from eval.datasets.trec_qc import TREC_QC, LabelledQuestion, read_trec_qc


def test_trec_qc_train_is_5452_questions_of_50_classes(data_root: Path) -> None:
    questions = read_trec_qc(locate(TREC_QC, data_root).folder)
    assert len(questions) == 5452
    assert {question.label for question in questions} == set(CLASSES)
    assert Counter(coarse_of(question.label) for question in questions) == {
        "ENTY": 1250,
        "HUM": 1223,
        "DESC": 1162,
        "NUM": 896,
        "LOC": 835,
        "ABBR": 86,
    }
    assert [questions[at] for at in (0, 9)] == [
        LabelledQuestion("How did serfdom develop in and then leave Russia ?", "DESC:manner"),
        LabelledQuestion("Name the scar-faced bounty hunter of The Old West .", "HUM:ind"),
    ]
    assert questions[-1] == LabelledQuestion("What currency is used in Australia ?", "ENTY:currency")


def test_the_sample_is_latin_1() -> None:
    questions = read_trec_qc(sample_directory() / "trec_qc")
    assert len(questions) == 12
    assert questions[9] == LabelledQuestion(
        "What town has the oldest mill on the Rivière Noire ?", "LOC:city"
    )


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("HUM:ind", "a line must be a class, a space and a question, got 'HUM:ind'"),
        ("HUM:ind  ", "a line must be a class, a space and a question"),
        ("HUM:dog Who barked ?", "one of the 50 of the taxonomy, got 'HUM:dog'"),
        ("", "a line must be a class, a space and a question, got ''"),
    ],
)
def test_a_malformed_line_is_named_by_file_line_and_rule(tmp_path: Path, line: str, rule: str) -> None:
    (tmp_path / "train.txt").write_bytes(f"HUM:ind Who barked ?\n{line}\n".encode("latin-1"))
    with pytest.raises(DataError, match=f"train.txt, line 2: .*{rule}"):
        read_trec_qc(tmp_path)


def test_a_split_that_is_not_there_is_said_with_the_way_to_get_it() -> None:
    with pytest.raises(NotFound, match=r"no test.txt .*get the UIUC question classes from https"):
        read_trec_qc(sample_directory() / "trec_qc", "test")
