"""Make docs/chat.png anew: a fresh server, one question that the sample answers, one picture.

.venv/bin/python scripts/screenshot.py [--out FILE] [--width N] [--height N] [--dark] [QUESTION ...]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = ["For how long had the professor in Kiel been using the Tide Book?"]
LAUNCH = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def main() -> None:
    """Serve a new data directory, ask, and take the picture."""
    parser = argparse.ArgumentParser(description="Make docs/chat.png anew.")
    parser.add_argument("questions", nargs="*", default=QUESTIONS, metavar="QUESTION")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "chat.png")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=880)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data-dir", directory]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - ours
            try:
                said = server.stdout.readline() if server.stdout else ""
                found = re.search(r"http://\S+", said)
                if not found:
                    sys.exit(f"the server did not start: {said!r}")
                take(found.group(), given)
            finally:
                server.terminate()
    print(given.out)


def take(url: str, given: argparse.Namespace) -> None:
    """One picture of the page after its questions."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.chromium, args=LAUNCH)
        page = browser.new_page(
            viewport={"width": given.width, "height": given.height},
            color_scheme="dark" if given.dark else "light",
        )
        page.goto(url)
        page.locator("#sawyer-examples button").first.wait_for()
        for number, question in enumerate(given.questions):
            page.locator("#sawyer-question textarea").fill(question)
            page.keyboard.press("Enter")
            page.locator(".sawyer-answer").nth(number).wait_for()
        page.wait_for_timeout(1000)  # the scrolling to the question
        page.screenshot(path=given.out)
        browser.close()


if __name__ == "__main__":
    main()
