"""What could not be written is refused before anything is scored, by every command and for every file."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.errors import InvalidValue
from eval import books, chunking, compare, fairytale, gutenqa, lotte
from eval.outputs import check_outputs

Main = Callable[[Sequence[str]], int]
COMMANDS: list[tuple[Main, list[str]]] = [
    (gutenqa.main, ["--chunker", "recursive"]),
    (fairytale.main, []),
    (chunking.main, []),
    (books.main, []),
    (compare.main, []),
    (lotte.main, []),
    (lotte.main, ["score", "--split", "dev", "--data_path", "/nowhere", "--rankings_path", "/nowhere"]),
]


@pytest.mark.parametrize(("main", "command"), COMMANDS)
def test_every_command_refuses_at_once_what_it_could_not_write(
    main: Main, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A data folder that is not there would be the first error of every run.
    data = [] if command[:1] == ["score"] or main is compare.main else ["--data", "/nowhere"]
    path = tmp_path / "absent" / "out.json"
    assert main([*command, *data, "--json", str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].endswith(
        f"error: --json must name a writable file, got {path} (No such file or directory)"
    )
    assert len(said) == 1


def options(**paths: Path) -> argparse.Namespace:
    return argparse.Namespace(**{"json": None, "csv": None, "plot": None, **paths})


def test_a_folder_a_gif_and_one_file_for_two_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"--csv must name a writable file, got .*Is a directory"):
        check_outputs(options(csv=tmp_path))
    with pytest.raises(InvalidValue, match=r"a plot.s file must end in .png or .svg, got out.gif"):
        check_outputs(options(plot=tmp_path / "out.gif"))
    with pytest.raises(InvalidValue, match="--json and --csv must name different files"):
        check_outputs(options(json=tmp_path / "out", csv=tmp_path / "out"))


def test_trying_leaves_what_is_there_and_makes_nothing_new(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("kept", encoding="utf-8")
    check_outputs(options(json=old, csv=tmp_path / "new.csv", plot=tmp_path / "new.svg"))
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
    assert old.read_text(encoding="utf-8") == "kept"


def test_a_folder_for_rankings_is_made_and_tried(tmp_path: Path) -> None:
    check_outputs(options(rankings=tmp_path / "new" / "rankings"))
    assert not list((tmp_path / "new" / "rankings").iterdir())
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r"--rankings must name a writable folder, got .*file"):
        check_outputs(options(rankings=tmp_path / "file"))


def test_a_pipe_is_not_opened_before_there_is_something_to_write(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    check_outputs(options(json=pipe))
    pipe.write_text("the report", encoding="utf-8")
    reader.join(10)
    assert read == ["the report"]
