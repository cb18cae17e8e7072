"""Fit when `clean` answers in long texts: on passages as the pipeline finds them, with an answer and without.

Trained on questions of FairytaleQA train that no reader learnt from, and shown on val beside what is shipped.
What a feature of the question's candidates would be worth beside the score is told too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import chunkers
from answering import load_selector
from answering.false_answers import seldom
from answering.learnt import BASES, LearntName, load_learnt
from answering.operating import best_f, points, promised, rounded_down
from answering.trigger import CAREFUL, POINTS, Trigger, fit
from core.artifacts import Artifact, load, models_directory
from core.artifacts import save as save_artifact
from eval.answer_scoring import Asking
from eval.asked import KINDS, AskedText, Kind, drawn
from eval.asked_passages import asked_passages
from eval.asked_sets import fairytaleqa
from eval.command import say
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_training_stories
from eval.keeping import Shelf, default_directory
from eval.metrics import auroc, calibration_error
from eval.story_retrieval import drawn_ids
from eval.top_sentences import FEATURES, TopSentence, top_sentences
from eval.train_reader import training_embedder
from eval.training_sets import PER_STORY
from service.settings import Settings

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WITHOUT: tuple[Kind, ...] = ("other author", "sibling", "removed")
# Questions of train and of val, each asked in every kind: a reader takes a fifth of a second for one.
QUESTIONS, SHOWN = 500, 250
# The precision of `careful` on tales: above `operating.PROMISE`, so that some is left where a text is harder.
_PROMISE = 0.75
_HEADER = "| | answerable answered | of those right | of all right | false: " + ", ".join(WITHOUT) + " |"


@dataclass(frozen=True)
class Tops:
    """First sentences as columns.

    Attributes:
        features: (n, len(FEATURES)).
        kinds: (n,) str.
        right: (n,).
    """

    features: Floats
    kinds: NDArray[np.str_]
    right: Bools

    @staticmethod
    def of(found: Sequence[TopSentence]) -> Tops:
        """The columns of these sentences."""
        return Tops(
            np.array([one.features for one in found]),
            np.array([one.kind for one in found]),
            np.array([one.right for one in found], dtype=bool),
        )

    @property
    def scores(self) -> Floats:
        """(n,) what the trigger reads today."""
        return self.features[:, 0]

    @property
    def answerable(self) -> Bools:
        """(n,)."""
        return np.asarray(self.kinds == "answerable")


def train_points(name: LearntName, data: Path, *, seed: int, save: bool) -> None:
    """Print what the points give on val, before and after; write the trigger into the artefact when ``save``.

    Args:
        name: of the selector.
        seed: of the questions.
    """
    folder = locate(FAIRYTALEQA, data).folder
    stories = read_training_stories(folder, "train")
    # by the seeds of then, whatever this one is
    read = {one for then in seeds_of(name) for one in drawn_ids(stories, PER_STORY, then)}
    fitted_on = Tops.of(
        _tops(name, drawn(_unread(fairytaleqa(folder, "train"), read), KINDS, QUESTIONS, seed))
    )
    val = Tops.of(_tops(name, drawn(fairytaleqa(folder, "val"), KINDS, SHOWN, seed)))
    trigger = fitted(fitted_on)
    for words, one in (("as shipped", load_selector(name).trigger), ("fitted here", trigger)):
        print(f"\n{words}: {one}\n{confidence(one.probability(val.scores), val)}\n\n{_HEADER}\n{'|---' * 5}|")
        for point in POINTS:
            if point not in one.unreachable:
                print(f"| {point} | {_row(one, point, val)} |")
    print(f"\n{_worth(fitted_on, val)}", flush=True)
    if save:
        _write(name, trigger, len(fitted_on.right), seed)


def seeds_of(name: LearntName, models: Path | None = None) -> set[int]:
    """The seeds by which questions were drawn for the shipped selector, and for its reader if it has one.

    Args:
        models: where the artefacts lie; default: the shipped ones.
    """
    folder = models or models_directory()
    own = load(folder / BASES[name]).config
    reader = own.get("reader")
    configs = [own] if reader is None else [own, load(folder / reader).config]
    return {int(config["provenance"]["seed"]) for config in configs}


def fitted(found: Tops) -> Trigger:
    """Platt's sigmoid on all kinds together, and its points.

    ``careful`` is held to `_PROMISE`, where that can be promised, and answers each kind `seldom`.
    """
    trigger = fit(found.scores, found.right, threshold=0.5)
    probability = trigger.probability(found.scores)
    answerable = int(found.answerable.sum())
    balanced = rounded_down(best_f(probability, found.right, answerable))
    others, unreachable = points(probability, found.right, answerable, balanced)
    sure = promised(probability, found.right, _PROMISE)
    if CAREFUL in others:
        least = seldom([probability[found.kinds == kind] for kind in WITHOUT if (found.kinds == kind).any()])
        if least is None:
            del others[CAREFUL]
            unreachable = {
                **unreachable,
                CAREFUL: "few false answers cannot be promised on so few questions",
            }
        else:
            floor = 0.0 if sure is None else rounded_down(sure)
            others[CAREFUL] = max(others[CAREFUL], floor, float(np.ceil(least * 1e6) / 1e6))
    return Trigger(trigger.slope, trigger.intercept, balanced, others, unreachable)


def confidence(probability: Floats, found: Tops) -> str:
    """AUROC of answerable questions against each kind, and ECE over all of them."""
    parts = []
    for kind in WITHOUT:
        inside = found.answerable | (found.kinds == kind)
        value = auroc(probability[inside].tolist(), found.answerable[inside].tolist())
        parts.append(f"{kind} {value:.3f}" if value is not None else f"{kind} none")
    error = calibration_error(probability.tolist(), found.right.tolist())
    return f"AUROC: {', '.join(parts)}; ECE {error:.3f}"


def _row(trigger: Trigger, point: str, found: Tops) -> str:
    given = trigger.probability(found.scores) >= trigger.at(point).threshold
    false = ", ".join(_share(given[found.kinds == kind]) for kind in WITHOUT)
    own = given & found.answerable
    answered = f"{given[found.answerable].mean():.3f}"
    return " | ".join([answered, _share(found.right[own]), _share(found.right[given]), false])


def _share(of: Bools) -> str:
    return f"{of.mean():.3f}" if len(of) else "–"


def _worth(train: Tops, val: Tops) -> str:
    """A line a feature: a logistic regression over the score and it, fitted on train, told of val."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    beside = range(1, len(FEATURES))
    lines = ["beside the score, a logistic regression over it and"]
    for name, columns in (*((FEATURES[at], [0, at]) for at in beside), ("all of these", [0, *beside])):
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(
            train.features[:, columns], train.right
        )
        probability = model.predict_proba(val.features[:, columns])[:, 1]
        lines.append(f"- {name}: {confidence(probability, val)}")
    return "\n".join(lines)


def _unread(texts: Sequence[AskedText], read: set[str]) -> list[AskedText]:
    """The texts without the questions that a reader may have learnt from."""
    return [
        AskedText(
            text.name,
            text.text,
            text.file,
            tuple(one for one in text.questions if one.question.id not in read),
        )
        for text in texts
    ]


def _tops(name: LearntName, texts: Sequence[AskedText]) -> list[TopSentence]:
    settings, embedder = Settings.load(), training_embedder()
    chunker = chunkers.build(
        settings.chunker, size=settings.chunk_size, unit=settings.chunk_unit, overlap=settings.chunk_overlap
    )
    with tempfile.TemporaryDirectory(prefix="sawyer-train-") as place:
        asking = Asking(Path(place), settings, embedder, kept=embedder)
        found = asked_passages(asking, chunker, texts, Shelf(default_directory() / "passages", say))
        return list(top_sentences(load_selector(name), embedder, found))


def _write(name: LearntName, trigger: Trigger, questions: int, seed: int) -> None:
    base = models_directory() / BASES[name]
    artifact = load(base)
    told = {"command": f"python -m eval.train {name}_points", "questions": questions, "seed": seed}
    provenance = {**artifact.config["provenance"], "trigger": told}
    config = {**artifact.config, "trigger": trigger.to_config(), "provenance": provenance}
    save_artifact(base, Artifact(artifact.arrays, config))
    load_learnt.cache_clear()
    print(f"wrote the trigger into models/{BASES[name]}.json")
