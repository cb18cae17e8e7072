"""Fitting a reader of pairs, with torch; and that ONNX Runtime reads what was fitted."""

from __future__ import annotations

import numpy as np
import pytest

from answering.cross import CrossReader, PairEncoder
from answering.cross_fit import Course, fit, odds
from core.artifacts import models_directory
from core.errors import InvalidValue

ENCODER = PairEncoder(models_directory() / "minilm" / "tokenizer.json")
PEOPLE = "Ada Ben Cleo Dan Eve Finn Gus Hana Ivo June Kit Lou".split()
THINGS = "lamp net boat song pear coat clock rope bell drum".split()


def pairs_and_labels() -> tuple[list[list[int]], list[bool]]:
    """Who has which thing: right when the sentence names the thing that is asked for."""
    asked, told, right = [], [], []
    for at, person in enumerate(PEOPLE):
        for place, thing in enumerate(THINGS):
            other = THINGS[(place + at) % len(THINGS)]
            asked.append(f"Who kept the {thing}?")
            told.append(f"{person} kept the {other} in the yard.")
            right.append(thing == other)
            asked.append(f"Who kept the {thing}?")
            told.append(f"{person} kept the {thing} by the door.")
            right.append(True)
    return ENCODER.encode(asked, told), right


@pytest.mark.slow
def test_a_fitted_reader_tells_right_from_wrong_in_torch_and_in_the_runtime() -> None:
    pairs, right = pairs_and_labels()
    lines: list[str] = []
    arrays = fit(pairs, right, Course(epochs=12, rate=3e-4), seed=1, told=lines.append)
    again = fit(pairs, right, Course(epochs=12, rate=3e-4), seed=1)
    assert all((arrays[name] == again[name]).all() for name in arrays)
    found, read = odds(arrays, pairs), CrossReader(arrays).score_pairs(pairs)
    labels = np.array(right)
    assert ((read > 0) == labels).mean() > 0.9
    assert np.corrcoef(found, read)[0, 1] > 0.99
    assert lines == sorted(lines, key=lambda line: int(line.split()[1]))
    further = fit(pairs, right, Course(epochs=1, rate=1e-5), seed=1, start=arrays)
    assert ((odds(further, pairs) > 0) == labels).mean() > 0.9


@pytest.mark.parametrize("labels", [[True], [True, True]])
def test_both_labels_are_wanted_one_a_pair(labels: list[bool]) -> None:
    with pytest.raises(InvalidValue, match="each of 2 pairs must have a label, both in use, got"):
        fit([[101, 102], [101, 102]], labels, Course(1, 1e-4), seed=1)
