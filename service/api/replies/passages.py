"""Passages, answers and chunks on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from answering.base import Candidate, Contribution, Decision, Reason, Scored
from chunkers.base import Cut, Proposition
from core.values import Chunk, Hit, Span
from service.api.replies.base import Reply
from service.values import Answer, Retrieval
from service.wording import REASONS


class HitReply(Reply):
    """One passage; ``text`` is the document's text from ``start`` to ``end``."""

    rank: int
    score: float
    chunk_id: str
    document_id: str
    title: str
    chapter: str = Field(description="The headings above the passage, joined by ` / `.")
    start: int
    end: int
    text: str
    headings: list[str] = Field(description="The headings above the passage, outermost first.")
    index_text: str | None = Field(None, description="What the lexical index reads in place of the text.")

    @staticmethod
    def of(hit: Hit, title: str) -> HitReply:
        """The wire form of a hit."""
        chunk = hit.chunk
        return HitReply(
            rank=hit.rank,
            score=hit.score,
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            title=title,
            chapter=chunk.chapter_path,
            start=chunk.span.start,
            end=chunk.span.end,
            text=chunk.text,
            headings=list(chunk.chapter),
            index_text=chunk.index_text,
        )

    def hit(self) -> Hit:
        """The hit that this is the wire form of."""
        span = Span(self.start, self.end)
        chunk = Chunk(self.chunk_id, self.document_id, span, self.text, tuple(self.headings), self.index_text)
        return Hit(chunk, self.score, self.rank)


class RetrieveReply(Reply):
    """Passages, best first."""

    hits: list[HitReply]

    @staticmethod
    def of(found: Retrieval) -> RetrieveReply:
        """The wire form of what was found."""
        return RetrieveReply(hits=_hits(found))

    def retrieval(self, question: str) -> Retrieval:
        """The retrieval that this is the wire form of."""
        return Retrieval(question, [hit.hit() for hit in self.hits], self.titles())

    def titles(self) -> dict[str, str]:
        """Titles by document id."""
        return {hit.document_id: hit.title for hit in self.hits}


class SentenceReply(Reply):
    """A sentence of a passage; ``before`` and ``after`` are its neighbours there, or empty."""

    text: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    before: str
    after: str
    score: float
    rank: int = Field(1, description="Of the first passage that holds it, from 1.")

    @staticmethod
    def of(scored: Scored) -> SentenceReply:
        """The wire form of a scored sentence."""
        candidate = scored.candidate
        return SentenceReply(
            text=candidate.text,
            document_id=candidate.document_id,
            chunk_id=candidate.chunk_id,
            start=candidate.span.start,
            end=candidate.span.end,
            before=candidate.before,
            after=candidate.after,
            score=scored.score,
            rank=candidate.rank,
        )

    def scored(self) -> Scored:
        """The scored sentence that this is the wire form of."""
        span = Span(self.start, self.end)
        candidate = Candidate(
            self.document_id, self.chunk_id, span, self.text, self.before, self.after, self.rank
        )
        return Scored(candidate, self.score)


class ContributionReply(Reply):
    """What one column of the selector did to the best sentence's score."""

    column: str
    log_odds: float = Field(description="For the sentence where positive, against it where negative.")


class AnswerReply(RetrieveReply):
    """One sentence, or null with the reason, and the passages that were looked through."""

    answer: SentenceReply | None
    probability: float = Field(description="That the best sentence is right; 0 without one.")
    threshold: float = Field(description="From what probability the selector answers.")
    reason: Reason = Field(description="; ".join(f"`{one}`: {words}" for one, words in REASONS.items()) + ".")
    existence: float | None = Field(
        None,
        description="The probability that an answer is among the sentences at all; null where the selector "
        "cannot tell.",
    )
    mattered: list[ContributionReply] = Field(
        [],
        description="What the best sentence owes its score to, the strongest first; empty where the "
        "selector cannot tell.",
    )
    selector: str = Field(description="What scored the sentences and decided.")
    candidates: list[SentenceReply] | None = Field(
        None, description="Every sentence that was considered, best first; null unless asked for."
    )
    generated: str | None = Field(
        None, description="What a chat model wrote from the passages, if one is set."
    )

    @staticmethod
    def of_answer(answer: Answer, *, candidates: bool) -> AnswerReply:
        """The wire form of an answer."""
        decision = answer.decision
        best = decision.answer
        return AnswerReply(
            hits=_hits(answer),
            answer=SentenceReply.of(best) if best else None,
            probability=decision.probability,
            threshold=decision.threshold,
            reason=decision.reason,
            existence=decision.existence,
            mattered=[ContributionReply(column=m.column, log_odds=m.log_odds) for m in decision.mattered],
            selector=answer.selector,
            candidates=[SentenceReply.of(one) for one in decision.ranked] if candidates else None,
            generated=answer.generated,
        )

    def value(self, question: str) -> Answer:
        """The answer that this is the wire form of; its candidates only where they were asked for."""
        ranked = [sentence.scored() for sentence in self.candidates or ()]
        mattered = tuple(Contribution(one.column, one.log_odds) for one in self.mattered)
        decision = Decision(
            tuple(ranked), self.threshold, self.probability, self.reason, self.existence, mattered
        )
        hits = [hit.hit() for hit in self.hits]
        return Answer(question, hits, decision, self.titles(), self.generated, self.selector)


class PropositionReply(Reply):
    """What a chunk states, in other words, made of the given text from ``start`` to ``end``."""

    start: int
    end: int
    text: str


class ChunkReply(Reply):
    """One chunk; ``text`` is the given text from ``start`` to ``end``."""

    id: str
    start: int
    end: int
    text: str
    chapter: str
    propositions: list[PropositionReply] = Field([], description="Texts that the chunk is also found by.")

    @staticmethod
    def of(chunk: Chunk, propositions: Sequence[Proposition] = ()) -> ChunkReply:
        """The wire form of a chunk."""
        return ChunkReply(
            id=chunk.id,
            start=chunk.span.start,
            end=chunk.span.end,
            text=chunk.text,
            chapter=chunk.chapter_path,
            propositions=[
                PropositionReply(start=one.span.start, end=one.span.end, text=one.text)
                for one in propositions
            ],
        )

    @staticmethod
    def all_of(chunks: Sequence[Chunk], made: Cut) -> list[ChunkReply]:
        """The wire forms of the chunks of a cut."""
        propositions = made.propositions or [()] * len(chunks)
        return [ChunkReply.of(one, some) for one, some in zip(chunks, propositions, strict=True)]


class ChunksReply(Reply):
    """The chunks of a text, in reading order."""

    chunks: list[ChunkReply]
    notices: list[str] = Field([], description="What was done otherwise than one might expect.")
    counts: dict[str, int] = Field(
        {}, description="What the chunker counted: calls, retries, failed windows."
    )


def _hits(found: Retrieval | Answer) -> list[HitReply]:
    return [HitReply.of(hit, found.titles.get(hit.chunk.document_id, "")) for hit in found.hits]
