"""One process serves one data directory: it says when it is ready, and leaves in order when told to."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest

from core.errors import DataDirectoryBusy, InvalidValue, ServerUnreachable
from service.client import Client
from service.ownership import CARD, find_owner
from service.serving import serve
from service.settings import Settings
from service.values import Source
from tests.support.served import GatedSawyer, problem_of
from tests.support.serving_process import serving


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port: int = reserved.getsockname()[1]
        return port


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_one_line_serves_quietly_and_leaves_in_order(tmp_path: Path, number: int) -> None:
    with serving(tmp_path) as running:
        url = running.url()
        owner = find_owner(tmp_path)
        assert owner is not None
        assert (owner.url, owner.server, owner.pid) == (url, True, running.process.pid)
        with Client(url) as client:
            answer = client.ask("How many volumes bound in green sailcloth did the Tide Book fill?")
            assert answer.decision.answer is not None
        assert httpx.get(f"{url}/readyz").status_code == 200
        broken = {"content-type": "multipart/form-data; boundary=x"}
        assert httpx.post(f"{url}/v1/documents", content=b"{", headers=broken).status_code == 422
        status, out, err, seconds = running.stop(number)
        assert (status, out, err) == (0, "closed\n", "")
        assert seconds < 5
    assert find_owner(tmp_path) is None
    assert not (tmp_path / CARD).exists()


def test_the_sample_is_there_at_the_first_start_and_not_again_once_deleted(tmp_path: Path) -> None:
    with serving(tmp_path) as first, Client(first.url()) as client:
        (record,) = client.documents()
        assert (record.collection, record.source, record.title) == (
            "default", "the_tide_book.md", "The Tide Book",
        )  # fmt: skip
        client.delete(record.id)
        first.stop(signal.SIGTERM)
    with serving(tmp_path) as second, Client(second.url()) as client:
        assert client.documents() == []


def test_it_answers_before_it_is_ready_and_is_announced_after(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with serving(tmp_path, port=port, opens=3) as running:
        for _ in range(500):
            try:
                early = httpx.get(f"{url}/readyz")
                break
            except httpx.TransportError:
                time.sleep(0.02)
        problem_of(early, 503, "unavailable")
        assert httpx.get(f"{url}/healthz").status_code == 200
        owner = find_owner(tmp_path)
        assert owner is not None
        assert (owner.server, owner.url) == (True, None)
        assert running.url() == url
        assert httpx.get(f"{url}/readyz").status_code == 200


def test_a_server_that_cannot_be_announced_says_so_and_serves(tmp_path: Path) -> None:
    with serving(tmp_path, opens=2) as running:
        while not (tmp_path / CARD).is_file():
            time.sleep(0.02)
        (tmp_path / f"{CARD}.new").mkdir()  # the card cannot be replaced: stands in for a full disk
        assert httpx.get(f"{running.url()}/readyz").status_code == 200
        status, _, err, _ = running.stop(signal.SIGTERM)
        assert status == 0
        assert err.count("\n") == 1
        assert "data directory must be a folder that can be written" in err


def test_a_second_server_is_refused_at_once_naming_the_first(tmp_path: Path) -> None:
    with serving(tmp_path) as running:
        url = running.url()
        started = time.monotonic()
        with pytest.raises(DataDirectoryBusy, match=url):
            serve(Settings.load(data_dir=tmp_path, port=0), open_sawyer=never_opened)
        assert time.monotonic() - started < 1


def test_a_taken_port_is_told_with_a_remedy_and_frees_the_directory(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidValue, match=rf"127\.0\.0\.1:{port}.*--port"):
            serve(Settings.load(data_dir=tmp_path, port=port), open_sawyer=never_opened)
    assert find_owner(tmp_path) is None


def test_a_wrong_allowed_host_is_told_before_anything_is_opened(tmp_path: Path) -> None:
    settings = Settings.load(data_dir=tmp_path / "new", port=0, allowed_hosts="*")
    with pytest.raises(InvalidValue, match="SAWYER_ALLOWED_HOSTS"):
        serve(settings, open_sawyer=never_opened)
    assert not (tmp_path / "new").exists()


def never_opened(settings: Settings) -> GatedSawyer:
    raise AssertionError("the stores must not be opened")


def test_a_running_job_is_stopped_at_its_next_step_within_the_grace(tmp_path: Path) -> None:
    (tmp_path / "sample.offered").touch()
    with serving(tmp_path, opens=600) as running:
        url = running.url()
        job = httpx.post(f"{url}/v1/documents", json={"text": "Endless."}).json()["job_id"]
        for _ in range(500):
            if httpx.get(f"{url}/v1/jobs/{job}").json()["state"] == "running":
                break
            time.sleep(0.01)
        status, out, _, seconds = running.stop(signal.SIGTERM)
        assert (status, out) == (0, "closed\n")
        assert seconds < 15


def test_a_client_that_waits_is_told_when_the_server_goes(tmp_path: Path) -> None:
    (tmp_path / "sample.offered").touch()
    with serving(tmp_path, opens=600) as running, Client(running.url()) as client:
        told: list[str] = []

        def stop(stage: str, done: int, total: int) -> None:
            if not told:
                running.process.send_signal(signal.SIGTERM)
            told.append(stage)

        with pytest.raises(ServerUnreachable):
            client.ingest(Source("x.txt", b"Endless."), progress=stop)


def test_a_request_that_waits_is_answered_when_the_server_goes(tmp_path: Path) -> None:
    (tmp_path / "sample.offered").touch()
    with serving(tmp_path, opens=600) as running:
        url = running.url()
        timer = threading.Timer(0.5, running.process.send_signal, [signal.SIGTERM])
        timer.start()
        cut_off = httpx.post(f"{url}/v1/documents?wait=true", json={"text": "Endless."}, timeout=60)
        problem_of(cut_off, 503, "unavailable")
        _, err = running.process.communicate(timeout=60)
        assert "Traceback" not in err


def test_the_chat_page_stands_beside_the_api_behind_the_same_guard(tmp_path: Path) -> None:
    with serving(tmp_path, chat=True) as running:
        url = running.url()
        with httpx.Client(base_url=url) as http:
            page = http.get("/")
            assert page.status_code == 200
            assert "text/html" in page.headers["content-type"]
            config = http.get("/config").json()
            assert http.get("/healthz").status_code == 200
            problem_of(http.get("/v1/nowhere"), 404, "not_found")
            problem_of(http.get("/v1/retrieve"), 405, "method_not_allowed")
            prefix = config.get("api_prefix", "")
            for path in ("/", "/config", f"{prefix}/info", f"{prefix}/queue/join", "/docs"):
                problem_of(http.get(path, headers={"host": "evil.example"}), 403, "refused")
                planted = http.post(path, content=json.dumps({}), headers={"origin": "http://evil.example"})
                problem_of(planted, 403, "refused")
        status, out, err, seconds = running.stop(signal.SIGTERM)
        assert (status, out, err) == (0, "closed\n", "")
        assert seconds < 10
