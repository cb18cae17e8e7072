"""What goes into the pipeline and comes out of it, the same over HTTP and in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from answering.base import Decision
from core.values import Hit

DEFAULT_COLLECTION = "default"
DEFAULT_K = 5
DEFAULT_SELECTOR = "clean"  # a key of `answering.SELECTORS`

DocumentState = Literal["pending", "ready", "failed", "deleted"]
IngestState = Literal["ready", "unchanged", "failed"]
DeleteState = Literal["deleted", "purged"]
RetrieverName = Literal["dense", "lexical", "hybrid"]
IndexMode = Literal["windows", "chunks"]  # what is embedded
UnitName = Literal["chars", "words", "tokens"]  # the keys of `chunkers.UNITS`
# Those of `chunkers.recipe`, here so that the command line need not load the chunkers.
PickerName = Literal["auto", "chat", "local"]
OnFailure = Literal["raise", "keep", "local"]

# Called with (stage, done, total); stages: reading, chunking, embedding, indexing; reindexing.
Progress = Callable[[str, int, int], None]


def unwatched(stage: str, done: int, total: int) -> None:
    """A `Progress` that nobody watches."""


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes to ingest.

    Attributes:
        name: the document's identity in its collection: the caller's id, else a path or file name.
        media_type: forces the format (``text/markdown``, ``text/plain``); None decides by name and bytes.
    """

    name: str
    data: bytes
    title: str | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that was done otherwise than a caller might expect: ``encoding_guess`` and its like."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One document as the catalog knows it.

    Attributes:
        state: of the latest attempt; a failed replacement leaves the old generation retrievable.
        characters: code points of the ready generation's text.
        strategy: ``repr`` of the chunker that made the ready generation's chunks.
        duplicate_of: id of another document in the collection with the same bytes.
        updated_at: ISO 8601, UTC.
    """

    id: str
    collection: str
    source: str
    title: str
    state: DocumentState
    reason: str = ""
    characters: int = 0
    chunks: int = 0
    windows: int = 0
    strategy: str = ""
    embedder: str = ""
    content_digest: str = ""
    duplicate_of: str | None = None
    updated_at: str = ""
    notices: Sequence[Notice] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of one source.

    Attributes:
        error_code: the code of the error tree when ``state`` is ``failed``.
    """

    document: DocumentRecord
    state: IngestState
    error_code: str = ""
    reason: str = ""
    notices: Sequence[Notice] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class DeleteReport:
    """``deleted``: hidden from every answer; ``purged``: text, vectors and terms are off the disk."""

    document_id: str
    state: DeleteState


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Passages for a question, best first; ``titles`` by document id."""

    question: str
    hits: Sequence[Hit]
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """One cited sentence, or none, with the passages it was looked for in.

    Attributes:
        generated: text written by a chat model from the passages, when one is set.
        selector: the name of what scored the sentences.
    """

    question: str
    hits: Sequence[Hit]
    decision: Decision
    titles: Mapping[str, str] = field(default_factory=dict)
    generated: str | None = None
    selector: str = DEFAULT_SELECTOR


class Sawyer(Protocol):
    """What the command line, the API, the chat page and the experiments know: in process or over HTTP."""

    def ingest(
        self,
        source: Source,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Make the source retrievable. The same bytes again are ``unchanged``; changed bytes replace.

        A source that cannot be read is recorded as ``failed`` and reported so, not raised.
        """

    def retrieve(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
    ) -> Retrieval:
        """The k best chunks."""

    def ask(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
        selector: str | None = None,
    ) -> Answer:
        """One sentence of the k best chunks, or a reasoned no.

        Args:
            selector: the name of what scores sentences and decides, in the form that
                `answering.load_selector` reads; None leaves it to the settings, and ``@POINT`` is the
                settings' own at another operating point.

        Raises:
            InvalidValue: there is no such selector, or it has no such point.
        """

    def documents(self, *, collection: str | None = None) -> list[DocumentRecord]:
        """Documents of one collection, or of all, by collection and source."""

    def delete(self, document_id: str) -> DeleteReport:
        """Hide at once, then take text, vectors and terms off the disk.

        Raises:
            NotFound: no such document.
        """

    def reindex(self, *, collection: str | None = None, progress: Progress | None = None) -> int:
        """Chunk and embed every stored text anew with the present settings; the number of documents."""
