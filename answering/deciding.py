"""One sentence or none, with everything that can be said of why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answering import Selector
from answering.asked_kind import kind_of
from answering.base import Candidate, Decision, Explaining, Reason
from answering.trigger import Trigger
from core.protocols import Scorer

# The best candidates, those that could be given out next, that are searched for the kind of thing asked for.
CLOSEST = 3
# The second best is as good as the best when its probability is at least this share of the best one's.
EQUAL = 0.8


def decide(question: str, candidates: Sequence[Candidate], scorer: Scorer, selector: Selector) -> Decision:
    """Score the candidates and answer with the best, or with none and why not.

    Args:
        scorer: of ``selector``, for the collection that is asked.
    """
    texts = [candidate.text for candidate in candidates]
    read = scorer.read(question, candidates) if isinstance(scorer, Explaining) else None
    scores = scorer.score(question, texts) if read is None else read.scores
    decision = selector.trigger.decide(candidates, scores)
    if not decision.ranked:
        return decision
    best = decision.ranked[0]
    exists = selector.existence
    return replace(
        decision,
        reason=reason_of(question, decision, selector.trigger),
        existence=None if exists is None else float(exists.probability(best.score)),
        # max() gives the first of equals, as the ranking does.
        mattered=() if read is None else tuple(read.mattered(max(range(len(texts)), key=scores.__getitem__))),
    )


def reason_of(question: str, decision: Decision, trigger: Trigger) -> Reason:
    """The reason of a decision over ranked candidates; it refines a refusal and makes none.

    ``type_mismatch``: a kind of `asked_kind.kind_of` is asked for, and none of the `CLOSEST` best holds one.
    ``ambiguous``: the two best, which say different things and are no neighbours, each stay below the
    threshold, the second within `EQUAL` of the first, and reach it together.
    """
    if decision.reason != "no_evidence":
        return decision.reason
    kind = kind_of(question)
    if kind and not any(kind.held_by(one.candidate.text) for one in decision.ranked[:CLOSEST]):
        return "type_mismatch"
    return "ambiguous" if _ambiguous(decision, trigger) else "no_evidence"


def _ambiguous(decision: Decision, trigger: Trigger) -> bool:
    """Whether the best and the second best, were they one, would have been answered with."""
    if len(decision.ranked) < 2:
        return False
    first, second = (one.candidate for one in decision.ranked[:2])
    neighbours = first.chunk_id == second.chunk_id and second.text in (first.before, first.after)
    if neighbours or first.text == second.text:
        return False
    best, other = (float(trigger.probability(one.score)) for one in decision.ranked[:2])
    return other >= EQUAL * best and best + other >= decision.threshold
