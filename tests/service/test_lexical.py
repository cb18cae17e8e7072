from __future__ import annotations

import math
import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue, StoreError
from core.text import IdfTable, question_terms, terms
from service.lexical import LexicalIndex, TantivyIndex

TEXTS = {
    "a": "Mr. Knightley walked to Randalls in the rain.",
    "b": "Emma Woodhouse, handsome, clever, and rich; she don't walk.",
    "c": "The 1,897 soldiers AND the OR of NEAR( -x were counted.",
    "d": "海上生明月，天涯共此时。",
    "e": "Élan vital: naïve cafés.",
}


@pytest.fixture(params=["memory", "directory"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], TantivyIndex]:
    return lambda: TantivyIndex(None if request.param == "memory" else tmp_path / "index")


@pytest.fixture
def index(made: Callable[[], TantivyIndex]) -> TantivyIndex:
    index = made()
    index.add(TEXTS.items())
    return index


def found(index: LexicalIndex, question: str, n: int = 10) -> list[str]:
    return [chunk_id for chunk_id, _ in index.search(question, n)]


def test_an_index_keeps_the_port(index: TantivyIndex) -> None:
    assert isinstance(index, LexicalIndex)
    assert index.ids() == set(TEXTS)
    assert index.count() == len(TEXTS)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who walks in rains?", "a"),  # stems
        ("KNIGHTLEY", "a"),  # names, whatever their case
        ("how many is 1,897", "c"),  # numbers stay whole
        ("明月", "d"),  # no spaces between words
        ("cafes elan", "e"),  # accents
        ("don’t", "b"),  # either apostrophe
    ],
)
def test_the_text_with_the_question_s_words_comes_first(
    index: TantivyIndex, question: str, first: str
) -> None:
    assert found(index, question)[0] == first


@pytest.mark.parametrize(
    "question",
    ["AND OR", "NEAR(", '"', '"rain', "don't", "-x", "+x -x", "id:a", "terms:rain", "rain~2", "[a TO b]",
     "rain*", "/r.*/", "((((", "\\", "x^9", "\x00\x01rain\x1f", "rain\x00", "\u202erain", "IN [a b]"],
)  # fmt: skip
def test_a_question_is_words_and_never_syntax(index: TantivyIndex, question: str) -> None:
    asked = set(question_terms(question))
    expected = {key for key, text in TEXTS.items() if asked & set(terms(text))}
    assert set(found(index, question)) == expected


@given(st.text(max_size=60))
def test_any_question_finds_exactly_the_texts_that_share_a_term(question: str) -> None:
    index = _shared_index()
    asked = set(" ".join(question_terms(question)).split())
    expected = {key for key, text in TEXTS.items() if asked & set(terms(text))}
    assert set(found(index, question)) == expected


@pytest.mark.parametrize("question", ["", "  \n\t ", "?!… —", "\x00\x07", "🙂"])
def test_a_question_without_terms_finds_nothing(index: TantivyIndex, question: str) -> None:
    assert index.search(question, 5) == []


def test_words_that_every_text_holds_do_not_rank_unless_there_are_no_others(index: TantivyIndex) -> None:
    assert found(index, "the rain") == ["a"]
    assert set(found(index, "the")) == {"a", "c"}


def test_a_question_of_50000_characters_is_answered(index: TantivyIndex) -> None:
    question = ("rain " + " ".join(f"w{number}" for number in range(20_000)))[:50_000]
    assert found(index, question) == ["a"]


def test_a_term_too_long_to_index_costs_its_text_nothing_else(made: Callable[[], TantivyIndex]) -> None:
    index = made()
    index.add([("long", "a" * 100_000 + " harbour")])
    assert found(index, "harbour") == ["long"]
    assert found(index, "a" * 100_000) == []


def test_a_term_that_holds_white_space_is_found_by_itself(made: Callable[[], TantivyIndex]) -> None:
    ligature = "\ufdfa"  # one letter that compatibility forms write as four words
    index = made()
    index.add([("x", ligature), ("y", "nothing of it")])
    assert found(index, ligature) == ["x"]


@pytest.mark.parametrize("n", [0, -1])
def test_n_is_at_least_one(index: TantivyIndex, n: int) -> None:
    with pytest.raises(InvalidValue, match="n must be at least 1"):
        index.search("rain", n)


def test_ties_are_broken_by_id_however_the_texts_came(made: Callable[[], TantivyIndex]) -> None:
    index = made()
    order = [f"{number:03d}" for number in range(200)]
    random.Random(1).shuffle(order)
    for start in range(0, 200, 50):  # several segments
        index.add((text_id, "the same harbour") for text_id in order[start : start + 50])
    index.add([("zzz", "harbour harbour harbour")])
    assert found(index, "harbour", 7) == ["zzz", "000", "001", "002", "003", "004", "005"]


def test_idf_counts_what_the_texts_hold(index: TantivyIndex) -> None:
    expected = IdfTable.of(terms(text) for text in TEXTS.values())
    asked = ["walk", "the", "明月", "absent"]
    got = index.idf(asked)
    assert got.total == expected.total
    assert [got.idf(term) for term in asked] == [expected.idf(term) for term in asked]


def test_what_was_added_is_on_the_disk_and_found_by_the_next_to_open(tmp_path: Path) -> None:
    TantivyIndex(tmp_path / "index").add(TEXTS.items())
    again = TantivyIndex(tmp_path / "index")
    again.add([("f", "A second rain.")])
    assert set(found(again, "rain")) == {"a", "f"}
    assert TantivyIndex(tmp_path / "index").ids() == {*TEXTS, "f"}


def test_an_addition_that_fails_leaves_nothing(index: TantivyIndex) -> None:
    def entries() -> object:
        yield ("g", "harbour")
        raise RuntimeError("the reader of the texts failed")

    with pytest.raises(RuntimeError):
        index.add(entries())  # type: ignore[arg-type]  # an iterator, all the same
    index.add([("h", "lighthouse")])
    assert index.ids() == {*TEXTS, "h"}


def test_a_directory_that_holds_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(StoreError, match="must be a lexical index"):
        TantivyIndex(tmp_path)


def test_texts_are_found_while_others_are_added(index: TantivyIndex) -> None:
    wrong: list[object] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            if "a" not in found(index, "Knightley"):
                wrong.append("lost")

    readers = [threading.Thread(target=ask) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(10):
        index.add([(f"n{number}", f"number {number}")])
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong


# -- against the formula ----------------------------------------------------------------------------


def rounded_length(length: int) -> int:
    """The largest length of at most ``length`` that one byte can say (Lucene's SmallFloat)."""

    def decoded(byte: int) -> int:
        if byte < 24:
            return byte
        shift = ((byte - 24) >> 3) - 1
        bits = (byte - 24) & 7
        return 24 + (bits if shift < 0 else (bits | 8) << shift)

    return max(value for value in map(decoded, range(128)) if value <= length)


def naive_bm25(texts: dict[str, str], question: str, k1: float = 1.2, b: float = 0.75) -> dict[str, float]:
    counted = {key: Counter(terms(text)) for key, text in texts.items()}
    mean = sum(sum(counts.values()) for counts in counted.values()) / len(counted)
    table = IdfTable.of(counted.values())
    scores = {}
    for key, counts in counted.items():
        norm = k1 * (1 - b + b * rounded_length(sum(counts.values())) / mean)
        score = math.fsum(
            table.idf(term) * counts[term] * (k1 + 1) / (counts[term] + norm)
            for term in question_terms(question)
            if term in counts
        )
        if score:
            scores[key] = score
    return scores


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_of_the_formula(seed: int, made: Callable[[], TantivyIndex]) -> None:
    rng = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(60)]
    weights = [1 / (rank + 1) for rank in range(60)]
    texts = {
        f"{number:03d}": " ".join(rng.choices(vocabulary, weights, k=rng.choice([3, 20, 39, 41, 200, 900])))
        for number in range(120)
    }
    index = made()
    entries = list(texts.items())
    index.add(entries[:70])
    index.add(entries[70:])
    for _ in range(5):
        question = " ".join(rng.choices(vocabulary, k=rng.randint(1, 8)))
        expected = naive_bm25(texts, question)
        got = dict(index.search(question, len(texts)))
        assert got.keys() == expected.keys()
        assert got == pytest.approx(expected, rel=1e-4)


_SHARED: list[TantivyIndex] = []


def _shared_index() -> TantivyIndex:
    if not _SHARED:
        _SHARED.append(TantivyIndex())
        _SHARED[0].add(TEXTS.items())
    return _SHARED[0]
