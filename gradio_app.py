"""The chat page: ask, read the answer in its passage, add texts.

It knows only the `Sawyer` protocol: a pipeline in this process, or a client of a running server.
Layout and wiring are here; what an answer looks like is in `service.page.rendering`.
"""

from __future__ import annotations

import argparse
import json
import logging
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI
from gradio.data_classes import ListFiles
from starlette.middleware import Middleware

from answering import SELECTORS
from core.errors import InvalidValue, SawyerError
from service.api.guard import Guard, trusted_names
from service.client import Client
from service.listening import listen, url_of
from service.ownership import find_owner
from service.page import rendering
from service.page.desk import Desk
from service.page.own_origin import OwnOriginOnly
from service.sample import FOLDER, sample_sources
from service.settings import MEBIBYTE, Settings
from service.values import DEFAULT_COLLECTION, Sawyer
from service.wording import POINTS_IN_WORDS as POINTS

STYLES = Path(rendering.__file__).with_suffix(".css")
SAMPLE_QUESTIONS = (
    9,
    18,
    19,
)  # lines of the sample's file that get the right sentence; a test holds them to it

# One ingest at a time: two would only share the processor. Questions are short; a few may overlap.
ASK_AT_ONCE, ADD_AT_ONCE, IN_LINE = 4, 1, 32
TURNS_KEPT = 50  # of one conversation; each holds its passage
FORGET_AFTER = 3600  # seconds: conversations left idle, and files whose upload was never taken up
POLL = 2.0  # seconds between looks at documents that are being read
PORTS_TRIED = 50

_HEADER = (
    '<header class="sawyer-header"><h1>Sawyer</h1>'
    "<p>Ask your texts a question. The answer is one exact sentence of theirs, or an honest no.</p></header>"
)

_HELP = (
    "Serve Sawyer's chat page: over the running server that owns the data directory, or the one at --url; "
    "where there is neither, the same one process as `sawyer serve`."
)
AS_SET = ""  # no selector, or operating point, of the visitor's own
_TEXTS = '<h2 class="sawyer-h2">Texts</h2>'

# The question goes to the top: an answer is read from its beginning, not from its last line.
_SHOW_LAST_QUESTION = """() => setTimeout(() => {
  const asked = [...document.querySelectorAll("#sawyer-chat .sawyer-asked")].at(-1);
  const log = document.querySelector("#sawyer-chat [role=log]");
  if (!asked || !log) return;
  const by = asked.getBoundingClientRect().top - log.getBoundingClientRect().top - 16;
  log.scrollBy({ top: by, behavior: "smooth" });
}, 100)"""

Turn = tuple[str, str]  # HTML: a question and what was answered
Upload = tuple[str, Path]  # the file's own name, and where its bytes lie for now


def build_page(sawyer: Sawyer) -> gr.Blocks:
    """The page over a pipeline or a client; show it with `mount`."""
    handlers = Handlers(Desk(sawyer))
    page = gr.Blocks(title="Sawyer", analytics_enabled=False, delete_cache=(FORGET_AFTER, FORGET_AFTER))
    with page:
        turns = gr.State([], time_to_live=FORGET_AFTER)
        gr.HTML(_HEADER, elem_id="sawyer-header")
        with gr.Row(elem_id="sawyer-main"):
            with gr.Column(scale=3, min_width=320, elem_id="sawyer-talk"):
                chat = gr.Chatbot(
                    elem_id="sawyer-chat",
                    show_label=False,
                    container=False,
                    height=None,
                    placeholder="No question yet",
                    render_markdown=False,
                    latex_delimiters=[],
                    allow_tags=False,
                    autoscroll=False,
                    feedback_options=None,
                    buttons=[],
                )
                with gr.Row(visible=False, elem_id="sawyer-examples") as examples:
                    tries = [gr.Button(question, size="sm") for question in _sample_questions()]
                with gr.Row(elem_id="sawyer-ask"):
                    box = gr.Textbox(
                        placeholder="Ask a question",
                        show_label=False,
                        container=False,
                        lines=1,
                        max_lines=6,
                        autofocus=True,
                        scale=5,
                        label="Question",
                        elem_id="sawyer-question",
                    )
                    send = gr.Button("Ask", variant="primary", scale=0, min_width=88, elem_id="sawyer-send")
            with gr.Column(scale=1, min_width=280, elem_id="sawyer-texts"):
                gr.HTML(_TEXTS)
                documents = gr.HTML(elem_id="sawyer-documents")
                drop = gr.File(
                    label="Add texts",
                    show_label=False,
                    file_count="multiple",
                    height=140,
                    elem_id="sawyer-drop",
                )
                _keep_names(drop)
                reports = gr.HTML(elem_id="sawyer-reports")
                with gr.Accordion("Settings", open=False, elem_id="sawyer-settings"):
                    selector = gr.Dropdown(
                        [("as the server is set", AS_SET), *((name, name) for name in SELECTORS)],
                        value=AS_SET,
                        label="What chooses the sentence",
                        filterable=False,
                        interactive=True,
                        elem_id="sawyer-selector",
                    )
                    point = gr.Dropdown(
                        [
                            ("as it is set", AS_SET),
                            *((f"{p}: {what}", f"@{p}") for p, what in POINTS.items()),
                        ],
                        value=AS_SET,
                        label="How sure it must be",
                        filterable=False,
                        interactive=True,
                        elem_id="sawyer-point",
                    )
        timer = gr.Timer(POLL, active=False)

        overview = [documents, examples, timer]
        for trigger, question in [(box.submit, box), (send.click, box), *((b.click, b) for b in tries)]:
            trigger(
                handlers.ask,
                [question, turns, selector, point],
                [box, chat, turns],
                concurrency_id="ask",
                concurrency_limit=ASK_AT_ONCE,
                show_progress="hidden",
                api_visibility="private",
            )
        chat.change(None, js=_SHOW_LAST_QUESTION)
        drop.upload(
            handlers.add,
            [drop],
            [reports, drop, *overview],
            concurrency_limit=ADD_AT_ONCE,
            show_progress_on=[reports],
            api_visibility="private",
        )
        for look in (page.load, timer.tick):
            look(handlers.overview, None, overview, show_progress="hidden", api_visibility="private")
    page.queue(max_size=IN_LINE, api_open=False)
    return page


def mount(app: FastAPI, sawyer: Sawyer, *, path: str = "/", max_upload_bytes: int | None = None) -> FastAPI:
    """Serve the page at ``path``; with ``/``, mount it after every other route, for it takes what is left.

    Args:
        max_upload_bytes: what one file may have at most; None for what the settings say.
    """
    limit = Settings.load().max_upload_bytes if max_upload_bytes is None else max_upload_bytes
    gr.mount_gradio_app(
        app,
        build_page(sawyer),
        path,
        footer_links=[],
        run_history=False,
        show_error=False,
        # A little more than the limit is let in, so that the limit's own sentence is shown.
        max_file_size=limit + MEBIBYTE,
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        mcp_server=False,
        app_kwargs={"middleware": [Middleware(OwnOriginOnly)], "docs_url": None, "redoc_url": None},
        theme=_theme(),
        css_paths=[STYLES],
    )
    return app


@dataclass(frozen=True)
class Handlers:
    """What the page's events call: the desk's answers, as updates of the page."""

    desk: Desk

    def ask(
        self, question: str, turns: list[Turn], selector: str = AS_SET, point: str = AS_SET
    ) -> Iterator[tuple[Any, ...]]:
        """Show the question at once, then its answer; empty the question box."""
        asked = rendering.question_html(question)
        yield "", _messages([*turns, (asked, rendering.WAITING)]), gr.skip()
        turns = [*turns, (asked, self.desk.ask(question, selector + point or None))][-TURNS_KEPT:]
        yield gr.skip(), _messages(turns), turns

    def add(
        self,
        uploads: Sequence[Upload] | None,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 - how gradio hands one in
    ) -> Iterator[tuple[Any, ...]]:
        """Ingest the files one by one and say of each what became of it; empty the drop."""
        told = ""
        yield told, gr.skip(), gr.skip(), gr.skip(), gr.skip()
        for name, path in uploads or ():

            def show(stage: str, done: int, total: int, name: str = name) -> None:
                progress((done, total), desc=f"{rendering.shown(name)}: {stage}")

            told += self.desk.add(name, path, show)
            yield told, gr.skip(), *self.overview()
        yield told, None, *self.overview()

    def overview(self) -> tuple[Any, ...]:
        """The documents, whether the sample's questions are offered, and whether to look again soon."""
        seen = self.desk.overview()
        return seen.html, gr.Row(visible=seen.names == _sample_names()), gr.Timer(active=seen.changing)


def _messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    # Even without Markdown, gradio renders the HTML in a message that is a string; a component's is ours.
    return [
        {"role": role, "content": gr.HTML(part)}
        for turn in turns
        for role, part in zip(("user", "assistant"), turn, strict=True)
    ]


def _keep_names(drop: gr.File) -> None:
    """Make the handler get `Upload` values; gradio itself passes on a cleaned name only.

    On the instance, because gradio writes a stub file beside the source of every subclass.
    """

    def preprocess(payload: ListFiles | None) -> list[Upload]:
        return [(file.orig_name or Path(file.path).name, Path(file.path)) for file in payload or ()]

    # As the docstring says: an instance's method is replaced, by one of another type.
    drop.preprocess = preprocess  # type: ignore[assignment,method-assign]


@cache
def _sample_names() -> tuple[str, ...]:
    return tuple(source.name for source in sample_sources())


def _sample_questions() -> list[str]:
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(lines[number])["question"] for number in SAMPLE_QUESTIONS]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``python gradio_app.py``; the exit code follows the error tree's table."""
    parser = argparse.ArgumentParser(prog="gradio_app.py", description=_HELP)
    parser.add_argument("--url", help="the server to talk to, such as http://127.0.0.1:7860")
    parser.add_argument("--data-dir", help="the data directory whose owner is looked for")
    parser.add_argument("--host", help="address to listen on")
    parser.add_argument("--port", type=int, help="port to listen on, or the first free one after it")
    given = vars(parser.parse_args(arguments))
    url = given.pop("url")
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        settings = Settings.load(**given)
        owner = find_owner(settings.data_dir) if url is None else None
        server = owner.url if owner else url
        if server is None:
            from service.serving import serve  # what it loads, this process then needs

            serve(settings)
        else:
            _serve_page(server, settings)
    except SawyerError as error:
        sys.stderr.write(f"gradio_app.py: {error}\n")
        return error.outcome.exit_code
    return 0


def _serve_page(url: str, settings: Settings) -> None:
    """The page alone, over the server at ``url``; returns when it is stopped."""
    trusted = trusted_names(settings.allowed_hosts)
    with Client(url) as sawyer, closing(_listen_near(settings.host, settings.port)) as listening:
        sawyer.documents(collection=DEFAULT_COLLECTION)  # says at once when nobody answers there
        app = FastAPI(openapi_url=None)
        mount(app, sawyer, max_upload_bytes=settings.max_upload_bytes)
        app.add_middleware(Guard, trusted=trusted)
        here = url_of(settings.host, listening)
        print(f"Sawyer's chat page is at {here} (over the server at {url})", flush=True)  # noqa: T201 - for a person
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def _listen_near(host: str, port: int) -> socket.socket:
    """The first free port from ``port`` on: the server itself often has that one."""
    for number in range(port, min(port + PORTS_TRIED, 65536)):
        with suppress(InvalidValue):
            return listen(host, number)
    return listen(host, port)  # says why not


def _theme() -> gr.themes.Base:
    # The font comes with gradio and from this server. Only these two of its files hold Latin letters:
    # the semibold one is a subset for other scripts.
    return gr.themes.Base(
        primary_hue="teal",
        neutral_hue="stone",
        font=[gr.themes.LocalFont("IBM Plex Sans", weights=(400, 700)), "system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    )


if __name__ == "__main__":
    sys.exit(main())
