from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from answering import SELECTORS
from answering.trigger import POINTS
from tests.browser.visit import Visit
from tests.support.fake_sawyer import LONGEST_QUESTION
from tests.support.page_server import ASK_FOR_A_BUG, ASK_FOR_AN_ERROR, SECRET, STORE_TEXT

pytestmark = pytest.mark.browser

Open = Callable[..., Visit]

# Labels in Settings.
SELECTOR, POINT = "What chooses the sentence", "How sure it must be"
HOSTILE_NAME = "<img src=x onerror=window.taken=1>.md"
HOSTILE_LINES = [
    "<img src=x onerror=window.taken=1> <img src=http://elsewhere.invalid/pixel.png>",
    "![](http://elsewhere.invalid/pixel.png)",
    "[x](javascript:window.taken=1)",
    "$$\\href{javascript:window.taken=1}{x}$$",
    "{{constructor.constructor('window.taken=1')()}} ${window.taken=1}",
    "<script>window.taken=1</script><style>*{display:none}</style>",
    "<a href=http://elsewhere.invalid/>zebra</a>",
]


def hostile_book(animal: str) -> bytes:
    """Every line in one sentence, which a question about the animal finds."""
    return f"# <img src=x onerror=window.taken=1>\n\nThe {animal} said {' '.join(HOSTILE_LINES)}".encode()


def assert_nothing_was_rendered(visit: Visit) -> None:
    ours = "#sawyer-chat .sawyer-answer, #sawyer-chat .sawyer-asked, #sawyer-documents, #sawyer-reports"
    foreign = ", ".join(f":is({ours}) {tag}" for tag in ("img", "script", "style", "a", "iframe", "math"))
    assert visit.page.locator(foreign).count() == 0
    assert visit.page.evaluate("window.taken") is None


def test_a_sample_question_gets_its_sentence_then_its_passage_source_and_confidence(
    visit: Open, scripted: str
) -> None:
    here = visit(scripted)
    assert here.page.title() == "Sawyer"
    answer = here.press(here.page.get_by_role("button", name="shingle bank"))
    sentence = answer.locator(".sawyer-sentence").inner_text()
    passage = answer.locator(".sawyer-passage")
    assert "a bank of shingle that was called the Sow" in sentence
    assert passage.locator("mark").all_inner_texts() == [sentence]
    assert len(passage.inner_text()) > len(sentence) + 100
    source = answer.locator(".sawyer-source").inner_text()
    assert re.fullmatch(
        r"The Tide Book · Chapter Three: Eight Feet of Water · characters 5,6\d\d–5,\d{3}", source
    )
    assert re.fullmatch(
        r"Confidence: .*likely \([01]\.\d\d\)", answer.locator(".sawyer-confidence").inner_text()
    )


def test_enter_sends_and_a_question_without_answer_gets_an_honest_no_with_three_passages(
    visit: Open, scripted: str
) -> None:
    here = visit(scripted)
    answer = here.ask("Which zeppelin carried the ambassador's umbrella?")
    assert here.page.locator("#sawyer-question textarea").input_value() == ""
    assert answer.locator(".sawyer-verdict").inner_text().startswith("Not in this text")
    assert "No sentence here says enough" in answer.locator(".sawyer-reason").inner_text()
    closest = answer.locator(".sawyer-closest")
    assert closest.count() == 3
    passage = closest.first.locator(".sawyer-passage")
    assert not passage.is_visible()
    closest.first.locator("summary").click()
    assert passage.is_visible()


def test_a_visitor_may_choose_the_selector_out_of_all_and_sees_which_one_answered(
    visit: Open, scripted: str
) -> None:
    here = visit(scripted)
    question = "What had the brown dog Ballast been taught to do at high and low water?"
    assert not here.page.get_by_label(SELECTOR).is_visible()
    by = here.ask(question).locator(".sawyer-selector")
    assert by.inner_text() == "Chosen by clean, which answers from 0.50"
    here.page.get_by_role("button", name="Settings").click()
    assert here.options(SELECTOR) == ["as the server is set", *SELECTORS]
    here.page.get_by_role("option", name="cnn-cnt+all").click()
    by = here.ask(question).locator(".sawyer-selector")
    assert by.inner_text() == "Chosen by cnn-cnt+all, which answers from 0.50"
    again = visit(scripted)
    assert "Chosen by clean" in again.ask(question).inner_text()


def test_a_visitor_may_choose_how_sure_it_must_be_of_any_selector(visit: Open, scripted: str) -> None:
    here = visit(scripted)
    question = "What had the brown dog Ballast been taught to do at high and low water?"
    here.page.get_by_role("button", name="Settings").click()
    offered = here.options(POINT)
    assert [text.partition(":")[0] for text in offered] == ["as it is set", *POINTS]
    here.page.get_by_role("option", name="eager").click()
    here.choose(SELECTOR, "clean")
    assert here.ask(question).locator(".sawyer-selector").inner_text().startswith("Chosen by clean@eager, ")
    here.choose(SELECTOR, "wd-algn")
    assert here.ask(question).locator(".sawyer-selector").inner_text().startswith("Chosen by wd-algn@eager, ")
    here.choose(POINT, "careful")
    refused = here.ask(question).inner_text()
    assert "an operating point must be one of balanced, eager with this selector, got 'careful'" in refused


def test_why_this_sentence_is_folded_away_until_it_is_asked_for(visit: Open, scripted: str) -> None:
    here = visit(scripted)
    question = "What had the brown dog Ballast been taught to do at high and low water?"
    here.page.get_by_role("button", name="Settings").click()
    here.choose(SELECTOR, "overlap")
    assert here.ask(question).locator(".sawyer-why").count() == 0  # it cannot say
    here.choose(SELECTOR, "lexical")
    why = here.ask(question).locator(".sawyer-why")
    counted = why.locator("li")
    assert not counted.is_visible()
    why.locator("summary").click()
    assert re.fullmatch(
        r"\+0\.\d\d\s*how many of the question's words it shares", counted.inner_text().strip()
    )
    assert "How likely these passages hold an answer at all: 0." in why.inner_text()


def test_a_hostile_text_title_and_file_name_are_shown_as_text(visit: Open, scripted: str) -> None:
    here = visit(scripted)
    (report,) = here.upload((HOSTILE_NAME, hostile_book("zebra")))
    assert report.startswith(f"{HOSTILE_NAME} is ready")
    assert any(HOSTILE_NAME in document for document in here.documents)
    answer = here.ask("What has the zebra said?")
    shown = answer.inner_text()
    assert [line for line in HOSTILE_LINES if line not in shown] == []
    assert_nothing_was_rendered(here)


def test_a_hostile_question_is_shown_as_text(visit: Open, scripted: str) -> None:
    here = visit(scripted)
    question = " ".join(HOSTILE_LINES)
    here.ask(question)
    assert here.page.locator("#sawyer-chat .sawyer-asked").inner_text() == question
    assert_nothing_was_rendered(here)


def test_a_failed_upload_says_why_and_the_page_lives(visit: Open, scripted: str) -> None:
    here = visit(scripted)
    failed, added = here.upload(
        ("program.txt", b"\x7fELF\x00\x00"), ("latin.txt", b"The caf\xe9 sold a heron.")
    )
    assert failed.startswith("program.txt was not added: ")
    assert "must be text or Markdown" in failed
    assert "latin.txt is ready" in added
    assert "encoding guessed as cp1252" in added
    (again,) = visit(scripted).upload(("latin.txt", b"The caf\xe9 sold a heron."))
    assert "latin.txt is unchanged" in again
    assert here.ask("Which café sold a heron?").locator("mark").inner_text() == "The café sold a heron."


def test_an_upload_leaves_no_copy_behind(visit: Open, scripted: str, uploads: Path) -> None:
    marker = b"quixotic-marmalade-7431"
    visit(scripted).upload(("secret.txt", b"Nobody keeps the " + marker))
    held = [path for path in uploads.rglob("*") if path.is_file()]
    assert [path for path in held if marker in path.read_bytes()] == []


def test_errors_are_sentences(visit: Open, scripted: str) -> None:
    here = visit(scripted)
    assert here.ask(ASK_FOR_AN_ERROR).inner_text() == STORE_TEXT
    bug = here.ask(ASK_FOR_A_BUG).inner_text()
    assert SECRET not in here.page.content()
    assert re.search(r"incident [0-9a-f]{8}", bug)
    assert "visible character" in here.ask("   ").inner_text()
    assert f"at most {LONGEST_QUESTION} characters" in here.ask("why " * LONGEST_QUESTION).inner_text()
    assert (
        here.ask("How many volumes did the Tide Book run to?").locator(".sawyer-verdict, mark").count() == 1
    )


def test_visitors_do_not_see_each_others_questions(visit: Open, scripted: str) -> None:
    first, second = visit(scripted), visit(scripted)
    first.ask("Who keeps the book of tides?")
    second.ask("Which raisins does he dislike?")
    assert second.page.locator(".sawyer-asked").all_inner_texts() == ["Which raisins does he dislike?"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_keeps_the_question_box_in_sight(visit: Open, scripted: str, scheme: str) -> None:
    here = visit(scripted, viewport={"width": 360, "height": 700}, color_scheme=scheme)
    here.ask("What had the brown dog Ballast been taught to do at high and low water?")
    assert here.page.evaluate("document.documentElement.scrollWidth") <= 360
    box = here.page.locator("#sawyer-question textarea").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 700
    ground = here.page.evaluate(
        "getComputedStyle(document.querySelector('.gradio-container')).backgroundColor"
    )
    assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 200) == (scheme == "dark")


def test_the_page_offers_no_api_of_its_own_and_tells_the_browser_to_stay(scripted: str) -> None:
    with urllib.request.urlopen(f"{scripted}/gradio_api/info") as reply:
        assert reply.read() == b'{"named_endpoints":{},"unnamed_endpoints":{}}'
    with urllib.request.urlopen(scripted) as reply:
        policy = reply.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy
