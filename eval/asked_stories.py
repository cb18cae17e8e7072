"""Stories joined to texts of a book's length, asked what they hold and, without some, what they don't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from core.errors import DataError
from eval.asked import AskedQuestion, AskedText, Kind, foreign_questions, own_questions
from eval.datasets.fairytaleqa import Story
from eval.evidence import answer_sentences
from eval.joined import JoinedText, join, joined
from eval.placed import PlacedQuestion

# Texts that are made of one so that each origin is missing in one of them: a quarter of the origins each.
ROUNDS = 4


def asked_stories(stories: Sequence[Story], origins: Mapping[str, str]) -> list[AskedText]:
    """The joined texts, and each again without some of its stories, asked the questions of just those.

    Questions are the explicit ones whose first answer stands in a gold section; evidence is the sentences
    that hold it. For ``other author`` all stories of some origins are left out, in `ROUNDS` rounds; for
    ``sibling`` at most one story of an origin, in as many rounds as the origin with most stories has of
    them, and only stories whose origin another story of the text shares.

    Args:
        origins: of each story, by its name in small letters.

    Raises:
        DataError: a story without an origin.
    """
    missing = [story.name for story in stories if story.name.lower() not in origins]
    if missing:
        raise DataError(f"every story must have an origin, got none for {', '.join(missing)}")
    of = {story.name: origins[story.name.lower()] for story in stories}
    found = []
    for text in join(stories):
        own = verbatim(text)
        groups = [story_of(question) for question in own]
        found.append(_asked(text, own_questions(own, text.name, groups)))
        names = [story.name for story in text.stories]
        found += _without(text, own, "other author", _by_origin(names, of))
        found += _without(text, own, "sibling", _one_each(names, of))
    return found


def _without(
    text: JoinedText, own: Sequence[PlacedQuestion], kind: Kind, rounds: Sequence[Sequence[str]]
) -> Iterator[AskedText]:
    """The text without the stories of each round, asked their questions; a text of no story is not asked."""
    for number, left_out in enumerate(rounds, start=1):
        kept = [story for story in text.stories if story.name not in set(left_out)]
        questions = [question for question in own if story_of(question) in set(left_out)]
        if kept and questions:
            fewer = joined(f"{text.name}-{kind.replace(' ', '-')}-{number}", kept)
            groups = [story_of(question) for question in questions]
            yield _asked(fewer, foreign_questions(questions, kind, text.name, groups))


def _by_origin(names: Sequence[str], origins: Mapping[str, str]) -> list[list[str]]:
    present = sorted({origins[name] for name in names})
    return [
        [name for name in names if origins[name] in present[number::ROUNDS]]
        for number in range(min(ROUNDS, len(present)))
    ]


def _one_each(names: Sequence[str], origins: Mapping[str, str]) -> list[list[str]]:
    counts = Counter(origins[name] for name in names)
    shared = sorted((name for name in names if counts[origins[name]] > 1), key=origins.__getitem__)
    # Neighbours are of one origin, and no origin has more stories than there are rounds.
    rounds = max(counts.values(), default=0)
    return [shared[number::rounds] for number in range(rounds)]


def _asked(text: JoinedText, questions: tuple[AskedQuestion, ...]) -> AskedText:
    return AskedText(text.name, text.text, f"{text.name}.txt", questions)


def verbatim(text: JoinedText) -> list[PlacedQuestion]:
    """The explicit questions whose first answer stands in a gold section; golds are the sentences with it."""
    found = (
        PlacedQuestion(
            asked.question.id,
            asked.question.text,
            answer_sentences(text.text, asked.sections, asked.question.answers[0]),
        )
        for asked in text.questions
        if asked.question.explicit and asked.question.answers
    )
    return [question for question in found if question.golds]


def story_of(question: PlacedQuestion) -> str:
    """The name of the story that it was asked on."""
    return question.id.partition("/")[0]
