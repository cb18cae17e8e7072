"""From a text to what the stores hold of it: chunks, embedded rows, and which row speaks for which chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chunkers.base import Chunker, chunks_of, cut
from chunkers.windows import proposition_chunks, tiling, window_chunks, window_spans
from core.identity import digest
from core.protocols import Embedder, Vectors
from core.values import Document, Span
from service.embedding.remembering import RememberingEmbedder
from service.stores import Generation
from service.values import IndexMode, Notice, Progress

# (document id, content digest, fingerprint) -> spans and vectors made before, or None.
StoredWindows = Callable[[str, str, str], tuple[Sequence[Span], Vectors] | None]

# The code of what a chunker has to say; a new generation says it anew.
CHUNKING = "chunking"
# Texts between two reports of progress; the embedder makes its own batches inside.
_STEP = 256


@dataclass(frozen=True, slots=True)
class Indexer:
    """Embed once, chunk as you like: windows do not depend on the chunker, so their vectors are kept.

    Attributes:
        index: ``windows`` embeds windows of the text; ``chunks`` embeds each chunk whole, for comparison
            and for embedders that read long texts.
    """

    chunker: Chunker
    embedder: Embedder
    index: IndexMode = "windows"

    @property
    def strategy(self) -> str:
        """The chunker's ``repr``: its whole configuration."""
        return repr(self.chunker)

    @property
    def embedder_name(self) -> str:
        """The embedder as records show it; whole-chunk vectors are another thing than window vectors."""
        return self.embedder.name if self.index == "windows" else f"{self.embedder.name} (whole chunks)"

    @property
    def fingerprint(self) -> str:
        """Keys the space: whole-chunk vectors never meet window vectors."""
        if self.index == "windows":
            return self.embedder.fingerprint
        return digest(self.embedder.fingerprint, self.index)

    def generation(
        self,
        document: Document,
        *,
        collection: str,
        source: str,
        content: str,
        notices: Sequence[Notice],
        stored: StoredWindows,
        progress: Progress,
    ) -> Generation:
        """All that one ingest stores, not yet stored.

        Args:
            document: the text as read.
            collection: where it goes.
            source: its name there.
            content: digest of the bytes it was read from.
            notices: what the reader had to say.
            stored: finds windows that were embedded before.
            progress: told of ``chunking`` and ``embedding``.
        """
        try:
            return self._generation(document, collection, source, content, notices, stored, progress)
        finally:
            if isinstance(self.embedder, RememberingEmbedder):
                self.embedder.forget()  # no two documents are worth the memory

    def _generation(
        self,
        document: Document,
        collection: str,
        source: str,
        content: str,
        notices: Sequence[Notice],
        stored: StoredWindows,
        progress: Progress,
    ) -> Generation:
        known = self._known(document, content, stored)
        length = len(document.text)
        progress("chunking", 0, length)
        made = cut(document.text, self.chunker, lambda done, total: progress("chunking", done, total))
        progress("chunking", length, length)
        chunks = chunks_of(document, self.chunker, made.spans, content_digest=content)
        if self.index == "chunks":
            spans: Sequence[Span] = [chunk.span for chunk in chunks]
            vectors = self._embed([chunk.indexed for chunk in chunks], progress)
            pairs = np.repeat(np.arange(len(chunks), dtype=np.int32)[:, None], 2, axis=1)
        else:
            spans, vectors = known or self._windows(document, progress)
            pairs = window_chunks(spans, [chunk.span for chunk in chunks], document.text)
        if made.propositions:
            stated, of_chunk = proposition_chunks(made.propositions, len(spans))
            spans = [*spans, *(one.span for one in stated)]
            vectors = np.concatenate([vectors, self._embed([one.text for one in stated], progress)])
            pairs = np.concatenate([pairs, of_chunk])
        return Generation(
            document_id=document.id,
            collection=collection,
            source=source,
            title=document.title,
            content_digest=content,
            text=document.text,
            metadata=document.metadata,
            notices=(
                *(notice for notice in notices if notice.code != CHUNKING),
                *(Notice(CHUNKING, said) for said in made.notices),
            ),
            strategy=self.strategy,
            embedder=self.embedder_name,
            fingerprint=self.fingerprint,
            index_mode=self.index,
            chunks=chunks,
            windows=spans,
            vectors=vectors,
            window_chunks=pairs,
        )

    def _known(
        self, document: Document, content: str, stored: StoredWindows
    ) -> tuple[Sequence[Span], Vectors] | None:
        """Windows that were embedded before, which the chunker need not embed again either."""
        if self.index == "chunks":
            return None
        known = stored(document.id, content, self.fingerprint)
        if known is None:
            return None
        windows = tiling(known[0])  # propositions may follow, of another chunker's chunks
        spans, vectors = known[0][:windows], known[1][:windows]
        if isinstance(self.embedder, RememberingEmbedder):
            self.embedder.remember([span.of(document.text) for span in spans], vectors)
        return spans, vectors

    def _windows(self, document: Document, progress: Progress) -> tuple[Sequence[Span], Vectors]:
        spans = window_spans(document.text)
        return spans, self._embed([span.of(document.text) for span in spans], progress)

    def _embed(self, texts: Sequence[str], progress: Progress) -> Vectors:
        parts: list[Vectors] = []
        for start in range(0, len(texts), _STEP):
            progress("embedding", start, len(texts))
            parts.append(self.embedder.embed_passages(texts[start : start + _STEP]))
        progress("embedding", len(texts), len(texts))
        return np.concatenate(parts) if parts else self.embedder.embed_passages([])
