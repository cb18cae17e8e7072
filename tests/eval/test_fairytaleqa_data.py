"""FairytaleQA: pinned by counts and rows, and bad rows are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import DataError
from core.values import Span
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, Split, StoryQuestion, read_stories, read_training_stories

SPLITS: tuple[Split, Split] = ("train", "val")
VAL = [
    ("assipattle-and-the-mester-stoorworm/1", "Who had seven sons and one daughter?", "a well-to-do farmer"),
    (
        "assipattle-and-the-mester-stoorworm/10",
        "Why did Assipattle's sister help him through his hard life?",
        "She loved him dearly, and who would listen quite patiently to all the stories that he had to tell; "
        "who never laughed at him or told him that he was telling lies, as his brothers did.",
    ),
    (
        "why-dog-and-cat-are-enemies/20",
        "Why were the cat and dog enemies?",
        "The cat took the credit for retrieving the ring.",
    ),
]
TRAIN = [
    ("Snow-man/1", "How did the Snow Man describe the weather?", "delightfully cold"),
    ("Snow-man/10", "Who came into the garden?", "a young girl and a young man"),
    (
        "yuletide-specters/15",
        "What was found lying at every place?",
        "some of the earth from the graves of those who shortly before had been worshiping",
    ),
]


def pinned(questions: list[StoryQuestion]) -> list[tuple[str, str, str]]:
    return [(questions[at].id, questions[at].text, questions[at].answers[0]) for at in (0, 9, -1)]


def plain(text: str) -> str:
    return " ".join(text.split()).lower().removesuffix(".")


def test_fairytaleqa_val_is_1025_questions_on_23_stories(data_root: Path) -> None:
    stories = read_stories(locate(FAIRYTALEQA, data_root).folder, "val")
    assert len(stories) == 23
    assert sum(len(story.sections) for story in stories) == 380
    questions = [question for story in stories for question in story.questions]
    assert len(questions) == 1025
    assert pinned(questions) == VAL
    for story in stories:
        for question in story.questions:
            assert question.sections
            assert all(section.of(story.text).strip() for section in question.sections)


def test_fairytaleqa_train_is_8548_questions_on_232_stories(data_root: Path) -> None:
    stories = read_stories(locate(FAIRYTALEQA, data_root).folder, "train")
    assert len(stories) == 232
    assert sum(len(story.sections) for story in stories) == 3350
    questions = [question for story in stories for question in story.questions]
    assert len(questions) == 8548
    assert len({question.id for question in questions}) == 8548  # ten numbers stand twice in their story
    assert pinned(questions) == TRAIN


def test_training_reads_no_story_by_a_barred_author(data_root: Path) -> None:
    folder = locate(FAIRYTALEQA, data_root).folder
    every = {story.name for split in SPLITS for story in read_stories(folder, split)}
    permitted = [{story.name for story in read_training_stories(folder, split)} for split in SPLITS]
    assert [len(names) for names in permitted] == [230, 22]
    assert every - set.union(*permitted) == {"happy-prince", "remarkable-rocket", "the-selfish-giant"}


def test_fairytaleqa_golds_are_the_sections_that_hold_the_answer(data_root: Path) -> None:
    stories = read_stories(locate(FAIRYTALEQA, data_root).folder, "val")
    held = [
        any(plain(question.answers[0]) in plain(span.of(story.text)) for span in question.sections)
        for story in stories
        for question in story.questions
        if question.explicit
    ]
    assert sum(held) == 571


@pytest.mark.parametrize(
    ("questions", "line", "rule"),
    [
        ("question_id,question\n1,Who?\n", 1, "header must name"),
        (
            "{header}\n1,local,7,character,Who?,explicit,him\n",
            2,
            "cor_section must name sections of the story, got 7",
        ),
        ("{header}\n1,local,1,character, ,explicit,him\n", 2, "question must hold text, got a blank"),
        ("{header}\n1,local\n", 2, "a row must have 7 fields"),
        ("{header}\n1,local,1,a,Who?,explicit,him,more\n", 2, "a row must have 7 fields"),
    ],
)
def test_a_malformed_fairytale_row_is_named_by_file_line_and_rule(
    tmp_path: Path, questions: str, line: int, rule: str
) -> None:
    header = "question_id,local-or-sum,cor_section,attribute1,question,ex-or-im1,answer1"
    for folder, name, text in [
        ("questions", "tale-questions.csv", questions.format(header=header)),
        ("section-stories", "tale-story.csv", 'section,text\n1,"Once, long ago."\n'),
    ]:
        (tmp_path / folder / "val").mkdir(parents=True)
        (tmp_path / folder / "val" / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=f"tale-questions.csv, line {line}: .*{rule}"):
        read_stories(tmp_path, "val")


def test_a_blank_section_is_named(tmp_path: Path) -> None:
    for folder, name, text in [
        ("questions", "tale-questions.csv", ""),
        ("section-stories", "tale-story.csv", 'section,text\n1,"Once."\n2,"\n"\n'),
    ]:
        (tmp_path / folder / "val").mkdir(parents=True)
        (tmp_path / folder / "val" / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"tale-story.csv, line 4: a section must hold text, got a blank"):
        read_stories(tmp_path, "val")


def test_fairytale_spans_are_offsets_into_the_joined_sections(tmp_path: Path) -> None:
    header = "question_id,local-or-sum,cor_section,attribute1,question,ex-or-im1,answer1,answer2"
    for folder, name, text in [
        ("questions", "tale-questions.csv", f'{header}\n1,summary,"1,2",action,Who?,implicit,a fox,\n'),
        (
            "section-stories",
            "tale-story.csv",
            'section,text\n1,"Once, long ago."\n2,"The ""fox"" ran.\nFar."\n',
        ),
    ]:
        (tmp_path / folder / "val").mkdir(parents=True)
        (tmp_path / folder / "val" / name).write_text(text, encoding="utf-8")
    (story,) = read_stories(tmp_path, "val")
    assert story.text == 'Once, long ago.\n\nThe "fox" ran.\nFar.'
    (question,) = story.questions
    assert question.sections == (Span(0, 15), Span(17, 36))
    assert [span.of(story.text) for span in question.sections] == ["Once, long ago.", 'The "fox" ran.\nFar.']
    assert (question.answers, question.explicit, question.local) == (("a fox",), False, False)
