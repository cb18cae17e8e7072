"""A real Chromium, and servers to point it at, each in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.visit import Visit
from tests.support.page_server import FORGET

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One loud line in place of every browser test, where there is no browser."""
    if Path(CHROMIUM).exists():
        return
    reason = "NO CHROMIUM HERE, so the chat page is not tested: apt-get install chromium"
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=reason))


@contextmanager
def served(command: list[str], uploads: Path) -> Iterator[str]:
    """The URL of a server process, which says ``Sawyer is ready at URL``; ended with the block."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SAWYER_")},
        "GRADIO_TEMP_DIR": str(uploads),
    }
    log = uploads.parent / f"{uploads.name}.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, f"the server did not start: {said!r}\n{log.read_text(encoding='utf-8')}"
            yield found.group()
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, gone with its module: while playwright is there, `asyncio.run` refuses in this thread."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def uploads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the scripted server keeps uploads while they wait."""
    return tmp_path_factory.mktemp("served") / "uploads"


@pytest.fixture(scope="session")
def scripted_server(uploads: Path) -> Iterator[str]:
    with served(["-m", "tests.support.page_server"], uploads) as url:
        yield url


@pytest.fixture
def scripted(scripted_server: str) -> str:
    """The URL of the chat page over a Sawyer in memory that knows the sample and nothing else."""
    urllib.request.urlopen(urllib.request.Request(scripted_server + FORGET, method="POST")).close()
    return scripted_server


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open the page at a URL as a new visitor; afterwards, every request must have gone to that server."""
    visits: list[Visit] = []

    def open_at(url: str, **context: object) -> Visit:
        visits.append(Visit(browser, url, **context))
        return visits[-1]

    yield open_at
    for one in visits:
        one.close()
        assert one.strangers == []
        assert one.complaints == []
