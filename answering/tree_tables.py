"""Small boosted trees, all asked at once: a row's answers to a tree's questions make a number, and a table
holds the leaf's value at that number.

Source: after Lucchese et al. 2015, "QuickScorer", which too asks every question of a tree and finds the leaf
by masks; trees of eight leaves ask no more than seven, few enough for a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from answering.trees import Trees

MOST_QUESTIONS = 8  # a tree; their answers fit into a byte


@dataclass(frozen=True)
class TreeTables:
    """What `Trees.score` reads of trees that ask at most `MOST_QUESTIONS` questions each.

    Attributes:
        column: (questions * trees,) the first question of every tree, then the second of every tree.
        cut: (questions * trees,) answered with yes where the column is at most this.
        value: (trees * 2 ** questions,) of the leaf, by tree and by answers; the first answer is the lowest
            bit.
        trees: how many.
    """

    column: NDArray[np.intp]
    cut: NDArray[np.float64]
    value: NDArray[np.float64]
    trees: int

    def leaf_values(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, trees): the value of the leaf that each row falls into, of (n, d) rows."""
        yes = (rows.take(self.column, axis=1) <= self.cut).view(np.uint8)
        answers = yes.reshape(len(rows), len(self.column) // self.trees, self.trees)
        code = np.zeros((len(rows), self.trees), dtype=np.uint8)
        for question in reversed(range(answers.shape[1])):
            code += code
            code += answers[:, question]
        return self.value.take(code + self._starts)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """(trees,): where each tree's values begin."""
        return np.arange(self.trees) * (len(self.value) // self.trees)


def tables_of(trees: Trees) -> TreeTables | None:
    """The same trees as tables; None where one of them asks too many questions, or there is no tree."""
    many, nodes = trees.value.shape
    asking = trees.left != np.arange(nodes)  # (trees, nodes): the others are leaves
    questions = int(asking.sum(axis=1).max(initial=0))
    if not many or questions > MOST_QUESTIONS:
        return None
    asked = np.argsort(~asking, axis=1, kind="stable")[:, :questions]  # (trees, questions) nodes
    place = np.zeros((many, nodes), dtype=np.intp)
    np.put_along_axis(place, asked, np.arange(questions)[None, :], axis=1)
    tree = np.arange(many)[:, None]
    codes = np.arange(2**questions)[None, :]
    at = np.zeros((many, 2**questions), dtype=np.intp)
    for _ in range(trees.depth):
        goes_left = (codes >> place[tree, at]) & 1 == 1
        at = np.where(goes_left, trees.left[tree, at], trees.right[tree, at])
    return TreeTables(
        trees.column[tree, asked].T.ravel(),
        trees.cut[tree, asked].T.ravel(),
        trees.value[tree, at].ravel(),
        many,
    )
