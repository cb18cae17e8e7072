"""Any chunker as a LangChain text splitter, and any LangChain text splitter as a chunker."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Protocol

from chunkers.base import Chunker, Cut, cut, unwatched
from chunkers.identifying import configuration
from chunkers.placing import place
from core.errors import MissingExtra
from core.values import Span

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_text_splitters import TextSplitter

_log = logging.getLogger(__name__)


def to_langchain(chunker: Chunker, *, add_start_index: bool = True) -> TextSplitter:
    """A LangChain ``TextSplitter`` that cuts where ``chunker`` does.

    Its documents carry the metadata of the document they were cut from and, unless ``add_start_index`` is
    False, ``start_index``: ``text[start_index : start_index + len(page_content)] == page_content``, known
    from the chunker and never searched for. What the chunker has to say is logged as a warning.

    Raises:
        MissingExtra: langchain-text-splitters is not installed.
    """
    made: TextSplitter = _splitter_class()(chunker, add_start_index)
    return made


def from_langchain(splitter: Splits, *, identity: str | None = None) -> LangChainSplitter:
    """A chunker that cuts where a LangChain text splitter does.

    Args:
        splitter: anything whose ``split_text`` gives texts, or documents, in reading order.
        identity: what tells this splitter from others; None reads it off its fields.

    Raises:
        InvalidValue: no identity is given, and a field has none that another process would find again.
    """
    return LangChainSplitter(splitter, _identity(splitter) if identity is None else identity)


class Splits(Protocol):
    """What a LangChain splitter does."""

    def split_text(self, text: str) -> Sequence[Any]:
        """Pieces of the text, as ``str`` or as documents with a ``page_content``."""


@dataclass(frozen=True, slots=True)
class LangChainSplitter:
    """A `chunkers.base.Chunker` made of a LangChain text splitter by `from_langchain`.

    Attributes:
        identity: identifies the splitter's whole configuration.
    """

    splitter: Splits = field(repr=False, compare=False)
    identity: str

    def __str__(self) -> str:
        return f"LangChain's {self.identity}"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``, each verified to be its piece; see `chunkers.base.Chunker`.

        Raises:
            InvalidValue: the splitter changed some of the text, or left some of it out.
        """
        return list(self.cut(text, unwatched).spans)

    def cut(self, text: str, progress: Callable[[int, int], None]) -> Cut:
        """See `chunkers.base.Accountable`."""
        pieces = [getattr(piece, "page_content", piece) for piece in self.splitter.split_text(text)]
        spans, inside = place(text, pieces)
        progress(len(text), len(text))
        if not inside:
            return Cut(spans)
        # RecursiveCharacterTextSplitter gives such pieces, where an overlap is all that fits beside a seam.
        notice = f"{inside:,} of the splitter's pieces lie wholly inside a neighbour; they are no chunks"
        return Cut(spans, {"pieces inside a neighbour": inside}, [notice])


def _identity(splitter: object) -> str:
    package = type(splitter).__module__.partition(".")[0]
    try:
        release = version(package.replace("_", "-"))
    except PackageNotFoundError:
        return configuration(splitter)
    return f"{configuration(splitter)} of {package.replace('_', '-')} {release}"


@lru_cache(maxsize=1)
def _splitter_class() -> Any:
    """The adapter's class, made when it is first asked for: its base class takes LangChain to define."""
    try:
        from langchain_core.documents import Document
        from langchain_text_splitters import TextSplitter
    except ImportError as error:
        raise MissingExtra(
            "a LangChain text splitter needs langchain-text-splitters; "
            "install it with `pip install 'sawyer-rag[langchain]'`"
        ) from error

    class ChunkerTextSplitter(TextSplitter):
        """See `to_langchain`."""

        def __init__(self, chunker: Chunker, add_start_index: bool) -> None:
            super().__init__(add_start_index=add_start_index)
            self.chunker = chunker

        def __repr__(self) -> str:
            return f"{type(self).__name__}({self.chunker!r})"

        def split_text(self, text: str) -> list[str]:
            """The chunks' texts."""
            return [span.of(text) for span in self._spans(text)]

        def create_documents(
            self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
        ) -> list[Document]:
            """The chunks of all texts, each with a copy of its text's metadata."""
            documents = []
            for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True):
                for span in self._spans(text):
                    own = copy.deepcopy(metadata)
                    if self._add_start_index:
                        own["start_index"] = span.start
                    documents.append(Document(page_content=span.of(text), metadata=own))
            return documents

        def _spans(self, text: str) -> Sequence[Span]:
            made = cut(text, self.chunker)
            for notice in made.notices:
                _log.warning(notice)
            return made.spans

    return ChunkerTextSplitter
