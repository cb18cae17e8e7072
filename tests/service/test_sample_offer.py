"""The bundled story is offered to a new data directory, once."""

from __future__ import annotations

from pathlib import Path

from service.sample import offer_sample, sample_sources
from service.values import Source
from tests.support.fake_sawyer import FakeSawyer


def test_the_sample_is_a_story_and_nothing_else() -> None:
    assert [source.name for source in sample_sources()] == ["the_tide_book.md"]


def test_a_new_directory_gets_it(tmp_path: Path) -> None:
    sawyer = FakeSawyer()
    assert [report.state for report in offer_sample(sawyer, tmp_path)] == ["ready"]
    assert len(sawyer.documents(collection="default")) == 1


def test_one_who_deleted_it_does_not_find_it_again(tmp_path: Path) -> None:
    sawyer = FakeSawyer()
    (report,) = offer_sample(sawyer, tmp_path)
    sawyer.delete(report.document.id)
    assert offer_sample(sawyer, tmp_path) == []
    assert sawyer.documents() == []


def test_a_directory_with_documents_gets_none_now_or_later(tmp_path: Path) -> None:
    sawyer = FakeSawyer()
    mine = sawyer.ingest(Source("mine.txt", b"My own text."))
    assert offer_sample(sawyer, tmp_path) == []
    sawyer.delete(mine.document.id)
    assert offer_sample(sawyer, tmp_path) == []
