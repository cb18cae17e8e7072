"""Fit the question classes, and measure them by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answering.question_class import QuestionClassifier, coarse_of, fit, load_classifier, save_classifier
from answering.question_rules import class_by_rule
from answering.word_vectors import load_word_vectors
from eval.datasets.trec_qc import LabelledQuestion, read_trec_qc

FOLDS = 5


def train(folder: Path, *, seed: int, save: bool) -> None:
    """Print held-out accuracy, fit on all questions, and write ``models/question_class`` when ``save``.

    Args:
        folder: the set's own folder.
        seed: of folds and fitting.
        save: whether to write.
    """
    questions = read_trec_qc(folder, "train")
    fine, coarse = held_out(questions, seed=seed)
    print(f"{FOLDS} folds of {len(questions):,} questions: fine {fine:.4f}, coarse {coarse:.4f}")
    ruled = [class_by_rule(question.text) for question in questions]
    right = [coarse_of(rule) == coarse_of(one.label) for rule, one in zip(ruled, questions, strict=True)]
    print(f"by rule, nothing fitted: coarse {np.mean(right):.4f}")
    classifier = _fit(questions, seed)
    if save:
        save_classifier(
            classifier,
            command="python -m eval.train question_class",
            data="UIUC question classes, train (5,452 questions, no licence stated); word vectors GloVe 6B",
            seed=seed,
            folds=FOLDS,
            held_out={"fine": round(fine, 4), "coarse": round(coarse, 4)},
        )
        load_classifier.cache_clear()
        kept = load_classifier()
        same = [kept.classify(one.text) == classifier.classify(one.text) for one in questions]
        print(f"{len(kept.names):,} features; rounding keeps the class of {np.mean(same):.4f}")
        print("wrote models/question_class.npz and models/question_class.json")


def held_out(questions: Sequence[LabelledQuestion], *, seed: int) -> tuple[float, float]:
    """Fine and coarse accuracy over folds in which equal questions stay together."""
    from sklearn.model_selection import GroupKFold

    texts = [question.text.casefold() for question in questions]
    labels = [question.label for question in questions]
    fine, coarse = [], []
    folds = GroupKFold(FOLDS, shuffle=True, random_state=seed)
    for inside, outside in folds.split(texts, groups=texts):
        classifier = _fit([questions[at] for at in inside], seed)
        for at in outside:
            found = classifier.classify(questions[at].text)
            fine.append(found == labels[at])
            coarse.append(coarse_of(found) == coarse_of(labels[at]))
    return float(np.mean(fine)), float(np.mean(coarse))


def _fit(questions: Sequence[LabelledQuestion], seed: int) -> QuestionClassifier:
    return fit(
        [question.text for question in questions],
        [question.label for question in questions],
        load_word_vectors(),
        seed=seed,
    )
