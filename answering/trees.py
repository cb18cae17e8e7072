"""Boosted trees as arrays: trained with scikit-learn, read with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.tree_tables import TreeTables, tables_of
from core.errors import ArtifactError

_NAMES = ("column", "cut", "left", "right", "value")


@dataclass(frozen=True)
class Trees:
    """``score = base + sum over trees of the value of the leaf that the row falls into``.

    Every array has one row a tree and one column a node; node 0 is the root, and a leaf leads to itself.

    Attributes:
        column: (trees, nodes) the column that a node asks about.
        cut: a row goes left when its value there is at most this.
        left: node.
        right: node.
        value: of a node, in log-odds; that of an inner one is what its rows have in the mean.
        depth: steps from the root to the deepest leaf.
    """

    column: NDArray[np.intp]
    cut: NDArray[np.float64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    value: NDArray[np.float64]
    base: float
    depth: int

    def score(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) log-odds of (n, d) rows."""
        tables = self._tables
        values = self._leaf_values(rows) if tables is None else tables.leaf_values(rows)
        return np.asarray(self.base + values.sum(axis=1))

    @cached_property
    def _tables(self) -> TreeTables | None:
        return tables_of(self)

    def contributions(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, d): what each column added to each row's score; with the trees' roots they add up to it.

        Source: Saabas 2014, "Interpreting random forests": each step of the path is its column's doing.
        """
        found = np.zeros(rows.shape)
        trees = np.arange(len(self.value))
        for row, into in zip(rows, found, strict=True):
            at = np.zeros(len(self.value), dtype=np.intp)
            for _ in range(self.depth):
                asked = self.column[trees, at]
                goes_left = row[asked] <= self.cut[trees, at]
                after = np.where(goes_left, self.left[trees, at], self.right[trees, at])
                np.add.at(into, asked, self.value[trees, after] - self.value[trees, at])
                at = after
        return found

    def _leaf_values(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        trees = np.arange(len(self.value))[None, :]
        at = np.zeros((len(rows), len(self.value)), dtype=np.intp)  # (n, trees): the node of each row
        of = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_left = rows[of, self.column[trees, at]] <= self.cut[trees, at]
            at = np.where(goes_left, self.left[trees, at], self.right[trees, at])
        return self.value[trees, at]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What `of_arrays` makes the same trees of."""
        small = {name: getattr(self, name).astype(np.uint16) for name in ("column", "left", "right")}
        return {**small, "cut": self.cut, "value": self.value, "base": np.array([self.base])}

    @staticmethod
    def of_arrays(arrays: Mapping[str, NDArray[Any]]) -> Trees:
        """The trees that `arrays` gave.

        Raises:
            ArtifactError: an array is missing, they are not of one shape, or a child does not come after its
                node.
        """
        if missing := sorted({*_NAMES, "base"} - set(arrays)):
            raise ArtifactError(f"trees need the arrays {', '.join(_NAMES)}, base; {missing[0]} is missing")
        column, left, right = (arrays[name].astype(np.intp) for name in ("column", "left", "right"))
        cut, value = (arrays[name].astype(np.float64) for name in ("cut", "value"))
        shapes = {array.shape for array in (column, cut, left, right, value)}
        if len(shapes) != 1 or value.ndim != 2:
            raise ArtifactError(f"the arrays of trees must have one shape (trees, nodes), got {shapes}")
        return Trees(column, cut, left, right, value, float(arrays["base"][0]), _depth(left, right))


def average(parts: Sequence[Trees]) -> Trees:
    """One value whose score is the mean of the parts' scores."""
    nodes = max(part.value.shape[1] for part in parts)
    wide = [_widened(part, nodes) for part in parts]
    left, right = (np.concatenate([getattr(part, side) for part in wide]) for side in ("left", "right"))
    return Trees(
        np.concatenate([part.column for part in wide]),
        np.concatenate([part.cut for part in wide]),
        left,
        right,
        np.concatenate([part.value for part in wide]) / len(parts),
        sum(part.base for part in parts) / len(parts),
        _depth(left, right),
    )


def _widened(trees: Trees, nodes: int) -> Trees:
    """The same trees with nodes that nothing leads to."""
    more = nodes - trees.value.shape[1]
    itself = np.tile(np.arange(nodes - more, nodes), (len(trees.value), 1))

    def filled(array: NDArray[Any]) -> NDArray[Any]:
        return np.pad(array, ((0, 0), (0, more)))

    return replace(
        trees,
        column=filled(trees.column),
        cut=filled(trees.cut),
        left=np.concatenate([trees.left, itself], axis=1),
        right=np.concatenate([trees.right, itself], axis=1),
        value=filled(trees.value),
    )


def _depth(left: NDArray[np.intp], right: NDArray[np.intp]) -> int:
    """Steps to the deepest leaf; nodes stand before their children, as scikit-learn lays them out."""
    trees, nodes = left.shape
    depth = np.zeros((trees, nodes), dtype=np.intp)
    tree = np.arange(trees)
    for node in range(nodes):
        for child in (left[:, node], right[:, node]):
            if (child < node).any() or (child >= nodes).any():
                raise ArtifactError(
                    f"a node of a tree must lead to later ones or itself, node {node} does not"
                )
            inner = child != node
            depth[tree[inner], child[inner]] = depth[inner, node] + 1
    return int(depth.max(initial=0))
