"""LoTTE's layout: loaders pinned by counts and rows, bad lines named, places told apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import DataError, InvalidValue, NotFound
from eval.datasets.lotte import POOLED, TopicFolder
from eval.datasets.lotte_files import (
    Answers,
    Passage,
    Thread,
    read_answers,
    read_passages,
    read_queries,
    read_threads,
)
from eval.datasets.lotte_places import find_lotte, sample_place
from eval.datasets.lotte_pooled import PooledTopics

# Topic: queries, answer pids in all, starts of the first, tenth and last query.
DEV = {
    "writing": (497, 1287, ["how are you doing latel", "what is the difference ", "can a tv screen be used"]),
    "recreation": (
        563,
        1754,
        ["do bards have to sing?", "do attacks of opportuni", "are nikon and minolta l"],
    ),
    "science": (538, 1480, ["is sudan iv hydrophobic", "how many atoms are pres", "is both objective and s"]),
    "technology": (
        916,
        2676,
        ["how many devices can yo", "do docking stations hav", "what does it mean when "],
    ),
    "lifestyle": (
        417,
        1376,
        ["how much should i feed ", "is my corn snake male o", "is there a difference b"],
    ),
}


def folder(root: Path, topic: str) -> TopicFolder:
    return next(found for found in find_lotte(root).topics("dev") if found.name == topic)


@pytest.mark.parametrize("topic", DEV)
def test_lottes_dev_queries_are_read_whole_and_in_order(data_root: Path, topic: str) -> None:
    count, pids, starts = DEV[topic]
    lotte = folder(data_root / "lotte", topic)
    queries, answers = lotte.queries("search"), lotte.answers("search")
    assert [query.qid for query in queries] == [one.qid for one in answers] == list(range(count))
    assert [queries[at].text[:23] for at in (0, 9, -1)] == starts
    assert sum(len(one.pids) for one in answers) == pids
    assert lotte.types() == ("search",)
    assert list(lotte.threads()) == []


def test_lottes_judgements_are_pinned(data_root: Path) -> None:
    answers = folder(data_root, "writing").answers("search")
    assert answers[0].pids == {9032}
    assert answers[-1].pids == {246020, 246025, 246035, 246037, 246042, 246043, 246059, 246118}


def test_cranfield_is_1400_passages_of_which_two_are_empty(data_root: Path) -> None:
    cranfield = folder(data_root, "cranfield")
    passages = list(cranfield.passages())
    assert [passage.pid for passage in passages] == list(range(1400))
    assert [passage.pid for passage in passages if not passage.text.strip()] == [470, 994]
    assert [passages[at].text[:31] for at in (0, 9, -1)] == [
        "experimental investigation of t",
        "the theory of the impact tube a",
        "the buckling shear stress of si",
    ]
    queries, answers = cranfield.queries("search"), cranfield.answers("search")
    assert [query.qid for query in queries] == [one.qid for one in answers] == list(range(225))
    assert [queries[at].text[:31] for at in (0, 9, -1)] == [
        "what similarity laws must be ob",
        "are real-gas transport properti",
        "what design factors can be used",
    ]
    assert [len(answers[at].pids) for at in (0, 9, -1)] == [28, 8, 24]


@pytest.mark.parametrize(
    ("topic", "passages", "empty", "search", "forum", "threads", "starts"),
    [
        ("gardening", 16, [8], 3, 2, 4, ["Tomatoes spl", "Bees need wa", "Blackfly on "]),
        ("sailing", 18, [5], 4, 3, 5, ["A bowline is", "Barnacles gr", "If somebody "]),
    ],
)
def test_the_sample_is_two_topics_with_every_file(
    topic: str, passages: int, empty: list[int], search: int, forum: int, threads: int, starts: list[str]
) -> None:
    found = next(one for one in sample_place().topics("dev") if one.name == topic)
    read = list(found.passages())
    assert [one.pid for one in read] == list(range(passages))
    assert [one.pid for one in read if not one.text] == empty
    assert [read[at].text[:12] for at in (0, 9, -1)] == starts
    assert [len(found.queries(kind)) for kind in found.types()] == [search, forum]
    told = list(found.threads())
    assert len(told) == threads
    assert sum(thread.posts for thread in told) == passages
    for kind in found.types():
        assert [one.qid for one in found.queries(kind)] == [one.qid for one in found.answers(kind)]
        assert all(one.pids and max(one.pids) < passages for one in found.answers(kind))


@pytest.mark.parametrize(
    ("read", "text", "line", "rule"),
    [
        (read_passages, "0\ta\n1 b\n", 2, "a line must be pid, tab, passage"),
        (read_passages, "0\ta\n\n", 2, "a line must be pid, tab, passage"),
        (read_passages, "0\ta\nx\tb\n", 2, "pid must be a whole number of at most 18 digits, got 'x'"),
        (read_passages, f"0\ta\n{10**18}\tb\n", 2, "pid must be a whole number of at most 18 digits"),
        (read_passages, "0\ta\n-1\tb\n", 2, "pid must be a whole number"),
        (read_passages, "3\ta\n1\tb\n3\tc\n4\td\n", 3, "a pid must be unique in its file, got 3 again"),
        (read_queries, "0\ta\n1\t \n", 2, "a query must not be blank"),
        (read_queries, "0\ta\n0\tb\n", 2, "a qid must be unique in its file, got 0 again"),
        (read_queries, "0\ta\n1\n", 2, "a line must be qid, tab, query"),
        (
            read_answers,
            '{"qid": 0, "query": "a", "answer_pids": [1]}\n{"qid": 1}\n',
            2,
            "'query' must be str",
        ),
        (read_answers, '{"qid": 0, "query": "a", "answer_pids": 1}\n', 1, "'answer_pids' must be list"),
        (read_answers, '{"qid": "0", "query": "a", "answer_pids": []}\n', 1, "'qid' must be int"),
        (read_answers, '{"qid": 0, "query": "a", "answer_pids": ["1"]}\n', 1, "must hold whole numbers"),
        (read_answers, f'{{"qid": 0, "query": "a", "answer_pids": [{10**18}]}}\n', 1, "at most 18 digits"),
        (read_answers, "", 1, "must hold at least one query"),
        (read_threads, '{"dataset": "d", "post_ids": []}\n\n', 2, "a line must be one JSON object"),
        (read_threads, "[]\n", 1, "a line must be one JSON object"),
        (read_threads, '{"dataset": "d"}\n', 1, "a thread must have 'dataset', a string, and 'post_ids'"),
    ],
)
def test_a_malformed_line_is_named_with_file_line_and_rule(
    read: Callable[[Path], object], text: str, line: int, rule: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        list(read(path))  # type: ignore[call-overload]
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert rule in str(caught.value)


@pytest.mark.parametrize("read", [read_passages, read_queries])
def test_bytes_that_are_not_utf_8_are_named_by_their_line(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "file.tsv"
    path.write_bytes(b"0\tfine\n1\tcaf\xe9\n")
    with pytest.raises(DataError, match=r"file\.tsv, line 2: a data file must be UTF-8"):
        list(read(path))  # type: ignore[call-overload]


def test_a_passage_is_all_that_follows_the_first_tab(tmp_path: Path) -> None:
    path = tmp_path / "collection.tsv"
    path.write_bytes("\ufeff7\tone\ttwo\u2028three\r\n2\t\n 5 \tlast".encode())
    assert list(read_passages(path)) == [
        Passage(7, "one\ttwo\u2028three"),
        Passage(2, ""),
        Passage(5, "last"),
    ]


def test_an_empty_collection_has_no_passages(tmp_path: Path) -> None:
    path = tmp_path / "collection.tsv"
    path.touch()
    assert list(read_passages(path)) == []
    with pytest.raises(NotFound, match="cannot be read"):
        list(read_passages(tmp_path / "nowhere.tsv"))


def test_metadata_in_lottes_own_form_are_read(tmp_path: Path) -> None:
    path = tmp_path / "metadata.jsonl"
    path.write_text(
        '{"dataset": "ell", "question_id": 5, "post_ids": [7, 8], "scores": [1, 0], "post_urls": ["u", "v"], '
        '"post_authors": ["a", null], "question_author": "q"}\n'
    )
    assert list(read_threads(path)) == [Thread("ell", 2)]


def write_topic(
    root: Path, topic: str, split: str, passages: str, **qas: tuple[list[str], list[str]]
) -> None:
    where = root / topic / split
    where.mkdir(parents=True)
    (where / "collection.tsv").write_text(passages)
    for kind, (queries, judged) in qas.items():
        (where / f"questions.{kind}.tsv").write_text("\n".join(queries) + "\n")
        (where / f"qas.{kind}.jsonl").write_text("\n".join(judged) + "\n")


def judged(qid: int, *pids: int) -> str:
    return f'{{"qid": {qid}, "query": "?", "answer_pids": {list(pids)}}}'


def test_pooled_numbers_go_on_from_topic_to_topic(tmp_path: Path) -> None:
    write_topic(tmp_path, "writing", "dev", "0\ta\n4\tb\n", search=(["0\tq", "3\tr"], [judged(0, 4)]))
    write_topic(tmp_path, "boats", "dev", "0\tc\n", forum=(["0\ts"], [judged(0, 0)]))
    write_topic(tmp_path, "science", "dev", "2\td\n", search=(["1\tt"], [judged(1, 2, 3)]))
    pooled = find_lotte(tmp_path).topic("dev", POOLED)
    assert isinstance(pooled, PooledTopics)
    assert [part.name for part in pooled.parts] == ["writing", "science", "boats"]
    assert list(pooled.passages()) == [Passage(0, "a"), Passage(4, "b"), Passage(7, "d"), Passage(8, "c")]
    assert [(query.qid, query.text) for query in pooled.queries("search")] == [(0, "q"), (3, "r"), (5, "t")]
    assert pooled.answers("search") == (Answers(0, frozenset({4})), Answers(5, frozenset({7, 8})))
    assert pooled.answers("forum") == (Answers(0, frozenset({8})),)
    assert set(pooled.types()) == {"search", "forum"}


def test_a_folder_pooled_is_taken_as_it_is_and_one_topic_is_not_pooled(tmp_path: Path) -> None:
    write_topic(tmp_path, "writing", "dev", "0\ta\n", search=(["0\tq"], [judged(0, 0)]))
    assert find_lotte(tmp_path).topic("dev", POOLED) is None
    write_topic(tmp_path, "science", "dev", "0\tb\n", search=(["0\tq"], [judged(0, 0)]))
    write_topic(tmp_path, POOLED, "dev", "0\tz\n", search=(["0\tq"], [judged(0, 0)]))
    pooled = find_lotte(tmp_path).topic("dev", POOLED)
    assert isinstance(pooled, TopicFolder)
    assert pooled.folder == tmp_path / POOLED / "dev"


@pytest.mark.parametrize(
    ("given", "kind", "topics"),
    [
        (".", "data root", ["writing", "boats"]),
        ("lotte", "folder of the set", ["writing"]),
        ("lotte_shaped", "folder of the set", ["boats"]),
        ("lotte_shaped/boats", "folder of a topic", ["boats"]),
        ("lotte/writing/test", "folder of a topic's split", ["writing"]),
    ],
)
def test_a_path_may_be_the_root_the_set_a_topic_or_its_split(
    given: str, kind: str, topics: list[str], tmp_path: Path
) -> None:
    for root, topic in (("lotte", "writing"), ("lotte_shaped", "boats")):
        write_topic(tmp_path / root, topic, "test", "0\ta\n", search=(["0\tq"], [judged(0, 0)]))
    place = find_lotte(tmp_path / given)
    assert place.kind == kind
    assert [folder.name for folder in place.folders] == topics
    assert place.split(None) == "test"
    with pytest.raises(NotFound, match=r"--split must be one that .* holds \(test\), got dev"):
        place.split("dev")


def test_what_is_no_place_for_lotte_is_said(tmp_path: Path) -> None:
    (tmp_path / "wikiqa" / "dev").mkdir(parents=True)
    with pytest.raises(NotFound, match=r"got .*; get LoTTE from https://"):
        find_lotte(tmp_path)
    with pytest.raises(NotFound, match="the data folder must be a data root"):
        find_lotte(tmp_path / "nowhere")


def test_two_topics_by_one_name_are_refused(tmp_path: Path) -> None:
    for root in ("lotte", "lotte_shaped"):
        write_topic(tmp_path / root, "boats", "dev", "0\ta\n", search=(["0\tq"], [judged(0, 0)]))
    with pytest.raises(InvalidValue, match="a topic must have one folder a split"):
        find_lotte(tmp_path)
