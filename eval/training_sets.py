"""What each selector and reader learns from, and what it is measured on without having learnt from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from answering.learnt import LearntName
from core.errors import NotFound
from core.protocols import Embedder
from eval.command import say
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_training_stories
from eval.datasets.qasent import QASENT, read_qasent
from eval.datasets.selection import SelectionQuery
from eval.datasets.selqa import SELQA, read_selqa
from eval.datasets.wikiqa import WIKIQA, read_splits
from eval.story_retrieval import FOREIGN, retrieved_queries

Sets = dict[str, list[SelectionQuery]]

RESEARCH = "WikiQA train and dev (Microsoft Research Data License)"
FREE = "SelQA dev, FairytaleQA train (Apache-2.0)"

# Of a story's questions, those that a reader learns from; and of those, those that trees do, who come after
# it and need fewer: asked of their own text, and of another.
PER_STORY = 24
_OWN, _OTHER = 8, 3


def free_sets(data: Path, embedder: Embedder, seed: int) -> Sets:
    """SelQA dev, each query also without its right sentences, and FairytaleQA train as the pipeline meets it.

    Raises:
        NotFound: one is not there.
    """
    stories = read_training_stories(locate(FAIRYTALEQA, data).folder, "train")
    return {
        "SelQA": with_unanswerable(read_selqa(locate(SELQA, data).folder, "dev")),
        "FairytaleQA": retrieved_queries(stories, embedder, per_story=PER_STORY, seed=seed),
    }


def wikiqa_sets(data: Path) -> Sets:
    """WikiQA train and dev.

    Raises:
        NotFound: it is not there.
    """
    return {"WikiQA": list(read_splits(locate(WIKIQA, data).folder, "train", "dev"))}


def with_unanswerable(queries: Sequence[SelectionQuery]) -> list[SelectionQuery]:
    """Each query, and after it the same without its right sentences, id ``ID/without``, in the same group."""
    return [one for query in queries for one in (query, _without(query)) if one.sentences]


def _without(query: SelectionQuery) -> SelectionQuery:
    wrong = tuple(sentence for sentence in query.sentences if not sentence.right)
    return replace(query, id=f"{query.id}/without", sentences=wrong)


def fewer(queries: Sequence[SelectionQuery]) -> list[SelectionQuery]:
    """Of a set that is grouped by stories, the first questions of each."""
    seen: Counter[tuple[str, bool]] = Counter()
    found = []
    for query in queries:
        foreign = query.id.endswith(FOREIGN)
        seen[query.group, foreign] += 1
        if seen[query.group, foreign] <= (_OTHER if foreign else _OWN):
            found.append(query)
    return found


def unseen_sets(name: LearntName, data: Path) -> Sets:
    """Sets that the selector did not learn from, as far as they are there."""
    found: Sets = {}
    for declaration in (WIKIQA, QASENT) if name == "clean" else (QASENT,):
        try:
            folder = locate(declaration, data).folder
        except NotFound as error:
            say(f"not measured on {declaration.name}: {error}")
            continue
        wikiqa = declaration is WIKIQA
        found[declaration.name] = list(
            read_splits(folder, "train", "dev") if wikiqa else read_qasent(folder, "dev")
        )
    return found
