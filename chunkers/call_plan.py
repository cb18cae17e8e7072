"""What picking the boundaries of a text will cost, reckoned before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkers.chains import Chains, rehearse
from chunkers.lumber_windows import Windows
from chunkers.pick_prompt import pick_request
from chunkers.sizes import Tokens

# What a model that does not think aloud says, and how long it takes to: a guess that every plan states.
REPLY_TOKENS = 12
SECONDS_A_CALL = 1.5
# Rehearsals of a text, fewer of a long one, on which chance evens itself out.
_MOST_TRIALS, _TRIED_CALLS = 16, 20_000
_SAMPLED = 64  # windows whose prompts are counted, evenly spread


@dataclass(frozen=True, slots=True)
class CallPlan:
    """Expectations where every passage of a window is as likely as the others to begin the next chunk.

    Attributes:
        calls: windows to be sent, expected.
        ahead: further ones, sent ahead of the true chain in vain, expected.
        most: of both together, whatever the picks: no window is sent twice.
        tokens_in: of ``calls + ahead`` prompts, in tokens of the bundled tokenizer.
        tokens_out: of their replies, at `REPLY_TOKENS` each.
        seconds: at `SECONDS_A_CALL` for each, as many at once as there are workers.
        remembered: windows whose picks are known from before and cost nothing.
    """

    calls: int = 0
    ahead: int = 0
    most: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    remembered: int = 0

    def __str__(self) -> str:
        return (
            f"about {self.calls:,} calls and {self.ahead:,} sent ahead in vain (at most {self.most:,} in "
            f"all), about {self.tokens_in:,} tokens in and {self.tokens_out:,} out, about "
            f"{self.seconds:,.0f} seconds at {SECONDS_A_CALL:g} seconds a call; {self.remembered:,} windows "
            "remembered from before"
        )


def plan_calls(
    text: str, windows: Windows, remembered: Mapping[int, int], places: Sequence[int], workers: int
) -> CallPlan:
    """The cost of finding a text's boundaries.

    Args:
        text: what is chunked.
        windows: of the text.
        remembered: start -> next start, as picked before.
        places: (n + 1,) where the passages stand, and where the text ends.
        workers: windows sent at once.
    """
    settled = windows.settled()
    known = {**settled, **remembered}
    asked = [start for start in range(len(windows.first)) if start not in known]
    if not asked:
        return CallPlan(remembered=len(remembered))
    calls = expected_calls(windows, known)
    chance = np.random.default_rng(0)
    trials = [
        rehearse(
            Chains(places, windows.end, settled, remembered, workers),
            lambda start: int(chance.integers(windows.first[start] + 1, windows.end[start] + 1)),
            lambda: SECONDS_A_CALL,
        )
        for _ in range(max(1, min(_MOST_TRIALS, _TRIED_CALLS // len(asked))))
    ]
    needed = max(sum(trial.needed for trial in trials), 1)
    sent = calls * sum(trial.learned for trial in trials) / needed
    return CallPlan(
        calls=round(calls),
        ahead=round(sent) - round(calls),
        most=len(asked),
        tokens_in=round(sent * _prompt_tokens(text, windows, asked)),
        tokens_out=round(sent * REPLY_TOKENS),
        seconds=round(calls * sum(trial.seconds for trial in trials) / needed, 1),
        remembered=len(remembered),
    )


def expected_calls(windows: Windows, known: Mapping[int, int]) -> float:
    """How many windows will be sent when each of a window's picks is as likely as the others.

    Args:
        windows: of a text.
        known: start -> next start where nobody needs to be asked.
    """
    count = len(windows.first)
    after = [0.0] * (count + 1)  # expected from each start on
    total = [0.0] * (count + 2)  # sums of it from each start to the end
    for start in reversed(range(count)):
        if start in known:
            after[start] = after[known[start]]
        else:
            low, high = windows.first[start] + 1, windows.end[start] + 1
            after[start] = 1 + (total[low] - total[high]) / (high - low)
        total[start] = total[start + 1] + after[start]
    return after[0]


def _prompt_tokens(text: str, windows: Windows, asked: Sequence[int]) -> float:
    tokens = Tokens()
    sampled = asked[:: -(-len(asked) // _SAMPLED)]
    requests = [pick_request([span.of(text) for span in windows.shown(at)], as_json=True) for at in sampled]
    return sum(tokens(request.system) + tokens(request.user) for request in requests) / len(requests)
