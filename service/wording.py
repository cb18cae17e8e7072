"""What people are told of an answer: the same words on the command line and on the chat page.

Plain text as it comes; each surface makes it safe to show (`service.cli.output`, `service.page.rendering`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answering.asked_kind import kind_of
from answering.base import Reason
from core.values import Span
from service.column_words import together
from service.naming import unlabelled
from service.values import Answer

# What each operating point is for; the README says the same.
POINTS_IN_WORDS: Mapping[str, str] = {
    "balanced": "the best balance between wrong answers and missed ones",
    "careful": "answers of which three in five can be promised to be right",
    "eager": "rather a wrong answer than a missed one",
}
CLOSEST_SHOWN = 3  # passages, where there is no answer

_CONFIDENCE = ((0.9, "very likely"), (0.7, "likely"), (0.5, "rather likely"), (0.3, "unsure"))
_LOWEST_CONFIDENCE = "little more than a guess"
# What each reason means, as a clause; the README says the same.
REASONS: Mapping[Reason, str] = {
    "answered": "the best sentence is sure enough",
    "no_evidence": "no sentence here says enough about what you ask",
    "type_mismatch": "the closest sentences do not hold the kind of thing that you ask for",
    "ambiguous": "two sentences of different places fit about equally well, and neither stands out",
    "empty_collection": "the collection holds no text yet",
}


def confidence(probability: float) -> str:
    """A probability in words and number: ``likely (0.78)``."""
    words = next((words for least, words in _CONFIDENCE if probability >= least), _LOWEST_CONFIDENCE)
    return f"{words} ({probability:.2f})"


def why_not(answer: Answer) -> str:
    """Why there is no answer, as a clause; of an empty collection each surface says what to do itself."""
    kind = kind_of(answer.question) if answer.decision.reason == "type_mismatch" else None
    if kind is not None:
        return f"you ask for {kind.words}, and none of the closest sentences holds one"
    return REASONS[answer.decision.reason]


def shortfall(answer: Answer) -> str:
    """How near the best sentence came, as a sentence; empty where there was none to come near."""
    decision = answer.decision
    if not decision.ranked:
        return ""
    return (
        f"The best sentence, chosen by {answer.selector}, reaches {decision.probability:.2f}; "
        f"an answer needs {decision.threshold:.2f}."
    )


def chosen_by(answer: Answer) -> str:
    """What chose the sentence, and how sure it must be: ``overlap, which answers from 0.35``."""
    return f"{answer.selector}, which answers from {answer.decision.threshold:.2f}"


def likelihood(answer: Answer) -> str:
    """How likely an answer is there at all, as a sentence; empty where the selector cannot tell."""
    existence = answer.decision.existence
    return "" if existence is None else f"How likely these passages hold an answer at all: {existence:.2f}."


def reasons_for(answer: Answer) -> list[tuple[str, str]]:
    """What spoke for the best sentence (``+0.84``) and against it, and what that is, the strongest first."""
    return [(f"{moved:+.2f}", what) for what, moved in together(answer.decision.mattered)]


def names_above(title: str, chapter: Sequence[str]) -> list[str]:
    """Title and headings above a passage, outermost first; nothing twice, nothing blank."""
    # A Markdown file's first heading is its title.
    headings = chapter[1:] if chapter and unlabelled(chapter[0]) == title else chapter
    return [name for name in (title, *headings) if name.strip()]


def place(span: Span) -> str:
    """Where in the text: ``characters 1,204–1,260``."""
    return f"characters {span.start:,}–{span.end:,}"


def shortened(text: str, size: int) -> str:
    """The beginning of a text on one line, at most ``size`` characters, cut between words where there are."""
    line = " ".join(text.split())
    if len(line) <= size:
        return line
    head = Span(0, size).of(line)
    space = head.rfind(" ", size // 2)
    return Span(0, space if space > 0 else size).of(line).rstrip() + " …"
