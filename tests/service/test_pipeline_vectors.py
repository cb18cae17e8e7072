"""Embed once, chunk as you like: which vectors are kept, and which must never meet."""

from __future__ import annotations

from pathlib import Path

import pytest

import chunkers
from core.errors import EmbedderMismatch, NotFound, ProviderError
from service.cli import main
from service.pipeline import Pipeline
from service.values import RetrieverName, Source
from tests.support.fakes import HashEmbedder
from tests.support.pipelines import (
    HARBOUR,
    FailingEmbedder,
    NearsightedEmbedder,
    cites,
    ids,
    pipeline,
    tell,
)

QUESTION = "Who lit the lamp at dusk?"
TALES = {
    f"{n}.md": f"# Tale {n}\n\nThe miller of village {n} had {n} daughters.\n\n{HARBOUR}" for n in range(4)
}


def fill(directory: Path, **options: object) -> None:
    with pipeline(directory, **options) as sawyer:
        for name, text in TALES.items():
            tell(sawyer, text, name)


def refuses(sawyer: Pipeline) -> None:
    """Nothing that compares vectors is answered, and what needs none is."""
    for retriever in ("dense", "hybrid"):
        with pytest.raises(EmbedderMismatch, match="run `sawyer reindex`"):
            sawyer.ask(QUESTION, retriever=retriever)
    with pytest.raises(EmbedderMismatch, match="run `sawyer reindex`"):
        sawyer.ingest(Source("new.md", b"One more."))
    answer = sawyer.ask(QUESTION, retriever="lexical")
    assert answer.decision.answer is not None
    assert "lit by Maren" in answer.decision.answer.candidate.text


# -- another chunker ------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["reindex", "ingest"])
def test_another_chunker_embeds_nothing(tmp_path: Path, again: str) -> None:
    fill(tmp_path)
    embedder = HashEmbedder()
    with pipeline(tmp_path, embedder=embedder, chunker="sentence", size=60) as sawyer:
        before = sawyer.retrieve(QUESTION)
        assert before.hits, "the chunks of the former chunker answer until they are replaced"
        if again == "reindex":
            assert sawyer.reindex() == len(TALES)
        else:
            assert {tell(sawyer, text, name).state for name, text in TALES.items()} == {"ready"}
        assert embedder.calls == 0
        after = sawyer.retrieve(QUESTION)
        assert not set(ids(after)) & set(ids(before))
        assert max(len(hit.chunk.text) for hit in after.hits) <= 60
        assert {record.strategy for record in sawyer.documents()} == {
            repr(chunkers.build("sentence", size=60))
        }


def test_reindexing_with_nothing_new_changes_no_answer(tmp_path: Path) -> None:
    fill(tmp_path)
    embedder = HashEmbedder()
    with pipeline(tmp_path, embedder=embedder) as sawyer:
        before = sawyer.ask(QUESTION)
        assert sawyer.reindex() == len(TALES)
        assert sawyer.ask(QUESTION) == before
        embedded = embedder.calls
        assert sawyer.reindex() == len(TALES)
        assert embedder.calls == embedded


def test_reindexing_one_collection_leaves_the_others(tmp_path: Path) -> None:
    with pipeline(tmp_path) as sawyer:
        tell(sawyer, HARBOUR, collection="a")
        tell(sawyer, HARBOUR, collection="b")
        with pytest.raises(NotFound, match="no collection 'nowhere'"):
            sawyer.reindex(collection="nowhere")
    with pipeline(tmp_path, embedder=HashEmbedder(32)) as other:
        assert other.reindex(collection="a") == 1
        assert other.ask(QUESTION, collection="a").hits
        with pytest.raises(EmbedderMismatch):
            other.ask(QUESTION, collection="b")


# -- another embedder -----------------------------------------------------------------------------


def test_another_embedder_is_a_named_mismatch_until_reindexed(tmp_path: Path) -> None:
    fill(tmp_path)
    with pipeline(tmp_path, embedder=HashEmbedder(32, "thirty-two")) as other:
        refuses(other)
        with pytest.raises(EmbedderMismatch, match=r"'default' .* hash, got thirty-two"):
            other.retrieve(QUESTION)
        assert other.reindex() == len(TALES)
        assert other.ask(QUESTION).decision.answer is not None
        assert {record.embedder for record in other.documents()} == {"thirty-two"}
        assert tell(other, "One more.", "new.md").state == "ready"
    with pipeline(tmp_path) as first:
        refuses(first)


def test_the_same_name_with_other_weights_is_a_mismatch(tmp_path: Path) -> None:
    fill(tmp_path)
    with pipeline(tmp_path, embedder=HashEmbedder(32)) as other:
        refuses(other)


def test_a_reindex_that_was_cut_off_refuses_and_the_next_goes_on_where_it_ended(tmp_path: Path) -> None:
    fill(tmp_path)
    failing = FailingEmbedder(ProviderError("no reply"), at=3, dim=32)
    with pipeline(tmp_path, embedder=failing) as other:
        with pytest.raises(ProviderError, match="no reply"):
            other.reindex()
        refuses(other)
        assert {record.state for record in other.documents()} == {"ready"}
        embedded = failing.batches
        assert other.reindex() == len(TALES)
        assert failing.batches - embedded == 2, "the two that were done are kept"
        assert other.ask(QUESTION).decision.answer is not None


# -- whole chunks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid"])
def test_whole_chunks_can_be_embedded_in_place_of_windows(tmp_path: Path, retriever: RetrieverName) -> None:
    embedder = HashEmbedder()
    with pipeline(tmp_path, embedder=embedder, index="chunks") as sawyer:
        record = tell(sawyer, HARBOUR).document
        assert record.windows == record.chunks == embedder.calls > 1
        answer = sawyer.ask(QUESTION, retriever=retriever)
        cites(answer, HARBOUR)
        assert answer.decision.answer is not None
        assert "lit by Maren" in answer.decision.answer.candidate.text


@pytest.mark.parametrize(("first", "second"), [("windows", "chunks"), ("chunks", "windows")])
def test_whole_chunks_and_windows_never_meet(tmp_path: Path, first: str, second: str) -> None:
    fill(tmp_path, index=first)
    with pipeline(tmp_path, index=second) as sawyer:
        refuses(sawyer)
        assert sawyer.reindex() == len(TALES)
        assert sawyer.ask(QUESTION).decision.answer is not None
        assert tell(sawyer, "One more.", "new.md").state == "ready"
    with pipeline(tmp_path, index=first) as back:
        refuses(back)


def test_by_command_line_the_remedy_that_is_named_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text(HARBOUR)
    data = ["--data-dir", str(tmp_path / "data")]
    assert main(["ingest", str(tmp_path / "a.md"), *data]) == 0
    other = [*data, "--index", "chunks"]
    assert main(["ask", QUESTION, *other]) == 7
    assert "run `sawyer reindex`" in capsys.readouterr().err
    assert main(["ask", QUESTION, "--retriever", "lexical", *other]) == 0
    assert capsys.readouterr().out.startswith("The lamp was lit by Maren at dusk.\n")
    assert main(["reindex", *other]) == 0
    assert main(["ask", QUESTION, *other]) == 0
    assert "The lamp was lit by Maren at dusk.\n" in capsys.readouterr().out
    assert main(["ask", QUESTION, *data]) == 7


def test_a_chunk_is_found_by_its_end_however_little_the_embedder_reads(tmp_path: Path) -> None:
    filler = "".join(f"The road{n} passed field{n} and hamlet{n}. " for n in range(100))
    text = f"{filler}Under the threshold lay a xylograph of the drowned bell, carved by Tobias."
    other = "A bell hung in the school of the village, where the children learned to read and to sing."
    found: dict[str, str] = {}
    for index in ("windows", "chunks"):
        embedder = NearsightedEmbedder(600, dim=512)
        with pipeline(
            tmp_path / index, embedder=embedder, chunker="paragraph", size=100_000, index=index
        ) as sawyer:
            record = tell(sawyer, text, "long.md").document
            tell(sawyer, other, "other.md")
            assert record.chunks == 1
            hit = sawyer.retrieve(
                "Who carved the xylograph of the drowned bell under the threshold?", retriever="dense"
            ).hits[0]
            found[index] = "long" if hit.chunk.document_id == record.id else "other"
    assert found == {"windows": "long", "chunks": "other"}, "whole, the chunk is cut off at its 600th letter"
