from __future__ import annotations

import json
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers.boundary_features import VECTOR_FEATURES, WORD_FEATURES
from chunkers.boundary_model import (
    BoundaryModel,
    Linear,
    SizePrior,
    first_boundary,
    load_boundary,
    save_boundary,
)
from core.errors import ArtifactError

PRIOR = SizePrior(typical=200.0, spread=0.4)


def model(value: float = 1.0) -> BoundaryModel:
    words, every = len(WORD_FEATURES), len(WORD_FEATURES) + len(VECTOR_FEATURES)
    return BoundaryModel(
        Linear(np.full(every, value), np.zeros(every)),
        Linear(np.full(words, value), np.zeros(words)),
        PRIOR,
        "fingerprint",
    )


def brute_first(scores: np.ndarray, sizes: np.ndarray) -> tuple[float, set[int]]:
    """The best value over every way of cutting, and the first boundaries that reach it."""
    certain = [at for at in range(1, len(scores)) if scores[at] == np.inf]
    end = certain[0] if certain else len(scores)
    found: dict[int, float] = {}
    for cut in product((False, True), repeat=end - 1):
        edges = [0, *(at for at in range(1, end) if cut[at - 1]), end]
        value = sum(scores[at] for at in edges[1:-1])
        for low, high in pairwise(edges):
            size = np.array([sizes[low:high].sum()])
            last = high == end and not certain
            value += float((PRIOR.worth_open(size) if last else PRIOR.worth(size))[0])
        found[edges[1]] = max(found.get(edges[1], -np.inf), value)
    best = max(found.values())
    return best, {first for first, value in found.items() if value > best - 1e-9}


@given(
    st.lists(
        st.tuples(
            st.one_of(st.floats(-5, 5), st.just(np.inf)),
            st.floats(1, 400),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_the_first_boundary_is_that_of_the_best_of_all_ways_of_cutting(
    rows: list[tuple[float, float]],
) -> None:
    scores, sizes = (np.array(column) for column in zip(*rows, strict=True))
    scores[0] = -np.inf
    assert first_boundary(scores, sizes, PRIOR) in brute_first(scores, sizes)[1]


def test_nothing_is_joined_over_a_certain_boundary() -> None:
    scores = np.array([-np.inf, -9.0, np.inf, 9.0])
    assert first_boundary(scores, np.full(4, 10.0), PRIOR) == 2


def test_a_window_without_a_shift_and_short_of_the_typical_size_stays_whole() -> None:
    assert first_boundary(np.array([-np.inf, -3.0, -3.0]), np.full(3, 40.0), PRIOR) == 3


def test_equal_scores_are_cut_near_the_typical_size() -> None:
    sizes = np.full(20, 50.0)
    scores = np.zeros(20)
    assert first_boundary(scores, sizes, PRIOR) * 50 == pytest.approx(PRIOR.typical, abs=50)


def test_a_stronger_shift_moves_the_boundary() -> None:
    sizes, scores = np.full(10, 50.0), np.zeros(10)
    scores[3] = 4.0
    assert first_boundary(scores, sizes, PRIOR) == 3
    scores[3], scores[5] = 0.0, 4.0
    assert first_boundary(scores, sizes, PRIOR) == 5


def test_a_scaled_prior_prefers_chunks_of_the_scaled_size() -> None:
    sizes = np.arange(1.0, 1_000.0)
    assert sizes[PRIOR.scaled(2.0).worth(sizes).argmax()] == 2 * sizes[PRIOR.worth(sizes).argmax()]


def test_a_saved_model_is_read_back_and_is_the_same(tmp_path: Path) -> None:
    save_boundary(model(), tmp_path / "boundary", command="test")
    assert load_boundary(tmp_path / "boundary").identity == model().identity


def test_every_number_is_part_of_the_identity() -> None:
    others = (
        model(2.0),
        BoundaryModel(model().with_vectors, model().words_alone, PRIOR.scaled(2), "fingerprint"),
    )
    assert len({one.identity for one in (model(), *others)}) == 3


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    save_boundary(model(), tmp_path / "boundary")
    head = json.loads((tmp_path / "boundary.json").read_text())
    head["config"]["word_features"].pop()
    (tmp_path / "boundary.json").write_text(json.dumps(head))
    with pytest.raises(ArtifactError, match=r"retrain it: python -m eval\.train boundary"):
        load_boundary(tmp_path / "boundary")


def test_the_shipped_model_says_what_it_was_trained_on() -> None:
    head = json.loads((Path(__file__).parents[2] / "models" / "boundary.json").read_text())
    assert head["config"]["provenance"]["command"] == "python -m eval.train boundary"
    assert load_boundary().fingerprint == head["config"]["embedder"]
