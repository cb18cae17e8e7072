"""One suite of calls, run on a real pipeline in this process and through a server of it: equal results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

import chunkers
from core.errors import SawyerError
from core.values import Span
from service.api.app import create_app
from service.client import Client
from service.jobs import Jobs
from service.pipeline import Pipeline
from service.sample import sample_sources
from service.values import Answer, DocumentRecord, Retrieval, RetrieverName, Sawyer, Source
from tests.support.fakes import HashEmbedder
from tests.support.live_server import live_server
from tests.support.pipelines import SELECTOR

CHINESE = (
    "# 灯塔\r\n\r\n玛伦在岛上守了十一年的灯塔。每天晚上她提着一罐油走上九十一级台阶。"
    "\r\n\r\n三月里来了一封信。"
)
QUESTIONS = [
    "Who kept the Tide Book in 1911?",
    "How did Nell Pargeter wear her hair when she came?",
    "Which planet did the astronauts of Minsk colonise?",
    "玛伦守了多少年的灯塔？",
    "AND OR NEAR( \" -x don't *",
]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    with Pipeline(
        tmp_path_factory.mktemp("data"),
        embedder=HashEmbedder(),
        chunker=chunkers.build("recursive"),
        selector=SELECTOR,
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(pipeline: Pipeline) -> Iterator[str]:
    jobs = Jobs(pipeline)
    with live_server(create_app(pipeline, jobs, max_document_bytes=10_000_000)) as served_at:
        yield served_at
    assert jobs.close()


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Client]:
    with Client(url) as opened:
        for source in (*sample_sources(), Source("灯塔.md", CHINESE.encode("utf-16"))):
            assert opened.ingest(source).state == "ready"
        yield opened


def plain(found: Retrieval | Answer) -> Retrieval | Answer:
    """Lists where a sequence is promised, so that equality is of what is in it."""
    return replace(found, hits=list(found.hits), titles=dict(found.titles))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid"])
def test_both_find_and_answer_the_same(
    pipeline: Pipeline, client: Client, question: str, retriever: RetrieverName
) -> None:
    here = pipeline.ask(question, k=3, retriever=retriever)
    assert plain(client.ask(question, k=3, retriever=retriever)) == plain(here)
    found = client.retrieve(question, k=3, retriever=retriever)
    assert plain(found) == plain(pipeline.retrieve(question, k=3, retriever=retriever))


@pytest.mark.parametrize("selector", ["overlap", "wd-algn", "cnn-cnt+qclass", "lexical", "clean@eager"])
def test_both_answer_the_same_by_any_selector(pipeline: Pipeline, client: Client, selector: str) -> None:
    here = pipeline.ask(QUESTIONS[0], selector=selector)
    assert here.selector == selector
    assert (
        bool(here.decision.mattered)
        == (here.decision.existence is not None)
        == (selector in {"lexical", "clean@eager"})
    )
    assert plain(client.ask(QUESTIONS[0], selector=selector)) == plain(here)


def test_both_list_the_same_records(pipeline: Pipeline, client: Client) -> None:
    def in_full(records: list[DocumentRecord]) -> list[DocumentRecord]:
        return [replace(record, notices=tuple(record.notices)) for record in records]

    assert in_full(client.documents()) == in_full(pipeline.documents())
    assert [record.source for record in client.documents()] == ["the_tide_book.md", "灯塔.md"]


@pytest.mark.parametrize(
    "name",
    ["blank", "endless", "k0", "k101", "selector", "collection", "id", "name", "no source", "blank source",
     "nul", "surrogate", "long source", "title"],
)  # fmt: skip
def test_both_refuse_the_same(pipeline: Pipeline, client: Client, name: str) -> None:
    def refused(sawyer: Sawyer) -> None:
        {
            "blank": lambda: sawyer.ask("\u3000"),
            "endless": lambda: sawyer.ask("x" * 50_000),
            "k0": lambda: sawyer.ask("door", k=0),
            "k101": lambda: sawyer.retrieve("door", k=101),
            "selector": lambda: sawyer.ask("door", selector="psychic"),
            "collection": lambda: sawyer.retrieve("door", collection="nowhere"),
            "id": lambda: sawyer.delete("0" * 32),
            "name": lambda: sawyer.ingest(Source("a", b"text"), collection="a\x00b"),
            "no source": lambda: sawyer.ingest(Source("", b"text")),
            "blank source": lambda: sawyer.ingest(Source(" \n", b"text")),
            "nul": lambda: sawyer.ingest(Source("a\x00b", b"text")),
            "surrogate": lambda: sawyer.ingest(Source("a\ud800", b"text")),
            "long source": lambda: sawyer.ingest(Source("x" * 1025, b"text")),
            "title": lambda: sawyer.ingest(Source("a", b"text", "\ud800")),
        }[name]()

    with pytest.raises(SawyerError) as here:
        refused(pipeline)
    with pytest.raises(SawyerError) as there:
        refused(client)
    assert type(there.value) is type(here.value)


def test_a_chinese_question_gets_its_sentence_by_offsets_into_the_decoded_file(url: str) -> None:
    asked = {"question": "玛伦守了多少年的灯塔？", "retriever": "lexical"}
    answer = httpx.post(f"{url}/v1/answer", json=asked).json()
    hit = answer["hits"][0]
    assert hit["text"] == Span(hit["start"], hit["end"]).of(CHINESE)
    assert (hit["title"], hit["chapter"]) == ("灯塔", "灯塔")
    ranked = httpx.post(f"{url}/v1/answer", json={**asked, "candidates": True}).json()["candidates"]
    assert all(one["text"] == Span(one["start"], one["end"]).of(CHINESE) for one in ranked)
    assert ranked[0]["text"] == "玛伦在岛上守了十一年的灯塔。"


@pytest.mark.parametrize(
    ("data", "code", "status"),
    [
        (b"", "empty_document", 422),
        (b" \n\t ", "empty_document", 422),
        (bytes(range(256)) * 20, "unsupported_format", 415),
        (b"%PDF-1.7", "unsupported_format", 415),
        (("naïve " * 100).encode() + b"\xff\xfe\xfd" * 20, "undecodable_text", 422),
    ],
)
def test_bytes_that_are_no_text_are_a_problem_and_a_failed_record(
    url: str, client: Client, data: bytes, code: str, status: int
) -> None:
    sent = httpx.post(
        f"{url}/v1/documents?wait=true", files={"file": ("bad.txt", data)}, data={"collection": "bad"}
    )
    assert (sent.status_code, sent.json()["code"]) == (status, code)
    (record,) = client.documents(collection="bad")
    assert record.state == "failed"
    client.delete(record.id)


def test_a_guessed_encoding_is_told(url: str, client: Client) -> None:
    data = "Un café déjà vu, très étrange, à l’hôtel de la forêt. ".encode("cp1252") * 20
    sent = httpx.post(
        f"{url}/v1/documents?wait=true", files={"file": ("old.txt", data)}, data={"collection": "fr"}
    )
    assert [notice["code"] for notice in sent.json()["notices"]] == ["encoding_guess"]
    client.delete(sent.json()["document_id"])


def test_text_in_json_is_markdown_unless_its_source_says_text(url: str, client: Client) -> None:
    for source, chapter in (("id-7", "Title / Part"), ("notes.txt", "")):
        body = {"text": "# Title\n\n## Part\n\nThe words.", "source": source, "collection": "json"}
        made = httpx.post(f"{url}/v1/documents?wait=true", json=body).json()
        hits = client.retrieve("words", collection="json").hits
        assert any(hit.chunk.chapter_path == chapter for hit in hits), source
        client.delete(made["document_id"])


def test_an_ingest_by_http_is_what_an_ingest_in_process_is(pipeline: Pipeline, client: Client) -> None:
    source = Source("twice.md", b"# Twice\n\nIngested once here and once there.")
    here = pipeline.ingest(source, collection="twice")
    there = client.ingest(source, collection="twice")
    assert there.state == "unchanged"
    assert replace(there.document, notices=()) == replace(here.document, notices=())
    client.delete(here.document.id)
    assert pipeline.documents(collection="twice") == []
