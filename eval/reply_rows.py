"""Rows on what became of questions: those with an answer, each kind of those without, and all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from eval.answer_scoring import Reply
from eval.asked import KINDS, Kind
from eval.group_draws import GroupDraws
from eval.metrics import TopCandidate, aurc, auroc, calibration_error, triggering
from eval.significance import bootstrap_interval
from eval.table import TableRow

PLACES = (1, 3)
# What `reply_rows` gives an interval that a table prints.
BOUNDED = ("right@1", "right@3", "answered", "right of answered", "auroc")
ALL = "all"

Labels = Mapping[str, str | int]


def reply_rows(labels: Labels, replies: Sequence[Reply]) -> list[TableRow]:
    """A row a kind of question that was asked, and where there are several one of all together.

    ``answered`` is the share that was given an answer; of a kind without an answer, each is a false one.
    Intervals draw groups (books, stories), then questions.
    """
    asked: list[Kind] = [kind for kind in KINDS if any(reply.kind == kind for reply in replies)]
    answerable = [reply for reply in replies if reply.answerable]
    rows = []
    for kind in asked:
        of_kind = [reply for reply in replies if reply.kind == kind]
        rows.append(
            _answerable(labels, of_kind) if kind == "answerable" else _without(labels, answerable, of_kind)
        )
    if len(asked) > 1:
        mix = " : ".join(f"{sum(reply.kind == kind for reply in replies)} {kind}" for kind in asked)
        rows.append(_together({**labels, "asked": ALL}, replies, mix))
    return rows


def _answerable(labels: Labels, replies: Sequence[Reply]) -> TableRow:
    """``right@k`` and ``answered`` within a text, then over texts; ``auroc`` parts right first sentences from
    wrong ones.
    """
    homes = list(dict.fromkeys(reply.home for reply in replies))
    texts = [[reply for reply in replies if reply.home == home] for home in homes]
    values = {
        **{f"right@{k}": [[reply.right_within(k) for reply in text] for text in texts] for k in PLACES},
        "answered": [[float(reply.answered) for reply in text] for text in texts],
    }
    row = _together({**labels, "asked": "answerable"}, replies, "answerable alone")
    figures = {metric: fmean(map(fmean, of)) for metric, of in values.items()}
    intervals = {metric: bootstrap_interval(of) for metric, of in values.items()}
    return TableRow(row.labels, {**row.figures, **figures}, {**row.intervals, **intervals}, row.details)


def _without(labels: Labels, answerable: Sequence[Reply], replies: Sequence[Reply]) -> TableRow:
    """``auroc`` parts answerable questions from these; ``of right``, those with a right first sentence."""
    every = [*answerable, *replies]
    draws = GroupDraws.of([reply.group for reply in every])
    ours = [not reply.answerable for reply in every]
    figures = {"answered": fmean(reply.answered for reply in replies)}
    intervals = {"answered": draws.share([reply.answered and not reply.answerable for reply in every], ours)}
    for metric, positive in (
        ("auroc", [reply.answerable for reply in every]),
        ("auroc of right", [_right(reply) for reply in every]),
    ):
        chosen = [
            (reply.confidence, yes) for reply, yes, no in zip(every, positive, ours, strict=True) if yes or no
        ]
        value = auroc([one for one, _ in chosen], [yes for _, yes in chosen])
        if value is not None:
            figures[metric] = value
            intervals[metric] = draws.auroc([reply.confidence for reply in every], positive, ours)
    return TableRow({**labels, "asked": replies[0].kind, "n": len(replies)}, figures, intervals)


def _together(labels: Labels, replies: Sequence[Reply], mix: str) -> TableRow:
    """What the trigger gave out, over all of these questions, in the mix that the row's details state."""
    given = triggering([_candidate(reply) for reply in replies], 1.0)
    draws = GroupDraws.of([reply.group for reply in replies])
    answered = [reply.answered for reply in replies]
    right = [reply.answered and _right(reply) for reply in replies]
    return TableRow(
        labels={**labels, "n": len(replies)},
        figures={
            "answered": fmean(answered),
            "right of answered": given.precision,
            "trigger recall": given.recall,
            "trigger f1": given.f1,
            **confidence_figures(replies),
        },
        intervals={
            "answered": draws.share(answered, [1] * len(replies)),
            "right of answered": draws.share(right, answered),
        },
        details={"mix": mix, "answered_right": sum(right)},
    )


def confidence_figures(replies: Sequence[Reply]) -> dict[str, float]:
    """``aurc`` (less is better), ``auroc`` and ``ece`` of the first sentences' probabilities.

    What has no value on these replies is left out. A question without a candidate counts as one that is wrong
    at no confidence at all.
    """
    confidences, right = confidences_of(replies)
    found = {
        "auroc": auroc(confidences, right),
        "aurc": aurc(confidences, right),
        "ece": calibration_error(confidences, right),
    }
    return {metric: value for metric, value in found.items() if value is not None}


def confidences_of(replies: Sequence[Reply]) -> tuple[list[float], list[bool]]:
    """For each reply the probability of its first sentence, and whether it is right."""
    return [reply.confidence for reply in replies], [_right(reply) for reply in replies]


def _right(reply: Reply) -> bool:
    return reply.answerable and reply.right == 1


def _candidate(reply: Reply) -> TopCandidate:
    """The trigger's own decision as a score: 1 when it answered, so that the threshold is its own."""
    return TopCandidate(
        score=float(reply.answered), right=reply.answered and _right(reply), answerable=reply.answerable
    )
