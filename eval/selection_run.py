"""One selector on one set of judged sentences: scored, measured, and laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answering import SELECTORS, selector_named, trigger_of
from core.errors import InvalidValue
from core.protocols import Embedder
from eval.datasets.selection import Denominator, SelectionQuery
from eval.selection_models import scores
from eval.selection_scoring import DENOMINATORS, Triggering, confidence, judgements, run_of, selection, tops
from eval.table import TableRow
from eval.values import Run
from service.values import DEFAULT_SELECTOR

DEFAULT = DEFAULT_SELECTOR


@dataclass(frozen=True)
class Measured:
    """A selector's figures on a set.

    Attributes:
        run: each sentence's probability of being right, by query: its score through the selector's trigger.
        threshold: the trigger's own.
    """

    model: str
    split: str
    queries: tuple[SelectionQuery, ...]
    run: Run
    threshold: float

    def as_json(self) -> dict[str, Any]:
        """Selection by denominator, triggering by convention, and how far the confidences can be trusted."""
        qrels = judgements(self.queries)
        found = tops(qrels, self.run)
        return {
            "model": self.model,
            "split": self.split,
            "selection": {name: selection(qrels, self.run, name) for name in DENOMINATORS},
            "triggering": Triggering.of(found, self.threshold).as_json(),
            **confidence(found),
        }

    def row(self, words: str, denominator: Denominator) -> TableRow:
        """The line of a report: selection over the queries that count, official triggering over all."""
        figures = self.as_json()
        chosen, official = figures["selection"][denominator], figures["triggering"]["official"]
        sure = {name: figures[name] for name in ("auroc", "aurc", "ece") if figures[name] is not None}
        return TableRow(
            {"model": self.model, "split": self.split, "questions": words, "n": chosen["n"]},
            {
                **{name: chosen[name] for name in ("map", "mrr", "p@1")},
                **{name: official[name] for name in ("p", "r", "f1")},
                **sure,
            },
            {"f1": (official["ci"][0], official["ci"][1])},
        )


def measure(model: str, split: str, queries: Sequence[SelectionQuery], embedder: Embedder) -> Measured:
    """Score the queries with a selector at its stored threshold.

    Raises:
        InvalidValue: no such selector.
        ArtifactError: its artefact is missing or damaged.
    """
    trigger = trigger_of(model)
    found = scores(queries, selector_named(model), embedder)
    # Probabilities, for they rank as the scores do and mean the same in every model.
    probabilities = [trigger.probability(values).tolist() for values in found]
    return Measured(model, split, tuple(queries), run_of(queries, probabilities), trigger.threshold)


def checked_models(names: Sequence[str]) -> list[str]:
    """The names, each once.

    Raises:
        InvalidValue: no selector of that name.
    """
    for name in names:
        selector_named(name)
    return list(dict.fromkeys(names))


def known_models() -> str:
    """The names, for a help text."""
    return ", ".join(SELECTORS)


def write_ranks(path: Path, measured: Measured) -> None:
    """Write the probabilities in the order of the files, as the official evaluator reads them.

    Raises:
        InvalidValue: the file cannot be written.
    """
    lines = [
        f"{query.id} Q0 {one.id} 0 {measured.run[query.id][one.id]!r} {measured.model}\n"
        for query in measured.queries
        for one in query.sentences
    ]
    try:
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(lines)
    except OSError as error:
        raise InvalidValue(f"ranks need a writable file, got {path} ({error.strerror})") from error
