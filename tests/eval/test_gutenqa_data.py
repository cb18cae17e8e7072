"""GutenQA and the sample: pinned by counts and rows, and bad lines are named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import DataError
from eval.datasets.base import locate
from eval.datasets.gutenqa import GUTENQA, GutenQA, read_chunks
from eval.datasets.published import gutenqa_rows
from eval.datasets.sample import BOOK, Sample
from eval.values import Query

EMMA = "Emma_-_Jane_Austen"
EMMA_STARTS = [
    "Why does Mr. Woodhouse feel fort",
    "Who joined Mrs. Weston and Emma ",
    "How does Miss Fairfax feel about",
]
EMMA_HYDE_STARTS = [
    "Mr. Woodhouse feels fortunat",
    "As the drawing-room party ca",
    "Miss Fairfax feels conflicte",
]
DEV_STARTS = {
    "Persuasion_-_Jane_Austen": [
        "Where, by his own account, had S",
        "What did Louisa declare about sh",
        "How did Captain Wentworth explai",
    ],
    "The_Call_of_the_Wild_-_Jack_London": [
        "When did the gold discovery that",
        "Why could Perrault carry so litt",
        "Where did Buck make his stand so",
    ],
    "The_Time_Machine_-_H._G._Wells": [
        "Who among the Time Traveller's g",
        "Which nuisances did the Time Tra",
        "What damage to the laboratory di",
    ],
    "Treasure_Island_-_Robert_Louis_Stevenson": [
        "How did the old captain behave w",
        "Which words of Israel Hands, cau",
        "Where did Jim spend the day whil",
    ],
}
GOOD = '{"question": "Q?", "answer": "A", "start": 0, "end": 3, "evidence": "The"}'


def starts(queries: Sequence[Query]) -> list[str]:
    return [queries[at].text[:32] for at in (0, 9, -1)]


@pytest.fixture
def gutenqa(data_root: Path) -> GutenQA:
    return GutenQA(locate(GUTENQA, data_root))


def test_sample_questions_are_20_with_spans_and_10_without_an_answer() -> None:
    queries = Sample().queries(BOOK)
    assert len(queries) == 20
    assert starts(queries) == [
        "Who made the very first entry in",
        "What was the shingle bank at the",
        "For how long had the professor i",
    ]
    text = Sample().text(BOOK)
    assert all(query.span is not None and query.span.of(text) == query.gold for query in queries)
    assert len(Sample().unanswerable()) == 10


def test_emma_is_30_published_questions_without_spans(gutenqa: GutenQA) -> None:
    queries = gutenqa.queries(EMMA)
    assert len(queries) == 30
    assert starts(queries) == EMMA_STARTS
    assert all(query.span is None for query in queries)
    assert [(query.hyde or "")[:28] for query in (queries[0], queries[9], queries[-1])] == EMMA_HYDE_STARTS
    assert all(query.hyde for query in queries)
    text = gutenqa.text(EMMA).lower()
    assert sum(query.gold.lower() in text for query in queries) == 26


def test_every_dev_span_is_its_evidence(gutenqa: GutenQA) -> None:
    found = {book: gutenqa.queries(book) for book in gutenqa.books() if book != EMMA}
    assert {book: len(queries) for book, queries in found.items()} == dict.fromkeys(DEV_STARTS, 30)
    assert {book: starts(queries) for book, queries in found.items()} == DEV_STARTS
    for book, queries in found.items():
        text = gutenqa.text(book)
        assert "\r\n" in text
        assert all(query.span is not None and query.span.of(text) == query.gold for query in queries)


@pytest.mark.parametrize(
    ("name", "count", "starting"),
    [
        (
            "lumberchunker_gemini",
            476,
            ["Emma Woodhouse, hand", "“A straightforward, ", "The event, however, "],
        ),
        (
            "recursive_langchain",
            413,
            ["Emma Woodhouse, hand", "Miss Churchill, howe", "The wedding was very"],
        ),
        ("fixed_length_450", 350, ["Emma Woodhouse, hand", "than to be chosen, t", "Mr. Woodhouse’s mind"]),
        ("semantic", 1584, ["Emma Woodhouse, hand", "“My dear, how am I t", "When first sounded o"]),
        ("paragraph", 2287, ["Emma Woodhouse, hand", "Highbury, the large ", "The wedding was very"]),
        ("propositions", 11834, ["Emma Woodhouse was h", "Emma Woodhouse had b", "In spite of these de"]),
    ],
)
def test_the_authors_chunk_files_are_read_whole_and_in_order(
    gutenqa: GutenQA, name: str, count: int, starting: list[str]
) -> None:
    source, books = read_chunks(gutenqa.place.folder / "emma" / f"{name}.jsonl")
    assert list(books) == [EMMA]
    assert [books[EMMA][at][:20] for at in (0, 9, -1)] == starting
    assert len(books[EMMA]) == count
    assert repr(source).startswith(f"ChunkFile(name='{name}.jsonl', sha256='")


def test_published_figures_are_those_of_the_data_set(data_root: Path) -> None:
    theirs = json.loads((data_root / "gutenqa" / "published_dcg.json").read_text(encoding="utf-8"))
    ours = {row.method: [row.values[f"dcg@{k}"] for k in theirs["k"]] for row in gutenqa_rows()}
    assert len(ours) == 6
    assert ours == {method: theirs[method] for method in ours}
    assert gutenqa_rows()[0].method == "LumberChunker"


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        ("{", "one JSON object"),
        ("[" * 100_000, "one JSON object"),
        ("[1]", "one JSON object"),
        ('{"question": "Q?"}', "'answer' must be str, got nothing"),
        (GOOD.replace('"start": 0', '"start": "0"'), "'start' must be int, got '0'"),
        (GOOD.replace('"start": 0', '"start": false'), "'start' must be int, got False"),
        (GOOD.replace('"start": 0', '"start": 3'), "0 <= start < end"),
        (GOOD.replace('"start": 0', '"start": -1'), "0 <= start < end"),
        (GOOD.replace('"start": 0', '"start": 1'), "evidence must be the book's text"),
        (GOOD.replace('"end": 3', '"end": 99'), "evidence must be the book's text"),
    ],
)
def test_a_malformed_span_question_is_named_by_file_line_and_rule(
    tmp_path: Path, bad: str, rule: str
) -> None:
    (tmp_path / "gutenqa/dev").mkdir(parents=True)
    (tmp_path / "books").mkdir()
    (tmp_path / "books/B_-_A.md").write_text("The end", encoding="utf-8")
    (tmp_path / "gutenqa/dev/B_-_A.jsonl").write_text(f"{GOOD}\n\n{bad}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        GutenQA(locate(GUTENQA, tmp_path)).queries("B_-_A")
    assert "B_-_A.jsonl, line 3: " in str(caught.value)
    assert rule in str(caught.value)


def test_a_file_without_a_question_is_no_book_that_scores_zero(tmp_path: Path) -> None:
    for place in ("dev/B_-_A.jsonl", "emma/questions.jsonl"):
        root = tmp_path / place.replace("/", "-")
        (root / "gutenqa" / place).parent.mkdir(parents=True)
        (root / "gutenqa" / place).write_text("\n", encoding="utf-8")
        questions = GutenQA(locate(GUTENQA, root))
        with pytest.raises(DataError, match=f"{place}, line 1: a question file must hold at least one"):
            [questions.queries(book) for book in questions.books()]


def test_a_blank_gold_is_refused_since_every_chunk_contains_it(tmp_path: Path) -> None:
    (tmp_path / "gutenqa/emma").mkdir(parents=True)
    row = '{"Book Name": "B", "Question": "Q?", "Answer": "A", "Chunk Must Contain": " "}'
    (tmp_path / "gutenqa/emma/questions.jsonl").write_text(row, encoding="utf-8")
    with pytest.raises(DataError, match="line 1: 'Chunk Must Contain' must hold text"):
        GutenQA(locate(GUTENQA, tmp_path)).books()


@pytest.mark.parametrize(
    ("lines", "line", "rule"),
    [
        (['{"Book Name": "B", "Chunk ID": 1, "Chunk": "x"}'] * 2, 2, "'Chunk ID' must be unique in its book"),
        (['{"Book Name": "B", "Chunk ID": "1", "Chunk": "x"}'], 1, "'Chunk ID' must be int"),
        ([""], 1, "at least one chunk"),
    ],
)
def test_a_malformed_chunk_file_is_named_by_file_line_and_rule(
    tmp_path: Path, lines: list[str], line: int, rule: str
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match=f"mine.jsonl, line {line}: .*{rule}"):
        read_chunks(path)


def test_chunks_are_ordered_by_their_number_and_kept_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [("B", 10, "ten"), ("A", 0, " a\u2028b "), ("B", 9, "nine")]
    lines = [
        json.dumps({"Book Name": book, "Chunk ID": id_, "Chunk": text}, ensure_ascii=False)
        for book, id_, text in rows
    ]
    path.write_text("\r\n".join(lines), encoding="utf-8")
    assert read_chunks(path)[1] == {"B": ("nine", "ten"), "A": (" a\u2028b ",)}


def test_published_books_lie_in_folders_of_their_own_and_emma_comes_first(tmp_path: Path) -> None:
    def lay(folder: Path, book: str, question: str, **more: object) -> None:
        folder.mkdir(parents=True)
        row = {"Book Name": book, "Question": question, "Answer": "", "Chunk Must Contain": "The", **more}
        (folder / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")
        chunk = {"Book Name": book, "Chunk ID": 0, "Chunk": f"The {question}"}
        (folder / "paragraph.jsonl").write_text(json.dumps(chunk), encoding="utf-8")

    lay(tmp_path / "gutenqa/emma", EMMA, "first", Question_Hyde=None)
    lay(tmp_path / "gutenqa/published" / EMMA, EMMA, "second")
    lay(tmp_path / "gutenqa/published/Another", "Another", "third", Question_Hyde="It was the third.")
    questions = GutenQA(locate(GUTENQA, tmp_path))
    assert questions.books() == (EMMA, "Another")
    assert [questions.text(book) for book in questions.books()] == ["The first", "The third"]
    assert [questions.queries(book)[0].hyde for book in questions.books()] == [None, "It was the third."]
    assert {path.parent.name for path in questions.files("Another")} == {"Another"}


def test_a_stored_text_that_is_no_text_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "gutenqa/emma"
    folder.mkdir(parents=True)
    row = {"Book Name": EMMA, "Question": "Q", "Answer": "", "Chunk Must Contain": "The", "Question_Hyde": 3}
    (folder / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(
        DataError, match=r"questions.jsonl, line 1: 'Question_Hyde' must be str or absent, got 3"
    ):
        GutenQA(locate(GUTENQA, tmp_path)).books()
