"""WikiQA, QASent and SelQA: pinned by counts and rows, and bad lines are named."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import DataError, NotFound
from core.identity import content_digest
from eval.datasets.base import locate
from eval.datasets.qasent import QASENT, read_qasent
from eval.datasets.sample import sample_directory
from eval.datasets.selection import JudgedSentence, SelectionQuery, grouped_by_sentences
from eval.datasets.selqa import SELQA, read_selqa
from eval.datasets.wikiqa import WIKIQA, Form, Split, present_splits, read_splits, read_wikiqa

# Query, its question, how many sentences, and the start of the digest of their texts, which are not ours.
Row = tuple[str, str, int, str]

WIKIQA_PINS: list[tuple[Split, Form, tuple[int, ...], list[Row]]] = [
    (
        "dev",
        "tokenised",
        (296, 2733, 140, 126, 122),
        [
            ("1", "How are epithelial tissues joined together ?", 9, "b434efc5b6a1"),
            ("10", "what do you want from me quotes", 10, "547feeda7c95"),
            ("296", "What is St. Lucia Known for ?", 17, "a92cd128ffcd"),
        ],
    ),
    (
        "dev",
        "raw",
        (296, 2733, 140, 126, 122),
        [
            ("1", "How are epithelial tissues joined together?", 9, "178e01c24bf9"),
            ("10", "what do you want from me quotes", 10, "77c4b04f8661"),
            ("296", "What is St. Lucia Known for?", 17, "32c7171d7d92"),
        ],
    ),
    (
        "train",
        "tokenised",
        (2118, 20360, 1040, 873, 857),
        [
            ("1", "how are glacier caves formed ?", 5, "afe5e5706506"),
            ("10", "how big do sebaceous cysts get", 6, "afa2993dd735"),
            ("2118", "what is us dollar worth based on", 2, "927ee063751a"),
        ],
    ),
]


def counts(queries: Sequence[SelectionQuery]) -> tuple[int, ...]:
    """Queries, sentences, right ones, queries with an answer, queries with both kinds of sentence."""
    sentences = [sentence for query in queries for sentence in query.sentences]
    return (
        len(queries),
        len(sentences),
        sum(sentence.right for sentence in sentences),
        sum(query.answerable for query in queries),
        sum(query.mixed for query in queries),
    )


def rows(queries: Sequence[SelectionQuery]) -> list[Row]:
    found = [queries[at] for at in (0, 9, -1)]
    return [
        (one.id, one.text, len(one.sentences), content_digest("\n".join(one.texts).encode())[:12])
        for one in found
    ]


def query(id_: str, *texts: str, right: int = 0) -> SelectionQuery:
    sentences = [JudgedSentence(str(at), text, at == right) for at, text in enumerate(texts)]
    return SelectionQuery(id_, f"question {id_}", tuple(sentences), group=id_)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The sample's sets, to be damaged."""
    for name in ("wikiqa", "qasent", "selqa"):
        shutil.copytree(sample_directory() / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(("split", "form", "counted", "pinned"), WIKIQA_PINS)
def test_wikiqa_is_what_the_paper_counted(
    data_root: Path, split: Split, form: Form, counted: tuple[int, ...], pinned: list[Row]
) -> None:
    queries = read_wikiqa(locate(WIKIQA, data_root).folder, split, form)
    assert counts(queries) == counted
    assert rows(queries) == pinned


def test_raw_and_tokenised_wikiqa_are_the_same_pairs(data_root: Path) -> None:
    folder = locate(WIKIQA, data_root).folder
    forms = [read_wikiqa(folder, "dev", form) for form in ("tokenised", "raw")]
    plain = [
        [
            (one.id, sentence.id, sentence.right, "".join(filter(str.isalnum, sentence.text)))
            for one in queries
            for sentence in one.sentences
        ]
        for queries in forms
    ]
    assert plain[0] == plain[1]


def test_queries_of_one_wikipedia_summary_are_in_one_group(data_root: Path) -> None:
    folder = locate(WIKIQA, data_root).folder
    queries = read_splits(folder, "train", "dev")
    assert len(queries) == 2414
    documents: dict[str, str] = {}
    for split, name in (("train", "WikiQA-train.rebuilt.tsv"), ("dev", "WikiQA-dev.tokenised.tsv")):
        lines = (folder / "derived" / name).read_text(encoding="utf-8").split("\n")[1:]
        known = dict.fromkeys((fields[0], fields[2]) for line in lines if len(fields := line.split("\t")) > 2)
        documents |= {f"{split}/{at}": document for at, (_, document) in enumerate(known, start=1)}
    groups: dict[str, set[str]] = {}
    for one in queries:
        groups.setdefault(documents[one.id], set()).add(one.group)
    assert all(len(group) == 1 for group in groups.values())


def test_qasent_is_what_its_authors_counted(data_root: Path) -> None:
    folder = locate(QASENT, data_root).folder
    dev, train = read_qasent(folder, "dev"), read_qasent(folder, "train")
    assert counts(dev) == (81, 1148, 222, 78, 65)
    assert rows(dev) == [
        ("1.4", "What ethnic group / race are Crip members ?", 8, "654b31870f90"),
        ("4.5", "Which was the first movie that James Dean was in ?", 2, "43a0425b7c46"),
        ("31.5", "What did Jean Harlow die of ?", 1, "05e6ed564fbf"),
    ]
    assert counts(train) == (93, 4718, 348, 83, 78)
    assert [row[2:] for row in rows(train)] == [
        (27, "4fc41cc7b193"),
        (7, "b79cf980384a"),
        (59, "98574575a124"),
    ]


def test_the_order_of_qasents_file_which_puts_the_right_ones_first_decides_nothing(small: Path) -> None:
    path = small / "qasent/xml/DEV.xml"
    text, before = path.read_text(encoding="utf-8"), read_qasent(small / "qasent", "dev")
    sentence = r"<(?:positive|negative)>\n.*?</(?:positive|negative)>\n"
    turned = re.sub(
        f"(?:{sentence})+",
        lambda run: "".join(re.findall(sentence, run[0], re.DOTALL)[::-1]),
        text,
        flags=re.DOTALL,
    )
    path.write_text(turned, encoding="utf-8")
    assert turned != text
    assert [one.texts for one in read_qasent(small / "qasent", "dev")] == [one.texts for one in before]


def test_selqa_dev_is_785_queries_on_397_articles(data_root: Path) -> None:
    queries = read_selqa(locate(SELQA, data_root).folder, "dev")
    assert counts(queries) == (785, 9377, 893, 785, 785)
    assert len({one.group for one in queries}) == 397
    assert rows(queries) == [
        (
            "0",
            "Where are Rockefeller Museum and LA Mayer Institute for Islamic Art?",
            9,
            "b9a32c7ee0a9",
        ),
        ("9", 'Whose work did Scott Shetler compare "Stronger" to?', 15, "2326cf27dca4"),
        (
            "784",
            "When was the first scanning tunneling microscope developed and by whom?",
            3,
            "17b19aecf5ef",
        ),
    ]


def test_the_sample_is_read_in_every_form() -> None:
    folder = sample_directory()
    assert present_splits(folder / "wikiqa") == ("train", "dev")
    assert counts(read_wikiqa(folder / "wikiqa", "dev")) == (7, 18, 6, 5, 4)
    assert counts(read_wikiqa(folder / "wikiqa", "dev", "raw")) == (7, 18, 6, 5, 4)
    assert counts(read_wikiqa(folder / "wikiqa", "train")) == (3, 7, 2, 2, 2)
    assert counts(read_qasent(folder / "qasent", "dev")) == (4, 8, 3, 3, 2)
    selqa = read_selqa(folder / "selqa", "dev")
    assert counts(selqa) == (5, 15, 6, 5, 5)
    assert len(selqa[1].sentences) == 4  # the fifth is empty


def test_denominators_are_all_those_with_an_answer_and_those_with_both() -> None:
    none, only, both = query("1", "a", right=7), query("2", "b"), query("3", "c", "d")
    kept = {
        name: [one.id for one in (none, only, both) if one.counts_in(name)]
        for name in ("all", "answerable", "filtered")
    }
    assert kept == {"all": ["1", "2", "3"], "answerable": ["2", "3"], "filtered": ["3"]}


def test_groups_join_all_that_share_a_sentence_however_far() -> None:
    queries = [
        query("1", "a", "b"),
        query("2", "c"),
        query("3", "d", "e"),
        query("4", "B", "d "),
        query("5", "f"),
    ]
    assert [one.group for one in grouped_by_sentences(queries)] == ["1", "2", "1", "1", "5"]


@pytest.mark.parametrize("split", ["test", "train", "dev"])
def test_a_wikiqa_split_is_read_wherever_its_files_lie(small: Path, split: Split) -> None:
    folder = small / "elsewhere"
    folder.mkdir()
    for ending in (".txt", ".ref", "-filtered.ref"):
        shutil.copy(small / f"wikiqa/WikiQA-dev{ending}", folder / f"WikiQA-{split}{ending}")
    assert counts(read_wikiqa(folder, split)) == (7, 18, 6, 5, 4)
    assert present_splits(folder) == (split,)
    assert locate(WIKIQA, folder).folder == folder


@pytest.mark.parametrize(
    ("file", "line", "text", "rule"),
    [
        ("WikiQA-dev.txt", 2, "Who built it ?\tAda .", "question, sentence and label, tabs between, got 2"),
        ("WikiQA-dev.txt", 2, "Who ?\tAda .\t2", "a label must be 0 or 1, got '2'"),
        ("WikiQA-dev.txt", 2, "Who ?\t \t1", "must not be blank"),
        ("WikiQA-dev.txt", 2, "Who else ?\tThe bell tower .\t1", "a query must have one question"),
        ("WikiQA-dev.ref", 2, "1 0 1 0", "a label must be that of the text's line"),
        ("WikiQA-dev.ref", 2, "1 0 1", "must have the 4 columns query 0 sentence label, got 3"),
        ("WikiQA-dev.ref", 2, "1 0 0 1", "query and sentence must stand once, got 1 0 again"),
        ("WikiQA-dev.ref", 4, "1 0 9 0", "a query must have one question"),
        ("WikiQA-dev.ref", 8, "1 0 9 0", "the lines of a query must stand together, got 1 again"),
        (
            "WikiQA-dev-filtered.ref",
            2,
            "1 0 1 0",
            "a line must be that of the next query with both labels, 1 1 1",
        ),
    ],
)
def test_a_malformed_wikiqa_line_is_named_by_file_line_and_rule(
    small: Path, file: str, line: int, text: str, rule: str
) -> None:
    path = small / "wikiqa" / file
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = text
    path.write_text("\n".join(lines), encoding="utf-8")
    # A wrong query id shows in the text's line, where the question is another.
    named = "WikiQA-dev.txt" if text == "1 0 9 0" and line == 4 else file
    with pytest.raises(DataError, match=f"{named}, line {line}: .*{rule}"):
        read_wikiqa(small / "wikiqa", "dev")


@pytest.mark.parametrize(
    ("file", "rule"), [("WikiQA-dev.ref", "one line a pair"), ("WikiQA-dev-filtered.ref", "12, got 11")]
)
def test_wikiqa_files_of_different_lengths_are_refused(small: Path, file: str, rule: str) -> None:
    path = small / "wikiqa" / file
    lines = path.read_text(encoding="utf-8").split("\n")[:-2]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    with pytest.raises(DataError, match=f"{file}, line {len(lines) + 1}: .*{rule}"):
        read_wikiqa(small / "wikiqa", "dev")


def test_a_raw_file_without_its_header_is_refused(small: Path) -> None:
    path = small / "wikiqa/WikiQA-dev.tsv"
    path.write_text("Question\tSentence\tLabel\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"WikiQA-dev.tsv, line 1: a header must name QuestionID"):
        read_wikiqa(small / "wikiqa", "dev", "raw")


def test_a_split_that_is_not_there_is_said_with_the_way_to_get_it(small: Path) -> None:
    with pytest.raises(NotFound, match=r"no WikiQA-test.txt .*get WikiQA from https"):
        read_wikiqa(small / "wikiqa", "test")
    with pytest.raises(NotFound, match=r"no TEST.xml .*get QASent from https"):
        read_qasent(small / "qasent", "test")
    with pytest.raises(NotFound, match=r"no selqa-ass-train.json .*get SelQA from https"):
        read_selqa(small / "selqa", "train")


@pytest.mark.parametrize(
    ("line", "text", "rule"),
    [
        (2, "<answer>", "a line must be a tag where one may stand, got '<answer>'"),
        (5, "<question>", "question must end with </question>"),
        (1, "", "a line must be a tag where one may stand, got '<question>'"),
        (3, "</question>", "question must have a line of tokens"),
    ],
)
def test_a_malformed_qasent_line_is_named_by_file_line_and_rule(
    small: Path, line: int, text: str, rule: str
) -> None:
    path = small / "qasent/xml/DEV.xml"
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = text
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match=rf"DEV.xml, line \d+: {rule}"):
        read_qasent(small / "qasent", "dev")


def test_a_truncated_qasent_file_is_refused(small: Path) -> None:
    path = small / "qasent/xml/DEV.xml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.removesuffix("</QApairs>\n"), encoding="utf-8")
    with pytest.raises(DataError, match="the file must end with </QApairs>, got 4 unended"):
        read_qasent(small / "qasent", "dev")
    path.write_text(text + text, encoding="utf-8")
    with pytest.raises(DataError, match="an id must stand once, got QApairs 1 again"):
        read_qasent(small / "qasent", "dev")


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("answers", [99], "places of candidates that are not empty, in \\[0, 3\\), got 99"),
        ("answers", [True], "got True"),
        ("answers", "1", "'answers' must be list"),
        ("candidates", ["a", 2, "c"], "'candidates' must be strings"),
        ("question", " ", "a question must not be blank"),
        ("article", None, "'article' must be str, got None"),
    ],
)
def test_a_malformed_selqa_entry_is_named_by_file_entry_and_rule(
    small: Path, field: str, value: object, rule: str
) -> None:
    path = small / "selqa/ass/selqa-ass-dev.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    entries[0][field] = value
    path.write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(DataError, match=f"selqa-ass-dev.json, entry 1: .*{rule}"):
        read_selqa(small / "selqa", "dev")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="must be one JSON list"):
        read_selqa(small / "selqa", "dev")
