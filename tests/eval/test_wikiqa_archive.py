"""``eval.wikiqa --fetch``: the published archive, checked before anything is kept."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from eval.datasets.sample import sample_directory
from eval.datasets.wikiqa_archive import ARCHIVE
from eval.wikiqa import main

SAMPLE = sample_directory() / "wikiqa"


def archive(path: Path, *, splits: tuple[str, ...] = ("train", "dev", "test"), reference: str = "") -> None:
    with zipfile.ZipFile(path, "w") as opened:
        for split in splits:
            for ending in (".txt", ".ref", "-filtered.ref", ".tsv"):
                opened.write(SAMPLE / f"WikiQA-dev{ending}", f"WikiQACorpus/WikiQA-{split}{ending}")
        if reference:
            opened.writestr("WikiQACorpus/WikiQA-dev.ref", reference)
        opened.write(SAMPLE / "sample.dev.rank", "WikiQACorpus/emnlp-table/WikiQA.CNN.dev.rank")
        opened.writestr("WikiQACorpus/eval.py", "print()")
        opened.writestr("../../WikiQACorpus/LICENSE.pdf", "licence")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def called(home: Path, data: Path) -> int:
    return main(["--model", "wd-cnt", "--fetch", str(home), "--data", str(data)])


def test_the_archive_is_laid_out_and_scored(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive(home / ARCHIVE)
    assert called(home, tmp_path / "data") == 0
    laid_out = {
        path.relative_to(tmp_path / "data/wikiqa").as_posix()
        for path in (tmp_path / "data/wikiqa").rglob("*")
        if path.is_file()
    }
    assert laid_out == {
        "LICENSE.pdf",
        "emnlp-table/WikiQA.CNN.dev.rank",
        *(
            f"WikiQA-{split}{ending}"
            for split in ("train", "dev", "test")
            for ending in (".txt", ".ref", "-filtered.ref", ".tsv")
        ),
    }
    assert "fetched 14 files; licence: Microsoft Research Data License" in capsys.readouterr().err
    assert called(home, tmp_path / "data") == 0
    assert "fetching nothing" in capsys.readouterr().err


def test_what_is_no_corpus_leaves_nothing(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    assert called(home, data) == 4
    assert f"must hold {ARCHIVE}" in capsys.readouterr().err
    (home / ARCHIVE).write_bytes(b"no archive")
    assert called(home, data) == 3
    assert "must be a ZIP archive" in capsys.readouterr().err
    archive(home / ARCHIVE, splits=("train", "dev"))
    assert called(home, data) == 4
    assert "no WikiQA-test.txt" in capsys.readouterr().err
    assert [path for path in data.rglob("*") if path.is_file()] == []


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_malformed_corpus_is_refused(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive(home / ARCHIVE, reference="1 0 0\n")
    assert called(home, tmp_path / "data") == 3
    assert "WikiQA-dev.ref, line 1: a line must have the 4 columns" in capsys.readouterr().err
