"""From gold answers to judgements, under a rule with a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from core.errors import InvalidValue
from core.values import Span
from eval.metrics import ranking
from eval.values import ChunkedBook, Qrels, Query, Run

Rule = Literal["substring", "span", "proposition"]
RULES: tuple[Rule, ...] = get_args(Rule)


def rule_for(asked: Rule | None, queries: Sequence[Query], *, placed: bool, rewritten: bool = False) -> Rule:
    """The rule to judge a book by: the one asked for, else ``span`` or ``proposition`` where it is meant.

    Args:
        placed: whether the chunks are slices of the book, so that they have spans.
        rewritten: whether the chunks say in other words what the book says.

    Raises:
        InvalidValue: ``span`` is asked for, and queries or chunks have no spans; ``proposition``, and a query
            has none.
    """
    spanned = all(query.span is not None for query in queries)
    propositions = all(query.proposition is not None for query in queries)
    if asked is None and rewritten and propositions:
        return "proposition"
    if asked is None:
        return "span" if spanned and placed else "substring"
    if asked == "proposition" and not propositions:
        raise InvalidValue(
            "rule proposition needs a Proposition Answer for every question, got some without; use substring"
        )
    if asked == "span" and not spanned:
        raise InvalidValue("rule span needs questions with start and end, got gold strings; use substring")
    if asked == "span" and not placed:
        raise InvalidValue("rule span needs chunks cut from the book, got a chunk file; use substring")
    return asked


def judge(rule: Rule, queries: Sequence[Query], book: ChunkedBook) -> Qrels:
    """Gain 1 for every chunk that is relevant under the rule; each query is present.

    ``substring``: the lower-cased chunk text contains the lower-cased gold string.
    ``proposition``: the same, of the gold that the question has for propositions.
    ``span``: the chunk's span holds the whole gold span.

    Source: ``substring`` and, for the method Propositions, ``proposition`` are the rules of GutenQA's authors
    (github joaodsmarques/LumberChunker, Code/Retrieval_Granularities_Eval.ipynb).
    """
    if rule != "span":
        lowered = [text.lower() for text in book.texts]
        return {
            query.id: {str(at): 1 for at, text in enumerate(lowered) if gold_of(rule, query).lower() in text}
            for query in queries
        }
    return {
        query.id: {str(at): 1 for at, span in enumerate(_spans(book)) if span.holds(_span(query))}
        for query in queries
    }


def gold_of(rule: Rule, query: Query) -> str:
    """The string that the rule looks for.

    Raises:
        InvalidValue: the rule is ``proposition`` and the query has none.
    """
    if rule != "proposition":
        return query.gold
    if query.proposition is None:
        raise InvalidValue(f"rule proposition needs a Proposition Answer, {query.id} has none; use substring")
    return query.proposition


def first_relevant(qrels: Qrels, run: Run) -> Qrels:
    """Judgements in which only each query's highest ranked relevant id is relevant.

    The published metric counts the first chunk that holds the gold; a second one, from overlapping
    chunks or from a repeat in the text, gains nothing. A query none of whose relevant ids is ranked
    keeps the first of them.
    """
    reduced: dict[str, dict[str, int]] = {}
    for query, gains in qrels.items():
        relevant = [id_ for id_, gain in gains.items() if gain > 0]
        best = next((id_ for id_ in ranking(run.get(query, {})) if gains.get(id_, 0) > 0), None)
        kept = best if best is not None else next(iter(relevant), None)
        reduced[query] = {} if kept is None else {kept: gains[kept]}
    return reduced


def _spans(book: ChunkedBook) -> tuple[Span, ...]:
    if book.spans is None:
        raise InvalidValue("rule span needs chunks cut from the book, got a chunk file; use substring")
    return book.spans


def _span(query: Query) -> Span:
    if query.span is None:
        raise InvalidValue(f"rule span needs a span for every question, {query.id} has none; use substring")
    return query.span
