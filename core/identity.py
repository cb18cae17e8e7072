"""Where every stored id comes from: digests of what makes a thing the same thing.

Python's ``hash()`` and random ids are never stored: a repeated ingest must find what it made before.
"""

from __future__ import annotations

import hashlib

from core.values import Span

_SEPARATOR = b"\x00"


def digest(*parts: str) -> str:
    """SHA-256 of the parts, each closed by a NUL, as 32 hexadecimal digits (128 bits).

    Lone surrogates are encoded as they stand, so that no text can make this fail.
    """
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part.encode("utf-8", "surrogatepass"))
        sha.update(_SEPARATOR)
    return sha.hexdigest()[:32]


def content_digest(data: bytes) -> str:
    """SHA-256 of a file's bytes, 64 hexadecimal digits: changed bytes are a new generation."""
    return hashlib.sha256(data).hexdigest()


def document_id(collection: str, source: str) -> str:
    """One source in one collection is one document, whatever its bytes become."""
    return digest("document", collection, source)


def strategy_digest(strategy: object) -> str:
    """Digest of a strategy's ``repr``, which is its whole configuration."""
    return digest("strategy", repr(strategy))


def chunk_id(document: str, content: str, strategy: str, span: Span, index_text: str | None) -> str:
    """Two generations, or two strategies, share no chunk id, so they share no row in any store.

    Args:
        document: a document id.
        content: the content digest of the generation.
        strategy: the digest of the chunker, from `strategy_digest`.
    """
    kept = ("0",) if index_text is None else ("1", index_text)
    return digest("chunk", document, content, strategy, f"{span.start}:{span.end}", *kept)
