"""Fit `lexical`, `hybrid`, `cross` or `clean`, after measuring it on questions that it did not see.

``lexical``, ``hybrid`` and ``cross`` learn from WikiQA train and dev, ``clean`` from SelQA dev and
FairytaleQA train, whose licence is Apache-2.0. Folds keep together what shares a document; probabilities and
thresholds that are measured come from other folds too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answering.background import with_background
from answering.columns import Columns
from answering.cross import load_reader
from answering.learnt import BASES, LearntModel, LearntName, load_learnt, save_learnt
from answering.operating import best_f, points, rounded_down
from answering.trees import Trees
from answering.trees_fit import fit
from answering.trigger import Trigger
from answering.trigger import fit as fit_trigger
from core.artifacts import file_digest, models_directory
from core.protocols import Embedder
from core.text import question_terms
from eval.command import say
from eval.datasets.selection import SelectionQuery
from eval.out_of_fold import HEADER, Tops, Values, folds_of, held_out, measured
from eval.selection_models import collection_table
from eval.selection_scoring import Triggering, confidence, judgements, run_of, selection, tops
from eval.train_reader import READER_BASES, ReaderName, held_out_readings, training_embedder
from eval.training_sets import FREE, RESEARCH, unseen_sets, wikiqa_sets


@dataclass(frozen=True)
class Recipe:
    """What a selector is made of.

    Attributes:
        reader: whose probabilities are among its columns.
    """

    columns: Columns
    data: str
    reader: ReaderName | None = None


RECIPES: dict[LearntName, Recipe] = {
    "lexical": Recipe(Columns(similarity=False, classes="trained"), RESEARCH),
    "hybrid": Recipe(Columns(similarity=True, classes="trained"), RESEARCH),
    "cross": Recipe(Columns(similarity=True, classes="trained", reading=True), RESEARCH, "wikiqa_reader"),
    "clean": Recipe(Columns(similarity=True, classes="rule", reading=True, context=True), FREE, "reader"),
}
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
    recipe, embedder = RECIPES[name], training_embedder()
    if recipe.reader is None:
        sets, readings = wikiqa_sets(data), None
    else:
        sets, readings = held_out_readings(recipe.reader, data, embedder, seed)
    read: list[Set] = []
    for one, part in sets.items():
        own = None if readings is None else [readings.pop(0) for _ in part]
        read.append(_read(one, part, recipe.columns, embedder, own))
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
    model = _model(recipe, queries, rows, kept, seed)
    print(f"\n{model.trigger}\n")
    for other, unseen in unseen_sets(name, data).items():
        own = None if model.reader is None else _readings(model.reader, unseen)
        print(_report_unseen(model, _read(other, unseen, recipe.columns, embedder, own)), flush=True)
    if save:
        save_learnt(
            name,
            model,
            command=f"python -m eval.train {name}",
            data=recipe.data,
            questions=len(queries),
            seed=seed,
            embedder=embedder.fingerprint if recipe.columns.similarity else None,
        )
        load_learnt.cache_clear()
        print(f"wrote models/{BASES[name]}.npz and models/{BASES[name]}.json")


def _readings(reader: str, queries: Sequence[SelectionQuery]) -> Values:
    """Of a reader that did not learn from the queries."""
    loaded = load_reader(models_directory() / reader)
    return [loaded.probabilities(query.text, query.texts) for query in queries]


def _read(
    name: str,
    queries: list[SelectionQuery],
    columns: Columns,
    embedder: Embedder,
    readings: Values | None,
) -> Set:
    say(f"{name}: reading {len(queries):,} questions")
    if columns.similarity:  # all at once, so that they are kept in one piece
        embedder.embed_passages(list(dict.fromkeys(text for query in queries for text in query.texts)))
    table = collection_table(queries)
    rows = [
        columns.read(
            query.text,
            query.candidates(),
            with_background(question_terms(query.text), table),
            embedder,
            None if readings is None else readings[at],
        )
        for at, query in enumerate(queries)
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
    recipe: Recipe,
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
    reader = None if recipe.reader is None else READER_BASES[recipe.reader]
    digest = None if reader is None else file_digest(models_directory() / f"{reader}.npz")
    trees = _fitted(queries, rows, seed)
    return LearntModel(recipe.columns, trees, trigger, exists, reader, digest)


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


def _report_unseen(model: LearntModel, found: Set) -> str:
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
