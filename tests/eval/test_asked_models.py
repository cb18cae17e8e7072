from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest

import chunkers
from eval import chunking, gutenqa, together
from eval.asked_models import NamedEmbedder, asked_models, chunker_label
from eval.command import say
from eval.datasets.sample import sample_directory
from service.embedding import build_embedder


def test_an_embedder_that_was_sent_to_another_process_gives_the_same_vectors(tmp_path: Path) -> None:
    named = NamedEmbedder("minilm", tmp_path, say)
    sent = pickle.loads(pickle.dumps(named))
    texts = ["A ship sailed.", "A dog barked."]
    assert (sent.embed_passages(texts) == build_embedder("minilm").embed_passages(texts)).all()
    assert (sent.name, sent.dim, sent.fingerprint) == (named.name, named.dim, named.fingerprint)


def test_a_chat_model_is_there_only_when_the_settings_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAWYER_CHAT_MODEL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "stray")
    assert asked_models("minilm", tmp_path, say).chat is None
    monkeypatch.setenv("SAWYER_CHAT_MODEL", "small")
    monkeypatch.setenv("SAWYER_CHAT_BASE_URL", "http://127.0.0.1:9/v1")
    models = asked_models("minilm", tmp_path, say)
    lumber = chunkers.build("lumber", models=models)
    assert chunker_label("lumber", pickle.loads(pickle.dumps(lumber))) == "lumber[chat:small]"


def test_lumber_needs_no_flag_data_key_or_network(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SAWYER_DATA", "SAWYER_CHAT_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert gutenqa.main(["--chunker", "lumber", "--cache", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "| lumber[local] | hybrid | span |" in said.out
    assert "for the real set, get GutenQA from" in said.err
    assert "set SAWYER_CHAT_MODEL to ask one" in said.err


def test_boundaries_stand_beside_texttiling_and_blind_ones(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    command = ["--part", "sections", "published", "--chunker", "lumber", "--nulls", "--cache", str(tmp_path)]
    assert chunking.main(command) == 0
    said = capsys.readouterr()
    for name in ("lumber[local]", "even as lumber[local]", "shuffled as lumber[local]", "TextTiling"):
        assert f"| {name} |" in said.out
    assert "published boundaries are left out" in said.err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data root that holds the bundled story as a book, and the bundled FairytaleQA."""
    sample, root = sample_directory(), tmp_path / "data"
    (root / "gutenqa" / "dev").mkdir(parents=True)
    (root / "books").mkdir()
    shutil.copy(sample / "questions.jsonl", root / "gutenqa" / "dev" / "Tide_-_Nobody.jsonl")
    shutil.copy(sample / "the_tide_book.md", root / "books" / "Tide_-_Nobody.md")
    shutil.copytree(sample / "fairytaleqa", root / "fairytaleqa")
    return root


def test_both_sets_are_scored_and_then_together(
    capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path
) -> None:
    command = ["--chunker", "lumber", "fixed", "--null", "even", "--baseline", "fixed"]
    assert together.main([*command, "--data", str(data), "--cache", str(tmp_path / "cache")]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[2:]] == [
        f"| {name}" for name in ("dev", "val", "together") for _ in range(3)
    ]
    counts = {line[0][2:]: int(line[3]) for line in lines[2:]}
    assert counts["together"] == counts["dev"] + counts["val"]
    assert [line[1] for line in lines[2:5]] == ["lumber[local]", "even as lumber[local]", "fixed"]


def test_together_says_how_to_get_the_sets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    assert together.main([]) == 4
    assert "both sets are needed" in capsys.readouterr().err
