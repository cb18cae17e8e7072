"""LoTTE's official evaluator: Success@k of rankings in files.

Source: ColBERT's utility/evaluate/evaluate_lotte_rankings.py, described in its LoTTE.md. Deviations: a bad
line is an error that names it, where the original fails on the spot; missing judgements print ``???`` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from eval.datasets.lotte import QueryType, Split, Topic
from eval.datasets.lotte_files import Answers
from eval.lotte_ranking import read_ranking
from eval.metrics import Metric, evaluate
from eval.significance import bootstrap_interval

# Called with a warning, one line of text.
Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LotteScore:
    """One ranking's figure.

    Attributes:
        successes: 1.0 or 0.0 for each line of the judgements; None where a file is missing.
    """

    split: Split
    topic: str
    query_type: QueryType
    k: int
    successes: tuple[float, ...] | None

    @property
    def value(self) -> float | None:
        """Success@k, in [0, 1]."""
        return None if self.successes is None else fmean(self.successes)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % bootstrap interval of the value, over queries."""
        return None if self.successes is None else bootstrap_interval([self.successes])

    @property
    def line(self) -> str:
        """As the official evaluator prints it, in per cent: ``Success@5: 71.6``, ``???`` for None."""
        figure = "???" if self.value is None else f"{100 * self.value:.1f}"
        return f"[query_type={self.query_type}, dataset={self.topic}] Success@{self.k}: {figure}"

    def as_json(self) -> dict[str, object]:
        """The row as plain values."""
        metric = str(Metric("success", self.k))
        return {
            "split": self.split,
            "topic": self.topic,
            "type": self.query_type,
            "n": len(self.successes or ()),
            metric: self.value,
            "ci": None if self.interval is None else {metric: list(self.interval)},
        }


def score_ranking(
    path: Path, topic: Topic | None, query_type: QueryType, k: int, *, warn: Warn
) -> tuple[float, ...] | None:
    """What `successes` gives for one ranking; None where the ranking or the judgements are missing.

    Every line of the judgements counts. A qid that is not ranked is warned about and counts as a failure;
    a ranked qid without judgements is ignored.

    Raises:
        DataError: a bad line in either file.
    """
    if not path.exists():
        return None
    if topic is None or query_type not in topic.types():
        warn(f"WARNING: {path} is of queries that the data do not judge!")
        return None
    ranked = read_ranking(path, k)
    answers = topic.answers(query_type)
    for one in answers:
        if one.qid not in ranked:
            warn(f"WARNING: qid {one.qid} not found in {path}!")
    return tuple(successes(answers, ranked, k))


def successes(answers: Sequence[Answers], ranked: Mapping[int, Sequence[int]], k: int) -> list[float]:
    """1.0 or 0.0 for each line of judgements, in their order."""
    # What is judged are places, not pids, and lines, not qids: so a pid ranked twice takes two places, and
    # a qid judged twice counts twice.
    qrels = {
        str(line): {str(place): 1 for place, pid in enumerate(ranked.get(one.qid, ())) if pid in one.pids}
        for line, one in enumerate(answers)
    }
    run = {
        str(line): {str(place): -float(place) for place in range(len(ranked.get(one.qid, ())))}
        for line, one in enumerate(answers)
    }
    return list(evaluate(Metric("success", k), qrels, run).values())
