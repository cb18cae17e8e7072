"""What rewriting a text's chunks will cost, reckoned before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkers.boundaries import sentence_spans
from chunkers.proposition_prompt import rewrite_request
from chunkers.sizes import Tokens
from core.values import Span

# What a model writes for each token of a passage, and how fast it writes: guesses that every plan states.
TIMES_THE_PASSAGE = 2.0
TOKENS_A_SECOND = 60.0
_SAMPLED = 64  # passages whose prompts are counted, evenly spread


@dataclass(frozen=True, slots=True)
class RewritePlan:
    """What is sent when every first reply is usable; one that is not is asked for again.

    Attributes:
        calls: passages to be sent.
        most: requests in all, whatever the replies.
        tokens_in: of their prompts, in tokens of the bundled tokenizer.
        tokens_out: of their replies, at `TIMES_THE_PASSAGE` the passage's tokens.
        seconds: at `TOKENS_A_SECOND`, as many calls at once as there are workers.
    """

    calls: int = 0
    most: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.calls:,} calls (at most {self.most:,}, with those for replies that cannot be used), "
            f"about {self.tokens_in:,} tokens in and {self.tokens_out:,} out at {TIMES_THE_PASSAGE:g} times "
            f"what is rewritten, about {self.seconds:,.0f} seconds at {TOKENS_A_SECOND:g} tokens a second"
        )


def plan_rewriting(text: str, spans: Sequence[Span], *, asks: int, workers: int) -> RewritePlan:
    """The cost of rewriting a text's passages.

    Args:
        text: the document's.
        spans: of its passages.
        asks: requests for one passage at most.
        workers: passages sent at once.
    """
    if not spans:
        return RewritePlan()
    tokens = Tokens()
    sampled = spans[:: -(-len(spans) // _SAMPLED)]
    passages = [span.of(text) for span in sampled]
    share = len(spans) / len(sampled)
    requests = [
        rewrite_request([one.of(passage) for one in sentence_spans(passage)], as_json=True)
        for passage in passages
    ]
    sent = sum(tokens(request.system) + tokens(request.user) for request in requests)
    written = TIMES_THE_PASSAGE * share * sum(map(tokens, passages))
    return RewritePlan(
        calls=len(spans),
        most=len(spans) * asks,
        tokens_in=round(sent * share),
        tokens_out=round(written),
        seconds=written / TOKENS_A_SECOND / min(workers, len(spans)),
    )
