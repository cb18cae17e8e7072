"""Questions on stories as the pipeline meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.datasets.fairytaleqa import read_training_stories
from eval.datasets.selection import SelectionQuery
from eval.story_retrieval import FOREIGN, REMOVED, retrieved_queries
from eval.training_sets import fewer
from tests.support.fakes import HashEmbedder


@pytest.fixture(scope="module")
def found(data_root: Path) -> list[SelectionQuery]:
    stories = read_training_stories(data_root / "fairytaleqa", "train")[:30]
    return retrieved_queries(stories, HashEmbedder(), per_story=8, seed=13)


def test_own_questions_are_mostly_answerable_and_the_others_never(found: list[SelectionQuery]) -> None:
    own = [one for one in found if not one.id.endswith((REMOVED, FOREIGN))]
    others = [one for one in found if one.id.endswith((REMOVED, FOREIGN))]
    assert sum(one.answerable for one in own) > 0.6 * len(own)
    assert not any(one.answerable for one in others)
    assert 0.2 < len([one for one in others if one.id.endswith(REMOVED)]) / len(own) < 0.4


def test_a_sentence_knows_its_neighbours_and_its_passage(found: list[SelectionQuery]) -> None:
    for query in found[:50]:
        ranks = [one.rank for one in query.sentences]
        assert ranks == sorted(ranks)
        assert set(ranks) <= {1, 2, 3, 4, 5}
        for one, after in zip(query.sentences, query.sentences[1:], strict=False):
            assert not one.after or one.rank != after.rank or one.after == after.text or after.before


def test_trees_learn_from_the_first_questions_of_each_story(found: list[SelectionQuery]) -> None:
    few = fewer(found)
    assert len(few) <= len(found)
    assert [one for one in found if one in few] == few
    per_story = {one.group: 0 for one in few}
    for one in few:
        per_story[one.group] += not one.id.endswith(FOREIGN)
    assert max(per_story.values()) <= 8
