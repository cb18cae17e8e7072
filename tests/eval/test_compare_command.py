"""``python -m eval.compare`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.compare import main

# Forty short paragraphs, each with a fact of its own; what answers stands at the end of a long sentence.
FACTS = [
    f"The lamp of number {n} was lit by keeper K{n:02d}x, who came from the isle of Oe{n:02d}."
    for n in range(40)
]


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    text, questions = tmp_path / "lamps.txt", tmp_path / "questions.csv"
    text.write_text("\n\n".join(FACTS), encoding="utf-8")
    rows = [f"Who lit the lamp of number {n}?,keeper K{n:02d}x" for n in range(40)]
    questions.write_text("\n".join(["question,answer", *rows]), encoding="utf-8")
    return ["--text", str(text), "--questions", str(questions)]


def test_a_users_text_and_questions_give_a_table_and_a_recommendation(
    own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, rows, plot = tmp_path / "out.json", tmp_path / "out.csv", tmp_path / "out.svg"
    command = [*own, "--chunker", "paragraph", "fixed", "--retriever", "bm25", "--by", "dcg@1"]
    assert main([*command, "--json", str(out), "--csv", str(rows), "--plot", str(plot)]) == 0
    table, below, said = capsys.readouterr().out.split("\n\n")
    assert below.splitlines()[0].startswith("- paragraph: `Structural(")
    assert [line.split(" | ")[:3] for line in table.splitlines()[2:]] == [
        ["| paragraph", "bm25", "40"], ["| fixed", "bm25", "40"],
    ]  # fmt: skip
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["recommendation"]["text"] == said.strip()
    assert found["recommendation"]["metric"] == "dcg@1"
    assert found["rows"][0]["dcg@1"] == 1.0
    assert found["rows"][0]["ceiling"] == 1.0
    assert found["rows"][0]["ci"]["dcg@1"] == [1.0, 1.0]
    assert rows.read_text(encoding="utf-8").count("\n") == 3
    assert "paragraph + bm25" in plot.read_text(encoding="utf-8")
    strips = (tmp_path / "out-strips.svg").read_text(encoding="utf-8")
    assert all(f">{word}<" in strips for word in ("paragraph", "fixed", "evidence"))


def test_a_named_row_is_what_the_others_are_compared_with(own: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [*own, "--chunker", "paragraph", "fixed", "--retriever", "bm25", "--baseline", "paragraph"]
    assert main([*command, "--json", str(out)]) == 0
    first, second = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert "difference" not in first
    assert second["difference"]["er@1000"]["mean"] == pytest.approx(second["er@1000"] - first["er@1000"])


def test_windows_that_were_embedded_before_are_read_from_the_cache(own: list[str], tmp_path: Path) -> None:
    command = [*own, "--chunker", "paragraph", "--retriever", "dense", "--limit", "2"]
    for _ in range(2):
        assert main([*command, "--cache", str(tmp_path / "kept")]) == 0
    assert len(list((tmp_path / "kept/vectors").rglob("*.npy"))) == 1


def test_without_a_text_the_bundled_story_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--retriever", "bm25", "--chunker", "recursive", "--limit", "5"]) == 0
    printed = capsys.readouterr()
    assert "comparing on the bundled story" in printed.err
    assert "| recursive | bm25 | 5 |" in printed.out
    assert printed.out.splitlines()[-1].startswith("Nothing to choose between: recursive + bm25, er@1000 ")


def test_an_answer_that_stands_everywhere_is_remarked_on(
    own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "questions.csv").write_text("question,answer\nWhat was lit?,lamp\n", encoding="utf-8")
    assert main([*own, "--retriever", "bm25", "--chunker", "paragraph"]) == 0
    assert "question 1: its answer stands in 40 places" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (["--text", "t.txt"], 2, "--text and --questions must be given together"),
        (["--chunker", "recursiv"], 2, "chunker must be one of"),
        (["--text", "/nowhere.txt", "--questions", "q.csv"], 4, "--text must name a file that can be read"),
        (["--chunker", "fixed", "--plot", "out.gif"], 2, "a plot's file must end in .png or .svg"),
    ],
)
def test_an_error_is_one_line_with_the_exit_code_of_its_kind(
    wrong: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*wrong, "--retriever", "bm25"]) == code
    assert message in capsys.readouterr().err.splitlines()[-1]
