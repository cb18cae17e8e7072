"""Which chunks share a question's words: BM25 over stems, in tantivy."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from core.errors import InvalidValue, StoreError
from core.text import IdfTable, question_terms, terms

_WRITER_BYTES = 64_000_000
_ID = "id"
_TERMS = "terms"


@runtime_checkable
class LexicalIndex(Protocol):
    """A collection's texts by their words; nobody else's texts change the scores."""

    def search(self, question: str, n: int) -> list[tuple[str, float]]:
        """The ``n`` best (chunk id, BM25 score), best first, ties by id.

        A question without a term that the index holds gives none. The question is words, never query
        syntax.

        Raises:
            InvalidValue: unless ``n >= 1``.
        """

    def idf(self, terms: Iterable[str]) -> IdfTable:
        """How many texts there are and how many hold each of these terms."""

    def ids(self) -> set[str]:
        """The ids of all texts."""


class TantivyIndex:
    """A `LexicalIndex` in a directory, or in memory where ``path`` is None.

    ``score = sum over the question's terms, repeats counted, of idf * tf * (k1 + 1) /
    (tf + k1 * (1 - b + b * length / mean length))``, k1 = 1.2, b = 0.75, idf as in `IdfTable`.
    Deviation: tantivy rounds a text's length down to one of 256 steps (exact up to 40 terms).

    The analysis is that of `core.text`, done here and handed over finished, so that the index, the
    question (without its stop words) and the answer's sentences agree on what a word is.

    Raises:
        StoreError: the directory holds no index that can be read.
    """

    def __init__(self, path: Path | None = None) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field(_ID, stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field(_TERMS, tokenizer_name="whitespace", index_option="freq")
        self._schema = builder.build()
        self._tantivy = tantivy
        self._writing = threading.Lock()
        try:
            if path is not None:
                path.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self._schema, path=None if path is None else str(path))
            # By itself a reader watches the directory for commits, which `add` announces anyway.
            self._index.config_reader(reload_policy="manual")
            self._index.reload()
        except (ValueError, OSError) as error:
            raise StoreError(
                f"{path} must be a lexical index, got what tantivy cannot read ({error}); remove it"
            ) from error

    def add(self, entries: Iterable[tuple[str, str]]) -> None:
        """Index (id, text) pairs; on return they are found and, in a directory, on the disk.

        Raises:
            StoreError: they cannot be written. None of them is found then.
        """
        # One thread: more would make more segments, and the analysis above it is what takes the time.
        with self._writing:
            try:
                writer = self._index.writer(heap_size=_WRITER_BYTES, num_threads=1)
                for text_id, text in entries:
                    writer.add_document(self._tantivy.Document(id=text_id, terms=" ".join(_tokens(text))))
                writer.commit()
                writer.wait_merging_threads()
                self._index.reload()
            except (ValueError, OSError) as error:
                raise StoreError(
                    f"the lexical index cannot be written ({error}); free disk space if it is full, "
                    "then ingest again"
                ) from error

    def search(self, question: str, n: int) -> list[tuple[str, float]]:
        """See `LexicalIndex.search`."""
        if n < 1:
            raise InvalidValue(f"n must be at least 1, got {n}")
        counts = Counter(_whole(question_terms(question)))
        if not counts:
            return []
        searcher = self._index.searcher()
        query = self._query(counts)
        limit = n + 1
        while True:
            hits = searcher.search(query, limit=limit, count=False).hits
            # tantivy breaks ties by where a text happens to lie: go on until all that tie with the n-th
            # are there, and the ids decide.
            if len(hits) < limit or hits[-1][0] < hits[n - 1][0]:
                break
            limit *= 2
        found = [(str(searcher.doc(address)[_ID][0]), float(score)) for score, address in hits]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:n]

    def idf(self, terms: Iterable[str]) -> IdfTable:
        """See `LexicalIndex.idf`."""
        searcher = self._index.searcher()
        return IdfTable(searcher.num_docs, {term: searcher.doc_freq(_TERMS, term) for term in terms})

    def ids(self) -> set[str]:
        """See `LexicalIndex.ids`."""
        return {text_id for text_id, _ in self._index.searcher().terms_with_prefix(_ID, "")}

    def count(self) -> int:
        """The number of texts."""
        return int(self._index.searcher().num_docs)

    def close(self) -> None:
        """Nothing to release by hand: files are mapped, and readers keep what they read."""

    def _query(self, counts: Counter[str]) -> Any:
        query, should = self._tantivy.Query, self._tantivy.Occur.Should
        clauses = []
        for term, count in counts.items():
            clause = query.term_query(self._schema, _TERMS, term, index_option="freq")
            clauses.append((should, clause if count == 1 else query.boost_query(clause, float(count))))
        return query.boolean_query(clauses)


def _tokens(text: str) -> list[str]:
    return _whole(terms(text))


def _whole(found: list[str]) -> list[str]:
    """The terms, none of them with white space inside (a few compatibility forms bring some)."""
    return " ".join(found).split()
