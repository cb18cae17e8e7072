"""The chat page over a scripted Sawyer, in a process of its own: prints its URL, serves until killed."""

from __future__ import annotations

import uvicorn
from fastapi import FastAPI

import gradio_app
from core.errors import StoreError
from service.api.guard import Guard, trusted_names
from service.listening import listen, url_of
from service.sample import sample_sources
from service.values import DEFAULT_COLLECTION, DEFAULT_K, Answer, RetrieverName
from tests.support.fake_sawyer import FakeSawyer

ASK_FOR_A_BUG = "Please meet a bug"
ASK_FOR_AN_ERROR = "Please meet an error"
FORGET = "/forget"
SECRET = "the inside of the machine"
STORE_TEXT = "the catalog must be readable, got a broken page; run `sawyer reindex`"


class ScriptedSawyer(FakeSawyer):
    """Fails when it is asked to."""

    def ask(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
        selector: str | None = None,
    ) -> Answer:
        if question == ASK_FOR_A_BUG:
            raise RuntimeError(SECRET)
        if question == ASK_FOR_AN_ERROR:
            raise StoreError(STORE_TEXT)
        return super().ask(question, k=k, collection=collection, retriever=retriever, selector=selector)

    def forget(self) -> None:
        """Know the sample only, as at a first start."""
        self.records.clear()
        self.chunks.clear()
        for source in sample_sources():
            self.ingest(source)


def main() -> None:
    sawyer = ScriptedSawyer()
    app = FastAPI(openapi_url=None)
    app.post(FORGET)(sawyer.forget)
    gradio_app.mount(app, sawyer)
    app.add_middleware(Guard, trusted=trusted_names())
    listening = listen("127.0.0.1", 0)
    print(f"Sawyer is ready at {url_of('127.0.0.1', listening)}", flush=True)  # noqa: T201 - as `serve` does
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
