from __future__ import annotations

from pathlib import Path

import pytest

import gradio_app
from service.ownership import own


def test_a_url_where_nobody_answers_is_a_sentence_and_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = gradio_app.main(["--url", "http://127.0.0.1:9", "--port", "0", "--data-dir", str(tmp_path)])
    assert code == 11
    assert "http://127.0.0.1:9" in capsys.readouterr().err


def test_without_a_url_it_becomes_the_server_and_so_respects_the_owner_of_the_data_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAWYER_LOCK_WAIT", "0")
    with own(tmp_path):
        code = gradio_app.main(["--data-dir", str(tmp_path), "--port", "0"])
    assert code == 6
    assert "must have one owner" in capsys.readouterr().err
