"""One visitor's window on the chat page, and what was heard while it was open."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, FilePayload, Locator

PATIENCE = 20_000  # milliseconds


class Visit:
    """Attributes.

    strangers: addresses other than the server's that were asked for, blocked requests included.
    complaints: errors in the browser's console, policy violations among them.
    """

    def __init__(self, browser: Browser, url: str, **context: Any) -> None:
        self.url = url.rstrip("/")
        self.strangers: list[str] = []
        self.complaints: list[str] = []
        self._context = browser.new_context(**context)
        self._context.set_default_timeout(PATIENCE)
        self.page = self._context.new_page()
        self.page.on("request", lambda request: self._hear(request.url))
        self.page.on("websocket", lambda socket: self._hear(socket.url))
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.url)
        self.page.locator("#sawyer-documents li, #sawyer-documents .sawyer-empty").first.wait_for()

    def ask(self, question: str) -> Locator:
        """Type a question and press Enter; what answers it."""
        answers = self.answers.count()
        self.page.locator("#sawyer-question textarea").fill(question)
        self.page.keyboard.press("Enter")
        return self._next(answers)

    def press(self, button: Locator) -> Locator:
        """Press a button that asks; what answers it."""
        answers = self.answers.count()
        button.click()
        return self._next(answers)

    def options(self, setting: str) -> list[str]:
        """What one of the opened Settings offers; it stays open."""
        self.page.get_by_label(setting).click()
        offered = self.page.get_by_role("option").all_inner_texts()
        return [text.removeprefix("✓").strip() for text in offered]

    def choose(self, setting: str, option: str) -> None:
        """Choose in one of the opened Settings."""
        self.page.get_by_label(setting).click()
        self.page.get_by_role("option", name=option).click()

    def upload(self, *files: tuple[str, bytes]) -> list[str]:
        """Add files; one sentence for each."""
        payloads: list[FilePayload] = [
            {"name": name, "mimeType": "text/plain", "buffer": data} for name, data in files
        ]
        self.page.locator("#sawyer-drop input[type=file]").set_input_files(payloads)
        reports = self.page.locator("#sawyer-reports .sawyer-report")
        reports.nth(len(files) - 1).wait_for()
        return reports.all_inner_texts()

    @property
    def answers(self) -> Locator:
        return self.page.locator("#sawyer-chat .sawyer-answer")

    @property
    def documents(self) -> list[str]:
        return self.page.locator("#sawyer-documents li").all_inner_texts()

    def close(self) -> None:
        self._context.close()

    def _next(self, answers: int) -> Locator:
        answer = self.answers.nth(answers)
        answer.wait_for()
        return answer

    def _hear(self, address: str) -> None:
        own = (self.url + "/", self.url.replace("http", "ws", 1) + "/", "data:", f"blob:{self.url}/")
        if not address.startswith(own):
            self.strangers.append(address)

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)
