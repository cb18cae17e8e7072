from __future__ import annotations

import logging
from pathlib import Path

import pytest

from core.errors import ServerUnreachable, StoreError
from service.page.desk import Desk
from tests.support.fake_sawyer import FakeSawyer

BOOK = b"# Herons\n\nThe heron stood in the lake."


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    path = tmp_path / "cleaned-name.md"
    path.write_bytes(BOOK)
    return path


def test_a_file_is_added_under_its_own_name_and_its_copy_removed(upload: Path) -> None:
    sawyer = FakeSawyer()
    stages: list[str] = []
    html = Desk(sawyer).add("a <b> herons.md", upload, lambda stage, *_: stages.append(stage))
    assert "is ready" in html
    assert [record.source for record in sawyer.documents()] == ["a <b> herons.md"]
    assert stages == ["reading", "chunking", "embedding", "indexing"]
    assert not upload.exists()


def test_a_file_whose_ingest_fails_leaves_no_copy_either(upload: Path) -> None:
    html = Desk(FakeSawyer(failure=StoreError("the disk must have room, got none"))).add("a.md", upload)
    assert "a.md</bdi> was not added: the disk must have room, got none" in html
    assert not upload.exists()


def test_a_file_that_has_gone_is_a_sentence_and_no_traceback(upload: Path) -> None:
    upload.unlink()
    assert "incident" in Desk(FakeSawyer()).add("a.md", upload)


def test_an_unforeseen_error_shows_its_number_and_logs_its_cause(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        html = Desk(FakeSawyer(failure=RuntimeError("a path of this machine"))).ask("Where?")
    assert "a path of this machine" not in html
    assert "incident" in html
    assert "a path of this machine" in caplog.text


def test_a_question_is_asked_by_the_chosen_selector_or_as_the_server_is_set(upload: Path) -> None:
    desk = Desk(FakeSawyer())
    desk.add("herons.md", upload)
    assert "Chosen by wd-cnt, which answers from 0.50" in desk.ask("Where stood the heron?", "wd-cnt")
    assert "Chosen by clean" in desk.ask("Where stood the heron?")
    assert "The best sentence, chosen by cnn, reaches 0.00" in desk.ask("Which comet?", "cnn")
    assert "a selector must be one of" in desk.ask("Where?", "psychic")


def test_an_error_of_the_tree_is_shown_in_its_own_words() -> None:
    assert "visible character" in Desk(FakeSawyer()).ask("  ")


def test_the_overview_leaves_out_what_is_being_deleted_and_looks_again_while_something_changes(
    upload: Path,
) -> None:
    sawyer = FakeSawyer()
    desk = Desk(sawyer)
    assert desk.overview().changing
    desk.add("herons.md", upload)
    (record,) = sawyer.documents()
    assert desk.overview().names == ("herons.md",)
    assert not desk.overview().changing
    sawyer.pretend(record.id, state="pending")
    assert desk.overview().changing
    assert desk.overview().names == ()
    sawyer.pretend(record.id, state="deleted")
    assert "No texts yet" in desk.overview().html


@pytest.mark.parametrize(
    ("failure", "passing"),
    [(ServerUnreachable("nobody answers"), True), (StoreError("the catalog is broken"), False)],
)
def test_the_overview_says_why_it_cannot_list_and_tries_again_when_that_may_help(
    failure: Exception, passing: bool
) -> None:
    seen = Desk(FakeSawyer(failure=failure)).overview()
    assert str(failure) in seen.html
    assert seen.names is None
    assert seen.changing == passing
