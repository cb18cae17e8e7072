"""Chunkers in LangChain's pipelines, and LangChain's splitters under our contract.

langchain-tests (1.1) has suites for models, stores and tools, none for text splitters, so LangChain's own
loaders, transformers and vector store drive ours here.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import (
    CharacterTextSplitter,
    MarkdownHeaderTextSplitter,
    RecursiveCharacterTextSplitter,
    TextSplitter,
)

import chunkers
from chunkers.base import Chunker, Cut, chunk_document, cut, describe
from chunkers.boundaries import WHITE_SPACE
from chunkers.langchain import LangChainSplitter, from_langchain, to_langchain
from core.errors import InvalidValue
from core.values import Document as OurDocument
from core.values import Span
from tests.support.texts import texts

STORY = (Path(__file__).parent / "texts" / "ferryman.md").read_bytes().decode()
REPEATING = "It rained. " * 300


class Files(BaseLoader):
    """A LangChain loader of text files, as its own are: a document each, its source in the metadata."""

    def __init__(self, *paths: Path) -> None:
        self.paths = paths

    def lazy_load(self) -> Iterator[Document]:
        for path in self.paths:
            yield Document(page_content=path.read_bytes().decode(), metadata={"source": path.name})


@pytest.fixture(params=[name for name in chunkers.CHUNKERS if name in chunkers.STRUCTURAL])
def chunker(request: pytest.FixtureRequest) -> Chunker:
    return chunkers.build(request.param, size=300)


@pytest.mark.parametrize("text", [STORY, REPEATING, "", " \r\n "], ids=["story", "repeats", "empty", "blank"])
def test_a_chunker_is_a_text_splitter_whose_start_index_is_exact(chunker: Chunker, text: str) -> None:
    splitter = to_langchain(chunker)
    assert isinstance(splitter, TextSplitter)
    documents = splitter.create_documents([text, text], [{"page": 1}, {"page": 2}])
    spans = chunker.split(text)
    assert splitter.split_text(text) == [span.of(text) for span in spans]
    assert [document.page_content for document in documents] == 2 * splitter.split_text(text)
    assert [document.metadata for document in documents] == [
        {"page": page, "start_index": span.start} for page in (1, 2) for span in spans
    ]


def test_start_index_is_left_out_when_it_is_not_wanted() -> None:
    splitter = to_langchain(chunkers.build("sentence"), add_start_index=False)
    assert [document.metadata for document in splitter.create_documents(["One. Two."])] == [{}, {}]


def test_each_document_has_metadata_of_its_own() -> None:
    kept = {"tags": ["a"]}
    first, second = to_langchain(chunkers.build("sentence")).create_documents(["One day. Two days."], [kept])
    first.metadata["tags"].append("b")
    assert second.metadata["tags"] == kept["tags"] == ["a"]


def test_a_chunker_serves_a_whole_langchain_pipeline(tmp_path: Path) -> None:
    for name, text in {"story.md": STORY, "rain.txt": REPEATING}.items():
        (tmp_path / name).write_bytes(text.encode())
    loader = Files(tmp_path / "story.md", tmp_path / "rain.txt")
    splitter: BaseDocumentTransformer = to_langchain(chunkers.build("recursive", size=300))

    split = loader.load_and_split(splitter)
    assert list(splitter.transform_documents(loader.load())) == split
    assert list(asyncio.run(splitter.atransform_documents(loader.load()))) == split

    whole = {document.metadata["source"]: document.page_content for document in loader.load()}
    for document in split:
        start = document.metadata["start_index"]
        text = whole[document.metadata["source"]]
        assert text[start : start + len(document.page_content)] == document.page_content
    store = InMemoryVectorStore.from_documents(split, DeterministicFakeEmbedding(size=16))
    (found,) = store.similarity_search(split[3].page_content, k=1)
    assert found.metadata == split[3].metadata


class Falls:
    """A chunker that has something to say."""

    def split(self, text: str) -> list[Span]:
        return [Span(0, len(text))]

    def cut(self, text: str, progress: object) -> Cut:  # noqa: ARG002 - the protocol's name
        return Cut(self.split(text), {}, ["one window was not asked"])


def test_what_a_chunker_has_to_say_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "chunkers.langchain"):
        to_langchain(Falls()).split_text("One day.")
    assert caplog.messages == ["one window was not asked"]


# What LangChain's users write; an overlap of 200 is its default.
SPLITTERS = {
    "recursive, overlap 200": RecursiveCharacterTextSplitter(chunk_size=1_000, chunk_overlap=200),
    "recursive, small": RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=20),
    "paragraphs": CharacterTextSplitter("\n\n", chunk_size=1, chunk_overlap=0),
    "characters": CharacterTextSplitter("", chunk_size=50, chunk_overlap=10),
}


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("text", [STORY, REPEATING, "", "\n "], ids=["story", "repeats", "empty", "blank"])
def test_a_langchain_splitter_is_a_chunker_whose_spans_are_its_pieces(name: str, text: str) -> None:
    chunker = from_langchain(SPLITTERS[name])
    made = cut(text, chunker)
    pieces = [piece for piece in SPLITTERS[name].split_text(text) if piece.strip()]
    chunks = chunk_document(OurDocument("d", text), chunker, content_digest="c")
    assert [chunk.span for chunk in chunks] == list(made.spans)
    inside = made.counts.get("pieces inside a neighbour", 0)
    assert len(chunks) == len(pieces) - inside
    assert bool(inside) == bool(made.notices)
    assert {chunk.text for chunk in chunks} <= {piece.strip() for piece in pieces}
    _assert_covered(text, made.spans)


def _assert_covered(text: str, spans: object) -> None:
    at = 0
    for span in spans:
        assert not text[at : span.start].strip(WHITE_SPACE)
        at = span.end
    assert not text[at:].strip(WHITE_SPACE)


@pytest.mark.parametrize("name", SPLITTERS)
def test_any_text_is_placed_whole_or_refused(name: str) -> None:
    chunker = from_langchain(SPLITTERS[name])

    @settings(deadline=None, max_examples=100)
    @given(texts)
    def holds(text: str) -> None:
        try:
            spans = chunker.split(text)
        except InvalidValue:
            # LangChain strips control characters too, which are visible here.
            assert set(text) & set("\x1c\x1d\x1e\x1f")
            return
        _assert_covered(text, spans)
        for first, second in itertools.pairwise(spans):
            assert first.start < second.start
            assert first.end < second.end

    holds()


def test_an_overlap_is_placed_where_it_is_and_not_where_its_text_stands_first() -> None:
    text = "a b a b a b a b a b "
    pieces = ["a b a b", "a b a b", "a b a b", "a b a b"]  # at 0, 4, 8, 12
    spans = from_langchain(Gives(*pieces), identity="gives").split(text)
    assert spans[0] == Span(0, 7)
    assert spans[-1] == Span(12, 19)
    _assert_covered(text, spans)


def test_a_place_that_leads_nowhere_is_given_up_for_another() -> None:
    # With the least overlap each, the second piece would end where no third can go on.
    text = "x" * 8
    assert from_langchain(Gives("xxxx", "xxxx", "xxxx"), identity="gives").split(text) == [
        Span(0, 4),
        Span(3, 7),
        Span(4, 8),
    ]


def test_placing_stays_quick_where_a_text_repeats_itself_without_end() -> None:
    text = "x" * 20_000
    splitter = CharacterTextSplitter("", chunk_size=100, chunk_overlap=50)
    _assert_covered(text, from_langchain(splitter).split(text))
    with pytest.raises(InvalidValue, match="end before its end"):
        from_langchain(Gives(*["x" * 100] * 50), identity="gives").split(text)


class Gives:
    """A splitter that gives what it is told to."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces

    def split_text(self, text: str) -> list[str]:  # noqa: ARG002 - the protocol's name
        return list(self.pieces)


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        (["One day.", "Two dais."], "piece 2, 'Two dais.', which the text does not hold"),
        (["One day.", "Three days."], "piece 2, 'Three days.', which does not continue"),
        (["Two days.", "Three days."], "piece 1, 'Two days.', which does not continue"),
        (["One day.", "Two days."], "must cover the text, got 2 that end before"),
        (["Two days.", "One day."], "piece 1"),
        ([" "], "must cover the text, got 0"),
    ],
)
def test_a_splitter_that_changes_or_drops_text_is_refused(pieces: list[str], says: str) -> None:
    with pytest.raises(InvalidValue, match=says):
        from_langchain(Gives(*pieces), identity="gives").split("One day. Two days. Three days.")


def test_langchain_s_own_splitters_that_change_the_text_are_refused() -> None:
    headers = MarkdownHeaderTextSplitter([("#", "title")])  # gives documents, without their headings
    with pytest.raises(InvalidValue, match="strip_headers=False"):
        from_langchain(headers).split("# One\nText.\n# Two\nMore.")
    kept = MarkdownHeaderTextSplitter([("#", "title")], strip_headers=False)
    assert len(from_langchain(kept).split("# One\nText.\n# Two\nMore.")) == 2
    dots = CharacterTextSplitter(".", chunk_size=8, chunk_overlap=0)
    with pytest.raises(InvalidValue, match="keep_separator=True"):
        from_langchain(dots).split("One day. Two days.")


def test_a_splitter_s_configuration_identifies_it() -> None:
    def made(**options: object) -> str:
        return repr(from_langchain(RecursiveCharacterTextSplitter(**options)))

    assert made(chunk_size=300) == made(chunk_size=300)
    others = [
        made(chunk_size=301),
        made(chunk_size=300, chunk_overlap=7),
        made(chunk_size=300, separators=["\n"]),
        made(chunk_size=300, keep_separator=False),
        made(chunk_size=300, length_function=_words),
    ]
    assert len({made(chunk_size=300), *others}) == 6
    assert "RecursiveCharacterTextSplitter" in made()
    assert "langchain-text-splitters 1." in made()
    assert "0x" not in "".join(others)
    assert "\n" not in describe(from_langchain(RecursiveCharacterTextSplitter(separators=["\n"])))


def test_a_splitter_s_identity_shows_no_key_of_what_it_holds() -> None:
    @dataclass
    class Model:
        name: str
        api_key: str

    class Client:
        def __init__(self, key: str) -> None:
            self.openai_api_key = key
            self.headers = {"Authorization": f"Bearer {key}", "Accept": "text/plain"}

    def made(key: str, name: str = "small") -> LangChainSplitter:
        splitter = RecursiveCharacterTextSplitter()
        vars(splitter).update(model=Model(name, key), client=Client(key))
        return from_langchain(splitter)

    shown = repr(made('sk-it\'s a "secret"')) + str(made('sk-it\'s a "secret"'))
    assert "sk-" not in shown
    assert "secret" not in shown
    assert "text/plain" in shown
    assert repr(made("sk-1")) == repr(made("sk-2")) != repr(made("sk-1", "large"))


def _words(text: str) -> int:
    return len(text.split())


def test_a_splitter_that_cannot_be_told_from_others_needs_an_identity() -> None:
    nameless = RecursiveCharacterTextSplitter(length_function=lambda text: len(text.split()))
    with pytest.raises(InvalidValue, match=r"identity='\.\.\.'"):
        from_langchain(nameless)
    assert "by words" in repr(from_langchain(nameless, identity="recursive by words"))


def test_there_and_back_gives_the_same_spans() -> None:
    chunker = chunkers.build("recursive", size=300)
    back = from_langchain(to_langchain(chunker))
    assert back.split(STORY) == chunker.split(STORY)
    assert repr(chunker) in back.identity
