"""What becomes of a document: ingested, repeated, replaced, failed, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InvalidValue, NotFound, ProviderError
from core.identity import document_id
from service.pipeline import Pipeline
from service.values import Source
from tests.support.fakes import HashEmbedder
from tests.support.generations import files_holding
from tests.support.pipelines import HARBOUR, FailingEmbedder, ids, pipeline, tell

OLD = "The zebrawood chest stood in the hall. It was locked with an iron key.\n"
NEW = "The cedarwood chest stood in the attic. It was never locked at all.\n"
# Two batches of windows and a little more, so that an embedder can fail between them.
LONG = "".join(
    f"Chapter {n} tells how the ferryman counted his oars and found {n} of them.\n\n" for n in range(3_000)
)


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def sawyer(tmp_path: Path, embedder: HashEmbedder) -> Iterator[Pipeline]:
    with pipeline(tmp_path, embedder=embedder) as opened:
        yield opened


# -- the same again -------------------------------------------------------------------------------


def test_the_same_bytes_are_unchanged_and_embed_nothing(sawyer: Pipeline, embedder: HashEmbedder) -> None:
    first = tell(sawyer, HARBOUR)
    embedded = embedder.calls
    again = tell(sawyer, HARBOUR)
    assert (first.state, again.state) == ("ready", "unchanged")
    assert again.document == first.document
    assert embedder.calls == embedded > 0


@pytest.mark.parametrize("title", ["A Night at Sea", "  A  Night\n at Sea ", "x" * 500, " ", None])
def test_the_same_bytes_under_the_same_title_are_unchanged(sawyer: Pipeline, title: str | None) -> None:
    first = sawyer.ingest(Source("a.md", HARBOUR.encode(), title))
    assert first.state == "ready"
    assert sawyer.ingest(Source("a.md", HARBOUR.encode(), title)).state == "unchanged"


def test_another_title_takes_the_place_of_the_first_and_embeds_nothing(
    sawyer: Pipeline, embedder: HashEmbedder
) -> None:
    first = tell(sawyer, HARBOUR)
    embedded = embedder.calls
    renamed = sawyer.ingest(Source("a.md", HARBOUR.encode(), "A Night at Sea"))
    assert (renamed.state, renamed.document.title) == ("ready", "A Night at Sea")
    assert renamed.document.id == first.document.id
    assert embedder.calls == embedded
    found = sawyer.retrieve("Who lit the lamp?")
    assert set(found.titles.values()) == {"A Night at Sea"}
    assert tell(sawyer, HARBOUR).document.title == "A Night at Sea", "no title means the one it has"


def test_the_same_bytes_as_another_format_are_read_anew(sawyer: Pipeline) -> None:
    def chapters() -> set[str]:
        return {hit.chunk.chapter_path for hit in sawyer.retrieve("Who lit the lamp?").hits}

    sawyer.ingest(Source("id-7", HARBOUR.encode(), "T", "text/plain"))
    assert chapters() == {""}
    assert sawyer.ingest(Source("id-7", HARBOUR.encode(), "T", "text/markdown")).state == "ready"
    assert chapters() >= {"The Harbour / Night", "The Harbour / Morning"}
    assert sawyer.ingest(Source("id-7", HARBOUR.encode(), "T", "text/markdown")).state == "unchanged"
    refused = sawyer.ingest(Source("id-7", HARBOUR.encode(), "T", "image/png"))
    assert (refused.state, refused.error_code) == ("failed", "unsupported_format")


def test_the_same_bytes_elsewhere_say_whose_they_are(sawyer: Pipeline) -> None:
    first = tell(sawyer, HARBOUR, "first.md")
    second = tell(sawyer, HARBOUR, "second.md")
    apart = tell(sawyer, HARBOUR, "second.md", collection="apart")
    assert second.document.duplicate_of == first.document.id
    assert (first.document.duplicate_of, apart.document.duplicate_of) == (None, None)
    sawyer.delete(first.document.id)
    assert [record.duplicate_of for record in sawyer.documents(collection="default")] == [None]


# -- replaced -------------------------------------------------------------------------------------


def test_changed_bytes_take_the_place_of_the_old_ones_whole(sawyer: Pipeline, tmp_path: Path) -> None:
    first = tell(sawyer, OLD)
    old_ids = ids(sawyer.retrieve("Where did the zebrawood chest stand?"))
    second = tell(sawyer, NEW)
    assert (second.state, second.document.id) == ("ready", first.document.id)
    for retriever in ("dense", "lexical", "hybrid"):
        answer = sawyer.ask("Where did the zebrawood chest stand, and was it locked?", retriever=retriever)
        assert answer.hits
        assert not set(ids(answer)) & set(old_ids)
        assert all(hit.chunk.text in NEW for hit in answer.hits)
    assert sawyer.ask("Where is zebrawood?", retriever="lexical").hits == []
    assert files_holding(tmp_path, b"zebrawood") == [], "not hidden only but gone"


def test_a_replacement_that_cannot_be_read_leaves_the_old_text_and_says_why(sawyer: Pipeline) -> None:
    tell(sawyer, OLD)
    before = sawyer.ask("Where did the zebrawood chest stand?")
    report = sawyer.ingest(Source("a.md", b"\x89PNG\r\n\x1a\n\x00"))
    assert (report.state, report.error_code) == ("failed", "unsupported_format")
    assert "PNG" in report.reason
    (record,) = sawyer.documents()
    assert (record.state, record.reason) == ("failed", report.reason)
    assert record.characters == len(OLD), "the record tells of what is retrievable"
    assert sawyer.ask("Where did the zebrawood chest stand?") == before
    assert tell(sawyer, OLD).document.state == "ready", "the old bytes again end the failure"


# -- failed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 2])
def test_an_embedder_that_fails_leaves_no_half_document(tmp_path: Path, at: int) -> None:
    embedder = FailingEmbedder(ProviderError("the endpoint gave no reply"), at=at)
    with pipeline(tmp_path, embedder=embedder) as sawyer:
        report = sawyer.ingest(Source("a.md", LONG.encode()))
        assert (report.state, report.error_code) == ("failed", "provider_error")
        assert report.reason == "the endpoint gave no reply"
        assert (report.document.characters, report.document.chunks, report.document.windows) == (0, 0, 0)
        assert sawyer.ask("Who counted his oars?").decision.reason == "empty_collection"
        assert files_holding(tmp_path, b"ferryman") == []
        assert tell(sawyer, LONG).state == "ready", "the same bytes are tried again"
        assert sawyer.ask("Who counted his oars?").hits


def test_an_embedder_that_fails_at_a_replacement_leaves_the_old_text(tmp_path: Path) -> None:
    embedder = FailingEmbedder(ProviderError("the endpoint gave no reply"), at=2, mends=False)
    with pipeline(tmp_path, embedder=embedder) as sawyer:
        tell(sawyer, OLD)
        before = sawyer.retrieve("Where did the zebrawood chest stand?")
        report = sawyer.ingest(Source("a.md", NEW.encode()))
        assert (report.state, report.error_code) == ("failed", "provider_error")
        assert sawyer.retrieve("Where did the zebrawood chest stand?") == before
        assert files_holding(tmp_path, b"cedarwood") == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ZeroDivisionError("a bug"), "an unexpected error ended the ingest; see the log"),
        (KeyboardInterrupt(), "interrupted"),
    ],
)
def test_what_nobody_foresaw_is_recorded_and_raised(
    tmp_path: Path, error: BaseException, reason: str
) -> None:
    with pipeline(tmp_path, embedder=FailingEmbedder(error)) as sawyer:
        with pytest.raises(type(error)):
            sawyer.ingest(Source("a.md", OLD.encode()))
        (record,) = sawyer.documents()
        assert (record.state, record.characters, record.reason) == ("failed", 0, reason)
        assert tell(sawyer, OLD).state == "ready"


def test_a_store_that_was_closed_in_the_middle_ends_what_was_pending(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if stage == "embedding":
            raise SystemExit(1)

    with pipeline(tmp_path) as sawyer, pytest.raises(SystemExit):
        sawyer.ingest(Source("a.md", OLD.encode()), progress=stop)
    with pipeline(tmp_path) as again:
        assert [record.state for record in again.documents()] == ["failed"]


# -- told -----------------------------------------------------------------------------------------


def test_progress_goes_through_the_stages_to_the_end_of_each(sawyer: Pipeline) -> None:
    told: list[tuple[str, int, int]] = []
    sawyer.ingest(Source("a.md", LONG.encode()), progress=lambda *step: told.append(step))
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == [
        "reading", "chunking", "embedding", "indexing",
    ]  # fmt: skip
    for stage in ("reading", "chunking", "embedding", "indexing"):
        steps = [(done, total) for name, done, total in told if name == stage]
        assert steps == sorted(steps)
        assert steps[0][0] == 0
        assert steps[-1][0] == steps[-1][1] > 0
    assert sum(stage == "embedding" for stage, _, _ in told) > 2


# -- deleted --------------------------------------------------------------------------------------


def test_a_deleted_document_is_purged_once_and_in_no_file(sawyer: Pipeline, tmp_path: Path) -> None:
    kept = tell(sawyer, HARBOUR, "kept.md").document
    gone = tell(sawyer, OLD, "zebra.md").document
    assert files_holding(tmp_path, b"zebrawood")
    report = sawyer.delete(gone.id)
    assert (report.document_id, report.state) == (gone.id, "purged")
    assert sawyer.documents() == [kept]
    found = sawyer.retrieve("Where did the zebrawood chest stand?")
    assert {hit.chunk.document_id for hit in found.hits} == {kept.id}
    assert files_holding(tmp_path, b"zebrawood") == []
    with pytest.raises(NotFound, match=gone.id):
        sawyer.delete(gone.id)


def test_the_last_document_of_a_collection_takes_the_collection_along(sawyer: Pipeline) -> None:
    gone = tell(sawyer, OLD, collection="tales").document
    sawyer.delete(gone.id)
    assert sawyer.documents() == []
    with pytest.raises(NotFound, match="there is no collection 'tales'"):
        sawyer.retrieve("Where did the chest stand?", collection="tales")
    assert tell(sawyer, OLD, collection="tales").state == "ready"


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", " ", "\n", "a\x00b", "a\nb", "a\x7f", "\ud800", "x" * 129])
def test_a_collection_s_name_outside_its_rule_is_refused(sawyer: Pipeline, name: str) -> None:
    for refused in (
        lambda: sawyer.ingest(Source("a.md", OLD.encode()), collection=name),
        lambda: sawyer.retrieve("Where did the chest stand?", collection=name),
        lambda: sawyer.ask("Where did the chest stand?", collection=name),
        lambda: sawyer.documents(collection=name),
        lambda: sawyer.reindex(collection=name),
    ):
        with pytest.raises(InvalidValue, match="a collection's name must have 1 to 128 characters"):
            refused()
    assert sawyer.documents() == []


@pytest.mark.parametrize("name", ["x" * 128, "../../etc", "海", "a/b\\c", "-", "CON", "😀 %2e"])
def test_any_other_collection_s_name_is_a_name(sawyer: Pipeline, name: str) -> None:
    tell(sawyer, OLD, collection=name)
    assert sawyer.retrieve("Where did the chest stand?", collection=name).hits


@pytest.mark.parametrize("name", ["", " \n", "a\x00b", "a\ud800.md", "x" * 1025])
def test_a_source_s_name_outside_its_rule_is_refused(sawyer: Pipeline, name: str) -> None:
    with pytest.raises(InvalidValue, match="a source's name must"):
        sawyer.ingest(Source(name, OLD.encode()))
    assert sawyer.documents() == []


def test_a_title_with_a_lone_surrogate_is_refused(sawyer: Pipeline) -> None:
    with pytest.raises(InvalidValue, match="lone surrogate"):
        sawyer.ingest(Source("a.md", OLD.encode(), "T\udc80tle"))
    assert sawyer.documents() == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\a.md", "'; DROP TABLE documents; --", "海/月.md"])
def test_a_source_s_name_is_an_identity_and_never_a_path(sawyer: Pipeline, tmp_path: Path, name: str) -> None:
    report = tell(sawyer, OLD, name)
    assert report.document.id == document_id("default", name)
    assert [record.source for record in sawyer.documents()] == [name]
    assert not list(tmp_path.parent.rglob("passwd"))
