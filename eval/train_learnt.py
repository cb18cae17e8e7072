"""Fit `lexical`, `hybrid` or `clean`, after measuring it on questions that it did not see.

``lexical`` and ``hybrid`` learn from WikiQA train and dev, ``clean`` from SelQA dev and FairytaleQA train,
whose licence is Apache-2.0. Folds keep together what shares a document; probabilities and thresholds that
are measured come from other folds too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answering.background import with_background
from answering.columns import Columns, standing_alone
from answering.learnt import BASES, LearntModel, LearntName, load_learnt, save_learnt
from answering.operating import best_f, points, rounded_down
from answering.trees import Trees
from answering.trees_fit import fit
from answering.trigger import Trigger
from answering.trigger import fit as fit_trigger
from core.errors import NotFound
from core.protocols import Embedder
from core.text import question_terms
from eval.command import say
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_training_stories
from eval.datasets.qasent import QASENT, read_qasent
from eval.datasets.selection import SelectionQuery
from eval.datasets.selqa import SELQA, read_selqa
from eval.datasets.wikiqa import WIKIQA, read_splits
from eval.embedders import vector_shelf
from eval.keeping import default_directory
from eval.kept_vectors import KeptVectors
from eval.out_of_fold import HEADER, Tops, Values, folds_of, held_out, measured
from eval.selection_models import collection_table
from eval.selection_scoring import Triggering, confidence, judgements, run_of, selection, tops
from eval.story_queries import story_queries, with_unanswerable
from service.embedding import build_embedder
from service.embedding.remembering import RememberingEmbedder

COLUMNS: dict[LearntName, Columns] = {
    "lexical": Columns(similarity=False, classes="trained"),
    "hybrid": Columns(similarity=True, classes="trained"),
    "clean": Columns(similarity=True, classes="rule"),
}
DATA: dict[LearntName, str] = {
    "lexical": "WikiQA train and dev (Microsoft Research Data License)",
    "hybrid": "WikiQA train and dev (Microsoft Research Data License)",
    "clean": "SelQA dev, FairytaleQA train (Apache-2.0)",
}
PER_STORY = 16
_ROUNDS = 150


@dataclass(frozen=True)
class Set:
    """Queries of one origin, with their columns.

    Attributes:
        rows: a matrix a query.
    """

    name: str
    queries: list[SelectionQuery]
    rows: list[NDArray[np.float64]]


def train(name: LearntName, data: Path, *, seed: int, save: bool) -> None:
    """Print the figures of held-out questions and of other sets; write the artefact when ``save``.

    Args:
        name: which of `answering.learnt.LEARNT`.
        data: the data root.
        seed: of folds, questions and boosting.
        save: whether to write.
    """
    columns = COLUMNS[name]
    embedder = _embedder()
    read = [_read(one, queries, columns, embedder) for one, queries in _training(name, data, seed).items()]
    queries = [query for one in read for query in one.queries]
    rows = [matrix for one in read for matrix in one.rows]
    folds = folds_of(queries, seed)
    print(HEADER, flush=True)
    kept: Values = []
    for words, matrices in (("as shipped", rows), ("and position", [_placed(one) for one in rows])):
        # mypy cannot infer a lambda whose default binds the loop's variable
        scores = held_out(folds, lambda inside, of=matrices: _scorer(queries, of, inside, seed))  # type: ignore[misc]
        kept = kept or scores
        print(f"| {name} {words} | {measured(queries, scores, folds).row()} |", flush=True)
    if len(read) > 1:
        _report_parts(name, read, kept, seed)
    model = _model(columns, queries, rows, kept, seed)
    print(f"\n{model.trigger}\n")
    for other, foreign in _foreign(name, data).items():
        print(_report_foreign(model, _read(other, foreign, columns, embedder)), flush=True)
    if save:
        save_learnt(
            name,
            model,
            command=f"python -m eval.train {name}",
            data=DATA[name],
            questions=len(queries),
            seed=seed,
            embedder=embedder.fingerprint if columns.similarity else None,
        )
        load_learnt.cache_clear()
        print(f"wrote models/{BASES[name]}.npz and models/{BASES[name]}.json")


def _embedder() -> Embedder:
    return RememberingEmbedder(KeptVectors(build_embedder("minilm"), vector_shelf(default_directory(), say)))


def _training(name: LearntName, data: Path, seed: int) -> dict[str, list[SelectionQuery]]:
    if name != "clean":
        return {"WikiQA": list(read_splits(locate(WIKIQA, data).folder, "train", "dev"))}
    stories = read_training_stories(locate(FAIRYTALEQA, data).folder, "train")
    return {
        "SelQA": with_unanswerable(read_selqa(locate(SELQA, data).folder, "dev")),
        "FairytaleQA": story_queries(stories, per_story=PER_STORY, seed=seed),
    }


def _foreign(name: LearntName, data: Path) -> dict[str, list[SelectionQuery]]:
    """Sets that the model did not learn from, as far as they are there."""
    found: dict[str, list[SelectionQuery]] = {}
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


def _read(name: str, queries: list[SelectionQuery], columns: Columns, embedder: Embedder) -> Set:
    say(f"{name}: reading {len(queries):,} questions")
    if columns.similarity:  # all at once, so that they are kept in one piece
        embedder.embed_passages(list(dict.fromkeys(text for query in queries for text in query.texts)))
    table = collection_table(queries)
    rows = [
        columns.read(
            query.text,
            standing_alone(query.texts),
            with_background(question_terms(query.text), table),
            embedder,
        )
        for query in queries
    ]
    return Set(name, queries, rows)


def _placed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """With each sentence's place and its share of the way, which a shipped selector must not read."""
    places = np.arange(len(rows))
    return np.column_stack([rows, places, places / len(rows)])


def _labels(queries: Sequence[SelectionQuery]) -> NDArray[np.bool_]:
    return np.array([one.right for query in queries for one in query.sentences])


def _fitted(queries: Sequence[SelectionQuery], rows: Sequence[NDArray[np.float64]], seed: int) -> Trees:
    return fit(np.concatenate(rows), _labels(queries), rounds=_ROUNDS, seeds=(seed, seed + 1))


def _scorer(
    queries: Sequence[SelectionQuery], rows: Sequence[NDArray[np.float64]], inside: Sequence[int], seed: int
) -> Callable[[int], NDArray[np.float64]]:
    trees = _fitted([queries[at] for at in inside], [rows[at] for at in inside], seed)
    return lambda at: trees.score(rows[at])


def _model(
    columns: Columns,
    queries: Sequence[SelectionQuery],
    rows: Sequence[NDArray[np.float64]],
    held: Values,
    seed: int,
) -> LearntModel:
    """Trees of all questions; heads and points of the scores that were held out."""
    found = Tops.of(queries, held)
    right = found.probabilities()
    exists = fit_trigger(found.score, found.answerable, threshold=0.5)
    probability, answerable = right.probability(found.score), int(found.answerable.sum())
    balanced = best_f(probability, found.right, answerable)
    others, unreachable = points(probability, found.right, answerable, balanced)
    trigger = Trigger(right.slope, right.intercept, rounded_down(balanced), others, unreachable)
    return LearntModel(columns, _fitted(queries, rows, seed), trigger, exists)


def _report_parts(name: LearntName, read: Sequence[Set], scores: Values, seed: int) -> None:
    """A line a set of those that were learnt from together, each with thresholds of its own."""
    at = 0
    for one in read:
        own = scores[at : at + len(one.queries)]
        at += len(one.queries)
        print(
            f"| {name}, {one.name} | {measured(one.queries, own, folds_of(one.queries, seed)).row()} |",
            flush=True,
        )


def _report_foreign(model: LearntModel, found: Set) -> str:
    """Selection on a set that was not learnt from, and triggering at the stored threshold."""
    scores = [model.trees.score(rows) for rows in found.rows]
    trigger, qrels = model.trigger, judgements(found.queries)
    run = run_of(found.queries, [trigger.probability(one).tolist() for one in scores])
    chosen, best = selection(qrels, run, "filtered"), tops(qrels, run)
    given = Triggering.of(best, trigger.threshold)
    low, high = given.interval
    return (
        f"{found.name} (not learnt from, {len(found.queries)} questions): MAP {chosen['map']:.4f}, "
        f"MRR {chosen['mrr']:.4f} over {chosen['n']}; F1 {given.official.f1:.4f} ({low:.3f}-{high:.3f}) at "
        f"the stored threshold; ECE {confidence(best)['ece']:.3f}"
    )
