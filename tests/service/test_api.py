"""The native routes keep their shapes, on a real server."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import httpx
import pytest

from answering import SELECTORS
from tests.support.served import TALE, Served, problem_of, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def test_retrieve_gives_hits_whose_text_is_the_slice_they_name(server: Served) -> None:
    reply = server.send("/v1/retrieve", question="When did the supply boat come?", k=1)
    assert reply.status_code == 200
    (hit,) = reply.json()["hits"]
    assert set(hit) >= {
        "rank", "score", "chunk_id", "document_id", "title", "chapter", "start", "end", "text",
    }  # fmt: skip
    assert hit["rank"] == 1
    assert hit["text"] == TALE[hit["start"] : hit["end"]]
    assert hit["title"] == "The Lighthouse"
    assert hit["chapter"] == " / ".join(hit["headings"]) == "The Lighthouse / Two"


def test_answer_adds_the_sentence_and_the_decision(server: Served) -> None:
    reply = server.send("/v1/answer", question="Who painted the door green?").json()
    answer = reply["answer"]
    assert answer["text"] == "The keeper painted the door green." == TALE[answer["start"] : answer["end"]]
    assert answer["chunk_id"] == reply["hits"][0]["chunk_id"]
    assert reply["reason"] == "answered"
    assert reply["probability"] >= reply["threshold"]
    assert reply["candidates"] is None
    assert reply["selector"] == "clean"


def test_a_question_may_name_its_selector(server: Served) -> None:
    asked = {"question": "Who painted the door green?"}
    assert server.send("/v1/answer", **asked, selector="cnn-cnt").json()["selector"] == "cnn-cnt"
    assert server.send("/v1/answer", **asked, selector=None).json()["selector"] == "clean"
    problem = problem_of(server.send("/v1/answer", **asked, selector="psychic"), 422, "invalid_value")
    assert all(name in problem["detail"] for name in (*SELECTORS, "'psychic'"))
    assert server.send("/v1/answer", **asked, selector=1).status_code == 422
    assert server.send("/v1/retrieve", **asked, selector="cnn-cnt").status_code == 422


def test_no_answer_is_null_with_a_reason_and_the_closest_passages(server: Served) -> None:
    reply = server.send("/v1/answer", question="Which emperor invaded Portugal on elephants?").json()
    assert reply["answer"] is None
    assert reply["reason"] == "no_evidence"
    assert reply["hits"]


def test_candidates_come_ranked_when_asked_for(server: Served) -> None:
    asked = {"question": "Who painted the door green?", "candidates": True}
    ranked = server.send("/v1/answer", **asked).json()["candidates"]
    scores = [sentence["score"] for sentence in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(sentence["text"] == TALE[sentence["start"] : sentence["end"]] for sentence in ranked)


def test_chunk_cuts_by_name_and_size_and_stores_nothing(server: Served) -> None:
    before = server.http.get("/v1/documents").json()
    reply = server.send("/v1/chunk", text=TALE, chunker="fixed", size=50, overlap=10)
    chunks = reply.json()["chunks"]
    assert all(set(chunk) == {"id", "start", "end", "text", "chapter", "propositions"} for chunk in chunks)
    assert all(chunk["text"] == TALE[chunk["start"] : chunk["end"]] for chunk in chunks)
    assert max(len(chunk["text"]) for chunk in chunks) <= 50
    assert len({chunk["id"] for chunk in chunks}) == len(chunks) > 3
    assert server.http.get("/v1/documents").json() == before


def test_chunk_of_a_blank_text_is_no_chunk(server: Served) -> None:
    assert server.send("/v1/chunk", text=" \n ").json() == {"chunks": [], "notices": [], "counts": {}}


def test_health_and_readiness(server: Served) -> None:
    assert server.http.get("/healthz").json()["status"] == "ok"
    assert server.http.get("/readyz").json()["status"] == "ready"


def test_not_ready_is_503_while_alive_and_answering() -> None:
    with served(ready=threading.Event()) as starting:
        problem_of(starting.http.get("/readyz"), 503, "unavailable")
        assert starting.http.get("/healthz").status_code == 200
        assert starting.send("/v1/retrieve", question="the door").status_code == 200


def test_the_openapi_page_needs_nothing_from_elsewhere(server: Served) -> None:
    page = server.http.get("/docs").text
    links = re.findall(r"""(?:src|href)=["']([^"']+)""", page)
    assert "/docs/assets/swagger-ui-bundle.js" in links
    assert not [link for link in links if link.startswith(("http", "//"))]
    for link in links:
        if link.startswith("/"):
            assert server.http.get(link).status_code == 200, link


def test_the_openapi_description_holds_every_route_and_both_document_bodies(server: Served) -> None:
    paths = server.http.get("/openapi.json").json()["paths"]
    assert {
        "/v1/retrieve", "/v1/answer", "/v1/chunk", "/v1/documents", "/v1/documents/{document_id}",
        "/v1/jobs/{job_id}", "/v1/reindex", "/healthz", "/readyz",
    } <= set(paths)  # fmt: skip
    bodies = paths["/v1/documents"]["post"]["requestBody"]["content"]
    assert set(bodies) == {"multipart/form-data", "application/json"}
    assert "application/problem+json" in paths["/v1/answer"]["post"]["responses"]["422"]["content"]


def test_a_problem_s_type_says_what_it_means(server: Served) -> None:
    problem = problem_of(server.send("/v1/retrieve", question=" "), 422, "invalid_question")
    meaning = httpx.get(server.url + problem["type"]).json()
    assert meaning == {
        "code": "invalid_question",
        "title": "A question that is blank or too long",
        "status": 422,
        "exit_code": 2,
    }
