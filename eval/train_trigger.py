"""Fit the trigger: from the score of the best sentence to the probability that it is right.

Trained on FairytaleQA train alone: joined texts, questions whose answer stands verbatim in the gold
section, and as many questions of other texts, which the text at hand cannot answer.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import chunkers
from answering import Selector
from answering.base import Decision
from answering.operating import points
from answering.selector import OverlapSelector
from answering.trigger import Trigger, fit, save_trigger
from chunkers.boundaries import sentence_spans
from core.protocols import Embedder
from core.values import Span
from eval.datasets.fairytaleqa import read_training_stories
from eval.joined import JoinedQuestion, JoinedText, join
from service.embedding import build_embedder
from service.embedding.remembering import RememberingEmbedder
from service.pipeline import Pipeline
from service.settings import Settings
from service.values import Source

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
THRESHOLDS = np.arange(0.05, 0.75, 0.01).round(2)


@dataclass(frozen=True, slots=True)
class Trial:
    """One question asked of one text: the best sentence's score, whether it is right, whether it could be."""

    score: float
    right: bool
    answerable: bool


def train(folder: Path, *, per_text: int, seed: int, save: bool) -> None:
    """Print the curve of weights and thresholds, fit, and write the shipped artefact when ``save``.

    Args:
        folder: FairytaleQA's own folder.
        per_text: answerable questions a joined text, and as many unanswerable ones.
        seed: of the choice of questions.
        save: whether to write ``models/trigger``.
    """
    texts = join(read_training_stories(folder, "train"))
    chosen = [_choose(text, per_text, random.Random(f"{seed}-{text.name}")) for text in texts]  # noqa: S311 - a sample, no secret
    embedder = RememberingEmbedder(build_embedder("minilm"))
    with tempfile.TemporaryDirectory(prefix="sawyer-train-") as place:
        collected: dict[float, list[Trial]] = {weight: [] for weight in WEIGHTS}
        for position, text in enumerate(texts):
            others = chosen[(position + 1) % len(texts)]
            for weight in WEIGHTS:
                collected[weight] += _trials(Path(place), text, chosen[position], others, embedder, weight)
            print(f"asked {text.name} ({position + 1} of {len(texts)})", flush=True)
    best = _report_weights(collected)
    trigger = _fit(collected[best])
    _report_thresholds(collected[best], trigger)
    if save:
        save_trigger(
            trigger,
            command="python -m eval.train trigger",
            data="FairytaleQA train (Apache-2.0), joined",
            questions=len(collected[best]),
            seed=seed,
            similarity_weight=best,
            embedder=embedder.fingerprint,
        )
        print("wrote models/trigger.npz and models/trigger.json")


def _choose(text: JoinedText, count: int, rng: random.Random) -> list[tuple[JoinedQuestion, list[Span]]]:
    """Questions whose first answer stands in a sentence of a gold section, with those sentences."""
    usable = [
        (question, spans)
        for question in text.questions
        if question.question.explicit and (spans := list(_evidence(text.text, question)))
    ]
    return rng.sample(usable, min(count, len(usable)))


def _evidence(text: str, question: JoinedQuestion) -> Iterator[Span]:
    answer = question.question.answers[0].strip(" .").casefold()
    for section in question.sections:
        for sentence in sentence_spans(section.of(text)):
            span = sentence.shifted(section.start)
            if answer and answer in span.of(text).casefold():
                yield span


def _trials(
    place: Path,
    text: JoinedText,
    own: Sequence[tuple[JoinedQuestion, list[Span]]],
    others: Sequence[tuple[JoinedQuestion, list[Span]]],
    embedder: Embedder,
    weight: float,
) -> list[Trial]:
    settings = Settings.load()
    pipeline = Pipeline(
        place / text.name,
        embedder=embedder,
        chunker=chunkers.build(settings.chunker),
        selector=Selector(
            "overlap",
            partial(OverlapSelector, similarity_weight=weight),
            Trigger(1.0, 0.0, 0.5),  # what it decides is not looked at: the scores are what is wanted
        ),
    )
    with pipeline:
        pipeline.ingest(Source(f"{text.name}.txt", text.text.encode()))
        asked = [(question, evidence, True) for question, evidence in own]
        asked += [(question, [], False) for question, _ in others]
        return [
            _trial(pipeline.ask(question.question.text).decision, evidence, answerable)
            for question, evidence, answerable in asked
        ]


def _trial(decision: Decision, evidence: Sequence[Span], answerable: bool) -> Trial:
    if not decision.ranked:
        return Trial(0.0, False, answerable)
    top = decision.ranked[0]
    return Trial(top.score, any(top.candidate.span.overlap(span) for span in evidence), answerable)


def _report_weights(collected: dict[float, list[Trial]]) -> float:
    """The largest weight within one standard error of the best.

    Questions of this set repeat the words of their text more than a reader of a novel does, so among
    equals the meaning is to weigh more.
    """
    print("\n| similarity weight | right @1 of answerable |\n|---|---|")
    rights = {}
    for weight, trials in collected.items():
        rights[weight] = np.array([trial.right for trial in trials if trial.answerable])
        print(f"| {weight} | {rights[weight].mean():.3f} |")
    best = max(rights.values(), key=lambda right: float(right.mean()))
    floor = best.mean() - best.std() / np.sqrt(len(best))
    return max(weight for weight, right in rights.items() if right.mean() >= floor)


def _fit(trials: Sequence[Trial]) -> Trigger:
    """The threshold is the one of best triggering F1; of equals the highest, which answers least."""
    scores, right, answerable = _columns(trials)
    trigger = fit(scores, right, threshold=0.5)
    probability = trigger.probability(scores)
    best = max(
        THRESHOLDS, key=lambda threshold: (_f1(probability >= threshold, right, answerable), threshold)
    )
    others, unreachable = points(probability, right, int(answerable.sum()), float(best))
    return Trigger(trigger.slope, trigger.intercept, float(best), others, unreachable)


def _f1(given: NDArray[np.bool_], right: NDArray[np.bool_], answerable: NDArray[np.bool_]) -> float:
    """Answer triggering at question level (Yang, Yih and Meek, EMNLP 2015, section 4.3)."""
    hit = float((given & right).sum())
    return 2 * hit / float(given.sum() + answerable.sum())


def _report_thresholds(trials: Sequence[Trial], trigger: Trigger) -> None:
    scores, right, answerable = _columns(trials)
    probability = trigger.probability(scores)
    print(f"\n{trigger}\n")
    print("| threshold | F1 | answerable answered | of those right | unanswerable answered |")
    print("|---|---|---|---|---|")
    for threshold in sorted({*THRESHOLDS[::5], trigger.threshold}):
        given = probability >= threshold
        precision = right[given & answerable].mean() if (given & answerable).any() else float("nan")
        print(
            f"| {threshold:.2f} | {_f1(given, right, answerable):.3f} | {given[answerable].mean():.3f} "
            f"| {precision:.3f} | {given[~answerable].mean():.3f} |"
        )


def _columns(
    trials: Sequence[Trial],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    return (
        np.array([trial.score for trial in trials]),
        np.array([trial.right for trial in trials]),
        np.array([trial.answerable for trial in trials]),
    )
