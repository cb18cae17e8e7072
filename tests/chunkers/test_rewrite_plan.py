"""What rewriting will cost is told before anything is sent."""

from __future__ import annotations

from pathlib import Path

import chunkers
from chunkers.base import cut
from chunkers.recipe import Models
from chunkers.rewrite_plan import TIMES_THE_PASSAGE, TOKENS_A_SECOND
from chunkers.sizes import Tokens
from tests.support.chat_fake import FakeChat

STORY = (Path(__file__).parent / "texts" / "ferryman.md").read_bytes().decode()
ANSWER = '[{"ids": [1], "text": "A fact."}]'


def test_the_plan_counts_what_is_then_sent() -> None:
    chat = FakeChat(lambda *_: ANSWER, keeps_schema=True)
    chunker = chunkers.build("proposition", size=400, models=Models(chat=chat, workers=2))
    plan = chunker.plan(STORY)
    assert chat.asked == []
    made = cut(STORY, chunker)
    tokens = Tokens()
    assert plan.calls == len(chat.asked) == made.counts["asked"]
    assert plan.most == 2 * plan.calls
    sent = sum(tokens(asked.system) + tokens(asked.user) for asked in chat.asked)
    assert abs(plan.tokens_in - sent) < 0.05 * sent
    shown = sum(tokens(span.of(STORY)) for span in made.spans)
    assert abs(plan.tokens_out - TIMES_THE_PASSAGE * shown) < 0.05 * plan.tokens_out
    assert abs(plan.seconds - plan.tokens_out / TOKENS_A_SECOND / 2) < 0.1
    assert f"{plan.calls:,} calls" in str(plan)


def test_blank_text_costs_nothing() -> None:
    chunker = chunkers.build("proposition", models=Models(chat=FakeChat(lambda *_: ANSWER)))
    assert chunker.plan(" \n") == type(chunker.plan(" "))()
