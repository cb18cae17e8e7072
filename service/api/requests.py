"""What the native routes take. Strict: an unknown field, or a number in quotes, is an error."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from answering import SELECTORS
from answering.trigger import POINTS
from service.values import DEFAULT_COLLECTION, DEFAULT_K, RetrieverName, UnitName

# A caller's id or a relative path: anything visible, but for the one character that ends strings in C.
SourceName = Annotated[
    str, StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\x00]*[^\s\x00][^\x00]*$")
]
CollectionName = Annotated[
    str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f\x7f]*$")
]
MediaType = Annotated[str, StringConstraints(max_length=255)]
Title = Annotated[str, StringConstraints(max_length=1024)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Query(BaseModel):
    # Not strict: everything in a query string is text.
    model_config = ConfigDict(extra="forbid")


class RetrieveRequest(_Request):
    """A question and where to look."""

    question: str
    k: int = Field(DEFAULT_K, description="How many passages, at least 1.")
    collection: CollectionName = DEFAULT_COLLECTION
    retriever: RetrieverName = "hybrid"


class AnswerRequest(RetrieveRequest):
    """A question to be answered."""

    selector: str | None = Field(
        None,
        description=f"What scores sentences and decides: {', '.join(SELECTORS)}; null for the server's own. "
        f"`NAME@POINT` answers from another threshold: {', '.join(POINTS)}; `@POINT` of the server's own.",
    )
    candidates: bool = Field(False, description="Also return every sentence that was considered, ranked.")


class ChunkRequest(_Request):
    """A text to be cut, by name and size of a chunker."""

    text: str
    chunker: str = "recursive"
    size: int | None = Field(
        None, description="The largest chunk, in units; null for the chunker's own default."
    )
    unit: UnitName | None = Field(None, description="What sizes count; null for the chunker's own default.")
    overlap: int = Field(0, description="How much of a chunk the next one repeats, in units.")
    least: int | None = Field(None, description="A smaller chunk joins a neighbour; in units.")
    soft: int | None = Field(None, description="A larger chunk is cut where its content shifts most.")
    hard: int | None = Field(None, description="A larger chunk is cut in any case.")


class DocumentFields(_Request):
    """What may be said about a document besides its text."""

    title: Title | None = None
    source: SourceName | None = Field(None, description="The document's identity in its collection.")
    collection: CollectionName = DEFAULT_COLLECTION
    media_type: MediaType | None = Field(
        None, description="`text/plain` or `text/markdown`, over what the name says."
    )


class TextRequest(DocumentFields):
    """A document as text. Without ``source``, the text itself is its identity."""

    text: str


class IngestQuery(_Query):
    """How to send a document."""

    wait: bool = Field(False, description="Answer when the job has ended, with its final state.")


class CollectionQuery(_Query):
    """Which documents."""

    collection: CollectionName | None = Field(None, description="One collection; all when left out.")


class ReindexRequest(_Request):
    """Which documents to chunk and embed anew."""

    collection: CollectionName | None = None
