"""From a question to passages, and from passages to one sentence or none."""

from __future__ import annotations

from collections.abc import Sequence

from answering import Selector, load_selector, name_meant
from answering.background import with_background
from answering.base import Decision
from answering.candidates import candidates
from answering.deciding import decide
from answering.sentences import forget_sentences
from core.errors import InvalidQuestion, InvalidValue, NotFound, Unavailable
from core.protocols import Embedder
from core.text import question_terms
from core.values import Hit
from service.embedding.questions import QuestionEmbedder
from service.embedding.sentences import SentenceEmbedder
from service.naming import check_collection
from service.retrieval import RETRIEVERS, Fusion, Searcher
from service.stores import Stores
from service.values import DEFAULT_COLLECTION, Answer, Retrieval, RetrieverName

MAX_K = 100
# How often a question is asked again because a passage was replaced while it was being answered.
_ATTEMPTS = 5


class Answerer:
    """The asking half of a pipeline; any number of threads use it while another one writes.

    Args:
        stores: what is asked.
        embedder: of the collections' vectors, and of the sentences.
        fusion: how lexical and dense scores are joined.
        selector: what chooses the sentence where a question names nothing else.
        question_chars: the longest question, in characters.
    """

    def __init__(
        self,
        stores: Stores,
        embedder: Embedder,
        *,
        fusion: Fusion,
        selector: Selector,
        question_chars: int,
    ) -> None:
        self._stores = stores
        self._sentences = SentenceEmbedder(embedder)
        self._embedder = QuestionEmbedder(self._sentences)
        self._fusion = fusion
        self._selector = selector
        self._selectors = {selector.name: selector}
        self._question_chars = question_chars
        self._searchers: dict[str, Searcher] = {}

    def check(self, question: str, k: int, collection: str, retriever: RetrieverName) -> None:
        """Refuse what cannot be asked.

        Raises:
            InvalidQuestion: blank, or longer than the limit.
            InvalidValue: ``k``, ``retriever`` or the collection's name breaks its rule.
            NotFound: no such collection (``default`` always exists).
        """
        limit = self._question_chars
        if not question.strip():
            raise InvalidQuestion("a question must hold at least one visible character, got only white space")
        if len(question) > limit:
            raise InvalidQuestion(f"a question must have at most {limit:,} characters, got {len(question):,}")
        if not 1 <= k <= MAX_K:
            raise InvalidValue(f"k must be in [1, {MAX_K}], got {k}")
        if retriever not in RETRIEVERS:
            raise InvalidValue(f"retriever must be one of {', '.join(RETRIEVERS)}, got {retriever!r}")
        check_collection(collection)
        if collection != DEFAULT_COLLECTION and not self._stores.documents(collection):
            raise NotFound(f"there is no collection {collection!r}; ingest a document into it first")

    def retrieve(self, question: str, k: int, collection: str, retriever: RetrieverName) -> Retrieval:
        """The k best chunks for a question that was checked.

        Raises:
            Unavailable: the collection changes faster than it can be read.
        """
        hits = self._hits(question, k, collection, retriever)
        return Retrieval(question, hits, self._stores.titles({hit.chunk.document_id for hit in hits}))

    def selector(self, name: str | None) -> Selector:
        """The named selector, read when it is first asked for; see `answering.name_meant` for names.

        Raises:
            InvalidValue: no such selector, or no such operating point of it.
            ArtifactError: what it needs is missing or damaged.
        """
        meant = name_meant(name, self._selector.name)
        if meant not in self._selectors:
            self._selectors[meant] = load_selector(meant)
        return self._selectors[meant]

    def answer(self, found: Retrieval, collection: str, selector: Selector) -> Answer:
        """One sentence of the passages, or a reasoned no."""
        try:
            decision = self._decide(found.question, found.hits, collection, selector)
        finally:
            self._forget_deleted(found.hits)
        return Answer(found.question, found.hits, decision, found.titles, selector=selector.name)

    def forget(self) -> None:
        """Let go of all sentences that were read, for a text was deleted or replaced."""
        self._sentences.forget()
        forget_sentences()

    def _forget_deleted(self, hits: Sequence[Hit]) -> None:
        """What was remembered of a text since it was deleted must go too."""
        try:
            self._stores.chunks([hit.chunk.id for hit in hits])
        except NotFound:
            self.forget()

    def _decide(self, question: str, hits: Sequence[Hit], collection: str, selector: Selector) -> Decision:
        if not hits and not self._searcher(collection).table.chunk_ids:
            return Decision(threshold=selector.trigger.threshold, reason="empty_collection")
        options = candidates(hits)
        asked = question_terms(question)
        idf = with_background(asked, self._stores.lexical(collection).idf(asked))
        return decide(question, options, selector.scorer_of(self._embedder, idf), selector)

    def _hits(self, question: str, k: int, collection: str, retriever: RetrieverName) -> list[Hit]:
        for _ in range(_ATTEMPTS):
            searcher = self._searcher(collection)
            best = searcher.search(question, k, retriever)
            try:
                found = self._stores.chunks([chunk_id for chunk_id, _ in best])
            except NotFound:  # replaced and purged since the search: look again
                continue
            if self._stores.table(collection).revision != searcher.table.revision:
                continue  # the lexical index may have moved on while the table stood still
            pairs = zip(found, best, strict=True)
            return [Hit(chunk, score, rank) for rank, (chunk, (_, score)) in enumerate(pairs, start=1)]
        raise Unavailable(f"collection {collection!r} changes faster than it can be read; ask again")

    def _searcher(self, collection: str) -> Searcher:
        table = self._stores.table(collection)
        searcher = self._searchers.get(collection)
        if searcher is None or searcher.table is not table:
            if searcher is not None:  # by this process or by another one
                self.forget()
            searcher = Searcher(
                table,
                self._stores.lexical(collection),
                self._embedder,
                nearest=lambda vector, n: self._stores.nearest(collection, vector, n),
                fusion=self._fusion,
            )
            self._searchers[collection] = searcher
        return searcher
