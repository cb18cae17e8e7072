"""A benchmark that lacks its data says so in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from benchmarks import embedding, fusion


@pytest.mark.parametrize("main", [embedding.main, fusion.main])
def test_a_data_folder_that_is_not_there_is_one_line(
    main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", "/nowhere"]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert "error: the data folder must be a data root that holds fairytaleqa/" in line


def test_no_data_folder_at_all_is_one_line_with_the_way_to_get_the_set(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAWYER_DATA", raising=False)
    assert embedding.main([]) == 4
    assert "get FairytaleQA from https://" in capsys.readouterr().err
