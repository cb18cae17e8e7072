"""Every selector answers through the pipeline: the settings' own, or the one that a question names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from answering import SELECTORS, load_selector
from answering.learnt import LEARNT
from answering.trigger import POINTS
from core.errors import InvalidValue
from core.protocols import Vectors
from service.pipeline import Pipeline, build
from service.settings import Settings
from service.values import DEFAULT_SELECTOR
from tests.support.fakes import HashEmbedder
from tests.support.pipelines import HARBOUR, SELECTOR, cites, pipeline, tell

QUESTION = "Who lit the lamp at dusk?"
ANSWER = "The lamp was lit by Maren at dusk."


@pytest.fixture(scope="module")
def sawyer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    with pipeline(tmp_path_factory.mktemp("data")) as opened:
        tell(opened, HARBOUR)
        yield opened


@pytest.mark.parametrize("name", SELECTORS)
def test_each_ranks_the_sentences_and_decides_by_its_own_trigger(sawyer: Pipeline, name: str) -> None:
    answer = sawyer.ask(QUESTION, selector=name)
    decision = answer.decision
    trigger = SELECTOR.trigger if name == SELECTOR.name else load_selector(name).trigger
    cites(answer, HARBOUR)
    assert len(decision.ranked) == 4
    if name != "cnn":  # which reads for meaning alone
        assert decision.ranked[0].candidate.text == ANSWER
    assert answer.selector == name
    assert decision.threshold == trigger.threshold
    assert decision.probability == trigger.probability(decision.ranked[0].score)
    assert (decision.answer is not None) == (decision.probability >= decision.threshold)


@pytest.mark.parametrize("name", SELECTORS)
def test_the_one_that_the_settings_name_is_used_where_a_question_names_none(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAWYER_SELECTOR", name)
    with build(Settings.load(data_dir=tmp_path), embedder=HashEmbedder()) as sawyer:
        assert sawyer.ask(QUESTION).decision.threshold == load_selector(name).trigger.threshold
        tell(sawyer, HARBOUR)
        answer = sawyer.ask(QUESTION)
        assert answer == sawyer.ask(QUESTION, selector=name)
        assert answer.selector == name


def test_one_that_is_not_there_is_refused_with_those_that_are(sawyer: Pipeline, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"a selector must be one of overlap, wd-cnt, .* got 'psychic'"):
        sawyer.ask(QUESTION, selector="psychic")
    with pytest.raises(InvalidValue, match="got 'psychic'"):
        build(Settings.load(data_dir=tmp_path / "new", selector="psychic"), embedder=HashEmbedder())
    assert not (tmp_path / "new").exists()


def test_the_shipped_default_is_one_of_them() -> None:
    assert Settings.model_fields["selector"].default == DEFAULT_SELECTOR
    assert DEFAULT_SELECTOR in SELECTORS


_START = """
import sys
from pathlib import Path
from service.pipeline import build
from service.settings import Settings
from service.values import Source

opened = set()
sys.addaudithook(lambda event, given: event == "open" and opened.add(Path(str(given[0])).name))
heavy = {"reader.npz", "word_vectors.npz"}
with build(Settings.load(data_dir=Path(sys.argv[1]))) as sawyer:
    print("clean.npz" in opened, "onnxruntime" in sys.modules, len(heavy & opened))
    sawyer.ingest(Source("a.md", b"The lamp was lit by Maren."))
    print(len(heavy & opened))
    sawyer.ask("Who lit the lamp?")
    print(len(heavy & opened))
"""


def test_what_the_default_reads_with_is_loaded_at_the_first_question(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["True False 0", "0", "2"]


def test_a_point_alone_is_the_settings_own_selector_at_that_point(tmp_path: Path) -> None:
    settings = Settings.load(data_dir=tmp_path, selector="hybrid@careful")
    with build(Settings.load(data_dir=tmp_path / "b", selector="@eager"), embedder=HashEmbedder()) as other:
        assert other.ask(QUESTION).selector == f"{DEFAULT_SELECTOR}@eager"
    with build(settings, embedder=HashEmbedder()) as sawyer:
        tell(sawyer, HARBOUR)
        for point in ("eager", "balanced", "careful"):
            answer = sawyer.ask(QUESTION, selector=f"@{point}")
            assert answer == sawyer.ask(QUESTION, selector=f"hybrid@{point}")
            assert answer.decision.threshold == load_selector("hybrid").trigger.at(point).threshold
        with pytest.raises(
            InvalidValue, match="one of balanced, careful, eager with this selector, got 'bold'"
        ):
            sawyer.ask(QUESTION, selector="@bold")


@pytest.mark.parametrize("name", ["overlap", *LEARNT])
def test_our_own_have_every_point_or_say_what_can_be_promised_instead(sawyer: Pipeline, name: str) -> None:
    told = load_selector(name).trigger
    for point in POINTS:
        if point in told.unreachable:
            with pytest.raises(InvalidValue, match=r"0\.6 cannot be promised .*, only 0\.\d+; choose one"):
                sawyer.ask(QUESTION, selector=f"{name}@{point}")
        else:
            assert sawyer.ask(QUESTION, selector=f"{name}@{point}").selector == f"{name}@{point}"


class CountingEmbedder(HashEmbedder):
    """Remembers which questions it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        self.questions.append(text)
        return super().embed_query(text)


def test_a_question_is_embedded_once_for_search_and_selection(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    with pipeline(tmp_path, embedder=embedder) as sawyer:
        tell(sawyer, HARBOUR)
        first = sawyer.ask(QUESTION)
        assert embedder.questions == [QUESTION]
        assert sawyer.ask("Who paid the innkeeper?") != first
        assert sawyer.ask(QUESTION) == first
        assert embedder.questions == [QUESTION, "Who paid the innkeeper?"]
