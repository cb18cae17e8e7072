"""A Chinese question on a Chinese text, with the real parts, in process, over HTTP and by command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.values import Span
from service.api.app import create_app
from service.cli import main
from service.jobs import Jobs
from service.pipeline import Pipeline, build
from service.settings import Settings
from service.values import Source
from tests.support.live_server import live_server

TEXT = (
    "# 灯塔\r\n\r\n## 守塔人\r\n\r\n玛伦在岛上守了十一年的灯塔。每天晚上她提着一罐油走上九十一级台阶。"
    "九海里以外都能看见那盏灯！\r\n\r\n## 来信\r\n\r\n三月里从大陆来了一封信。"
    "信上说，夏至那天要熄灭灯塔，因为渡船夜里不再来了。玛伦把信读了两遍，压在面包盒底下。\r\n"
)
ASKED = {
    "玛伦在岛上守了多少年的灯塔？": "玛伦在岛上守了十一年的灯塔。",
    "玛伦把信读了几遍，压在哪里？": "玛伦把信读了两遍，压在面包盒底下。",
}


@pytest.fixture(scope="module")
def sawyer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    with build(Settings.load(data_dir=tmp_path_factory.mktemp("data"))) as opened:
        assert opened.ingest(Source("灯塔.md", TEXT.encode())).state == "ready"
        yield opened


@pytest.fixture(scope="module")
def url(sawyer: Pipeline) -> Iterator[str]:
    jobs = Jobs(sawyer)
    with live_server(create_app(sawyer, jobs, max_document_bytes=1_000_000)) as served_at:
        yield served_at
    assert jobs.close()


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("data", [TEXT.encode(), TEXT.encode("utf-16"), TEXT.encode("gb18030")])
def test_in_process_whatever_the_encoding_of_the_file(sawyer: Pipeline, question: str, data: bytes) -> None:
    source = Source("灯塔.md", data)
    assert sawyer.ingest(source, collection="once").state in ("ready", "unchanged")
    answer = sawyer.ask(question, collection="once")
    best = answer.decision.answer
    assert best is not None, answer.decision
    assert best.candidate.text == ASKED[question] == best.candidate.span.of(TEXT)
    assert answer.hits[0].chunk.chapter[0] == "灯塔"


@pytest.mark.parametrize("question", ASKED)
def test_over_http(url: str, question: str) -> None:
    reply = httpx.post(f"{url}/v1/answer", json={"question": question}).json()
    answer = reply["answer"]
    assert answer["text"] == ASKED[question] == Span(answer["start"], answer["end"]).of(TEXT)
    assert reply["hits"][0]["title"] == "灯塔"


@pytest.mark.parametrize("question", ASKED)
def test_by_command_line(url: str, question: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--url", url, "--json", question]) == 0
    answer = json.loads(capsys.readouterr().out)["answer"]
    assert answer["text"] == ASKED[question] == Span(answer["start"], answer["end"]).of(TEXT)
    assert main(["ask", "--url", url, question]) == 0
    assert capsys.readouterr().out.splitlines()[0] == ASKED[question]


def test_what_it_does_not_say_is_no_answer(sawyer: Pipeline) -> None:
    assert sawyer.ask("哪位皇帝骑着大象翻过了雪山？").decision.answer is None


def test_a_chinese_file_is_cut_by_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "灯塔.md").write_bytes(TEXT.encode())
    assert main(["chunk", "--chunker", "sentence", str(tmp_path / "灯塔.md")]) == 0
    chunks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(chunk["text"] == Span(chunk["start"], chunk["end"]).of(TEXT) for chunk in chunks)
    assert set(ASKED.values()) <= {chunk["text"] for chunk in chunks}
