from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from chunkers.boundary_fit import Beginnings, Sections, _Lattice, _place_loss, fit_boundaries


def sections(seed: int, count: int = 60) -> Sections:
    """Passages of which the first feature says whether they start a section, the second says nothing."""
    generator = np.random.default_rng(seed)
    starts = [0, *np.flatnonzero(generator.random(count) < 0.3).tolist()]
    starts = sorted(set(starts))
    features = generator.normal(size=(count, 2))
    features[starts, 0] += 3.0
    return Sections(features, generator.uniform(20, 150, count), starts)


def test_the_gradient_is_that_of_the_loss() -> None:
    lattice, parameters = _Lattice(sections(1, 12)), np.random.default_rng(2).normal(size=2 + 11)
    _, slope = lattice.loss(parameters[:2], parameters[2:])
    numeric = approx_fprime(parameters, lambda at: lattice.loss(at[:2], at[2:])[0], 1e-6)
    np.testing.assert_allclose(slope, numeric, atol=1e-3)


def test_the_loss_is_that_of_one_way_of_cutting_among_all() -> None:
    text = Sections(np.zeros((3, 1)), np.full(3, 50.0), [0, 1])
    lost, _ = _Lattice(text).loss(np.zeros(1), np.zeros(11))
    assert lost == pytest.approx(np.log(4))  # three passages can be cut in four ways


def test_a_place_is_one_among_its_neighbours() -> None:
    lost, slope = _place_loss(Beginnings(np.zeros((5, 2)), 3), np.ones(2))
    assert lost == pytest.approx(np.log(5))
    assert slope.tolist() == [0.0, 0.0]


def test_what_tells_of_sections_gets_the_weight() -> None:
    weights = fit_boundaries([sections(seed) for seed in range(4)], [])
    assert weights[0] > 1.0
    assert abs(weights[1]) < 0.5


def test_places_where_parts_begin_teach_too() -> None:
    generator = np.random.default_rng(5)
    places = []
    for _ in range(40):
        features = generator.normal(size=(9, 2))
        features[4, 1] += 3.0
        places.append(Beginnings(features, 4))
    weights = fit_boundaries([sections(7)], places)
    assert weights[1] > 1.0


def test_the_same_data_gives_the_same_weights() -> None:
    first, second = (fit_boundaries([sections(3)], []) for _ in range(2))
    np.testing.assert_array_equal(first, second)
