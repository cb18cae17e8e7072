"""Documents over HTTP: sent as a form or as text, followed as jobs, deleted."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from core.identity import document_id
from tests.support.served import MAX_DOCUMENT_BYTES, Served, problem_of, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def ended(server: Served, job_id: str) -> dict[str, object]:
    for _ in range(500):
        job: dict[str, object] = server.http.get(f"/v1/jobs/{job_id}").json()
        if job["state"] in ("done", "failed"):
            return job
        time.sleep(0.01)
    raise AssertionError(job)


def test_an_upload_is_202_and_its_job_ends_done(server: Served) -> None:
    reply = server.upload("boats.md", b"# Boats\n\nThe ferry is blue.", "/v1/documents")
    assert reply.status_code == 202
    sent = reply.json()
    assert sent["document_id"] == document_id("default", "boats.md")
    assert sent["state"] == "pending"
    job = ended(server, sent["job_id"])
    assert (job["state"], job["kind"], job["document_id"]) == ("done", "ingest", sent["document_id"])
    assert (job["stage"], job["done"], job["total"]) == ("indexing", 1, 1)
    hit = server.send("/v1/retrieve", question="Where is the blue ferry?", k=1).json()["hits"][0]
    assert hit["document_id"] == sent["document_id"]


def test_waiting_gives_the_final_state(server: Served) -> None:
    first = server.upload("twice.txt", b"The same bytes.")
    again = server.upload("twice.txt", b"The same bytes.")
    assert (first.status_code, first.json()["state"]) == (200, "ready")
    assert (again.status_code, again.json()["state"]) == (200, "unchanged")


def test_text_as_json_is_a_document_under_its_source(server: Served) -> None:
    reply = server.send(
        "/v1/documents?wait=true",
        text="Die Fähre ist blau.",
        title="Fähre",
        source="notes/7",
        collection="de",
    )
    assert reply.json()["document_id"] == document_id("de", "notes/7")
    (record,) = server.http.get("/v1/documents", params={"collection": "de"}).json()["documents"]
    assert (record["title"], record["source"], record["state"]) == ("Fähre", "notes/7", "ready")
    assert record["characters"] == len("Die Fähre ist blau.")


def test_text_without_a_source_is_its_own_identity(server: Served) -> None:
    first = server.send("/v1/documents?wait=true", text="Nobody named me.").json()
    again = server.send("/v1/documents?wait=true", text="Nobody named me.").json()
    other = server.send("/v1/documents?wait=true", text="Nor me.").json()
    assert first["document_id"] == again["document_id"] != other["document_id"]
    assert again["state"] == "unchanged"


def test_form_fields_name_the_document(server: Served) -> None:
    server.upload("x.txt", b"A named text.", source="mine", title="My Title", collection="named")
    (record,) = server.http.get("/v1/documents?collection=named").json()["documents"]
    assert (record["source"], record["title"]) == ("mine", "My Title")


def test_the_list_holds_every_collection_in_order(server: Served) -> None:
    for source in ("b", "a"):
        server.send("/v1/documents?wait=true", text="A text.", source=source, collection="zoo")
    records = server.http.get("/v1/documents").json()["documents"]
    keys = [(record["collection"], record["source"]) for record in records]
    assert keys == sorted(keys)
    assert {("default", "tale.md"), ("zoo", "a"), ("zoo", "b")} <= set(keys)


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("empty.txt", b"", 422, "empty_document"),
        ("blank.txt", b" \n\t\n", 422, "empty_document"),
        ("image.png", b"\x89PNG\r\n\x1a\n\x00\x00", 415, "unsupported_format"),
        ("big.txt", b"x" * (MAX_DOCUMENT_BYTES + 1), 413, "too_large"),
    ],
)
def test_a_document_that_cannot_be_read_is_a_problem_of_its_own(
    server: Served, name: str, data: bytes, status: int, code: str
) -> None:
    problem_of(server.upload(name, data), status, code)


def test_a_failed_job_says_why_and_which_document(server: Served) -> None:
    problem = problem_of(server.upload("void.txt", b"  "), 422, "empty_document")
    job = server.http.get(f"/v1/jobs/{problem['job_id']}").json()
    assert (job["state"], job["code"], job["detail"]) == ("failed", "empty_document", problem["detail"])
    assert job["document_id"] == problem["document_id"]
    assert job["report"]["document"]["state"] == "failed"


def test_an_unforeseen_failure_of_a_job_shows_a_number(server: Served) -> None:
    server.sawyer.failure = ZeroDivisionError("the secret of the house")
    reply = server.upload("boom.txt", b"text")
    problem_of(reply, 500, "error")
    assert "secret" not in reply.text
    assert server.upload("after.txt", b"The worker lives on.").status_code == 200


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\books\\emma.txt", "emma.txt"),
        ("/abs/olute.md", "olute.md"),
        ("<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>.txt"),
        ("海上生明月.txt", "海上生明月.txt"),
    ],
)
def test_a_file_name_is_reduced_to_its_last_part(server: Served, sent: str, stored: str) -> None:
    reply = server.upload(sent, f"A text called {stored}.".encode())
    assert reply.json()["document_id"] == document_id("default", stored)


@pytest.mark.parametrize("name", [b"a\x00b.txt", b"a\x1bb.txt", b"..", b"../", b" ", b"x" * 300])
def test_a_file_name_that_names_no_file_is_refused(server: Served, name: bytes) -> None:
    body = (
        b'--b\r\ncontent-disposition: form-data; name="file"; filename="'
        + name
        + b'"\r\n\r\nA text.\r\n--b--\r\n'
    )
    reply = server.http.post(
        "/v1/documents", content=body, headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert reply.status_code == 422
    assert reply.json()["code"] in ("invalid_value", "invalid_input")
    assert "passwd" not in reply.text


@pytest.mark.parametrize("source", ["", " \n", "a\x00b", "x" * 1025])
def test_a_source_that_names_nothing_is_refused(server: Served, source: str) -> None:
    problem_of(server.send("/v1/documents", text="A text.", source=source), 422, "invalid_value")


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [("title", (None, "no file"))],
        [("file", ("a.txt", b"one")), ("file", ("b.txt", b"two"))],
        [("file", ("a.txt", b"one")), ("colour", (None, "green"))],
        [("file", ("a.txt", b"one")), ("title", (None, "one")), ("title", (None, "two"))],
        [("file", ("a.txt", b"one")), ("title", ("c.txt", b"a file as a title"))],
        [("file", (None, "a field as a file"))],
    ],
)
def test_a_form_that_is_not_one_file_and_known_fields_is_refused(
    server: Served, parts: list[tuple[str, tuple[str | None, bytes | str]]]
) -> None:
    sent = parts or [("nothing", (None, ""))]
    assert server.http.post("/v1/documents", files=sent).status_code == 422


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=b",
        "multipart/form-data; boundary=b; charset=idna",
        "multipart/form-data; boundary=b; charset=base64",
        "multipart/form-data; boundary=",
    ],
)
@pytest.mark.parametrize(
    "body", [b"", b"junk", b"--b\r\n\r\nx\r\n--b--", b"--b\r\ncontent-disposition: form-data"]
)
def test_a_broken_form_is_refused(server: Served, kind: str, body: bytes) -> None:
    assert server.post("/v1/documents", body, kind).status_code == 422


def test_a_charset_that_smuggles_surrogates_in_is_refused(server: Served) -> None:
    fields = b'--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n+2AA-\r\n'
    file = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nA text.\r\n--b--\r\n'
    reply = server.post("/v1/documents", fields + file, "multipart/form-data; boundary=b; charset=utf-7")
    assert reply.status_code == 422


def test_delete_hides_and_a_second_delete_is_404(server: Served) -> None:
    sent = server.upload("gone.txt", b"Soon gone.").json()["document_id"]
    reply = server.http.delete(f"/v1/documents/{sent}")
    assert (reply.status_code, reply.json()) == (200, {"document_id": sent, "state": "purged"})
    problem_of(server.http.delete(f"/v1/documents/{sent}"), 404, "not_found")


def test_an_unknown_job_is_404(server: Served) -> None:
    problem_of(server.http.get("/v1/jobs/nothing"), 404, "not_found")


def test_reindex_is_a_job(server: Served) -> None:
    reply = server.send("/v1/reindex")
    assert reply.status_code == 202
    job = ended(server, reply.json()["job_id"])
    assert (job["kind"], job["state"]) == ("reindex", "done")
    assert job["documents"] == len(server.sawyer.documents())


def test_questions_are_answered_while_an_ingest_runs_and_its_stage_shows() -> None:
    with served() as busy:
        busy.sawyer.gate.clear()
        sent = busy.upload("slow.txt", b"A slow text.", "/v1/documents").json()
        assert busy.sawyer.entered.wait(5)
        assert busy.send("/v1/answer", question="Who painted the door green?").json()["answer"]
        for _ in range(500):
            job = busy.http.get(f"/v1/jobs/{sent['job_id']}").json()
            if job["stage"]:
                break
        assert (job["state"], job["stage"], job["done"], job["total"]) == ("running", "embedding", 1, 2)
        waiting = busy.upload("next.txt", b"Next.", "/v1/documents").json()
        assert busy.http.get(f"/v1/jobs/{waiting['job_id']}").json()["state"] == "queued"
        busy.sawyer.gate.set()
        assert ended(busy, waiting["job_id"])["state"] == "done"


def test_a_caller_that_stops_waiting_does_not_stop_the_job() -> None:
    with served() as busy:
        busy.sawyer.gate.clear()
        with pytest.raises(httpx.ReadTimeout):
            busy.http.post(
                "/v1/documents?wait=true", json={"text": "Patience.", "source": "left"}, timeout=0.3
            )
        busy.sawyer.gate.set()
        for _ in range(500):
            if any(record.source == "left" for record in busy.sawyer.documents()):
                break
            time.sleep(0.01)
        assert "left" in {record.source for record in busy.sawyer.documents()}
