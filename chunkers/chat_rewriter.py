"""The rewriter that asks a chat model for propositions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers.base import Proposition
from chunkers.boundaries import sentence_spans
from chunkers.chat_request import Unusable
from chunkers.proposition_prompt import PROMPT_VERSION, rewrite_request
from chunkers.proposition_reply import COMPLAINTS, Read, Stated, read_propositions
from core.errors import InvalidValue, UnusableReply
from core.protocols import ChatModel, Count, uncounted
from core.values import Span


@dataclass(frozen=True)
class ChatRewriter:
    """A chat model rewrites a passage as propositions; a `chunkers.base.Rewriter`.

    Identified by the model's name and the prompt's version.

    Attributes:
        asks: requests for one passage at most: the first, and further ones that say what was wrong with
            the reply before.

    Source: Chen et al., "Dense X Retrieval", EMNLP 2024. Deviation: by a prompted model, not by their
        fine-tuned one, and each proposition names the sentences that it comes from.
    """

    chat: ChatModel = field(repr=False)
    asks: int = 2
    model: str = field(init=False)
    prompt: str = field(init=False, default=PROMPT_VERSION)

    def __post_init__(self) -> None:
        if self.asks < 1:
            raise InvalidValue(
                f"asks must be at least 1, got {self.asks}; say how often to ask for a passage"
            )
        object.__setattr__(self, "model", self.chat.name)

    @property
    def name(self) -> str:
        """``chat:MODEL``."""
        return f"chat:{self.model}"

    def rewrite(self, passage: str) -> Sequence[str]:
        """See `chunkers.base.Rewriter`."""
        return [proposition.text for proposition in self.propositions(passage, uncounted)]

    def propositions(self, passage: str, count: Count) -> Sequence[Proposition]:
        """See `chunkers.base.PlacingRewriter`.

        It counts ``asked`` (a passage sent), ``asked again``, ``reply: REASON``, ``no rewriting`` (given
        up after all tries), and of the propositions of a usable reply ``left out`` (blank, repeated,
        endless or too many) and ``of no named sentence`` (they point to the whole passage).
        """
        sentences = sentence_spans(passage)
        if not sentences:
            return []
        as_json = self.chat.keeps_schema(count)
        request = rewrite_request([span.of(passage) for span in sentences], as_json=as_json)
        said = request.ask(
            self.chat, lambda reply: _read(reply, len(sentences)), self.asks, as_json=as_json, count=count
        )
        if not isinstance(said, Unusable):
            return _placed(said, sentences, count)
        count("no rewriting")
        raise UnusableReply(
            f"{self.model} must state the propositions of a passage, got a reply that does not in "
            f"{self.asks} requests (the last: {said.reason}); use another model, or keep such passages as "
            "they are with --on-failure keep",
            reason=said.reason,
        )

    def notices(self) -> Sequence[str]:
        """See `chunkers.base.PlacingRewriter`."""
        return self.chat.notices()


def _read(reply: str, last: int) -> Read | Unusable:
    read = read_propositions(reply, last)
    return read if isinstance(read, Read) else Unusable(read.reason, COMPLAINTS[read.reason])


def _placed(read: Read, sentences: Sequence[Span], count: Count) -> list[Proposition]:
    for _ in range(read.dropped):
        count("left out")
    for _ in range(sum(not one.ids for one in read.stated)):
        count("of no named sentence")
    return [Proposition(_source(one, sentences), one.text) for one in read.stated]


def _source(stated: Stated, sentences: Sequence[Span]) -> Span:
    ids = stated.ids or (1, len(sentences))
    return Span(sentences[ids[0] - 1].start, sentences[ids[-1] - 1].end)
