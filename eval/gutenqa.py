"""``python -m eval.gutenqa``: chunkers and retrievers on GutenQA, by its published metric.

As published, a question is answered by the first chunk that is relevant: ``dcg@k`` and ``recall@20`` count
that one alone, means are over a book's questions, then over books. Without a data folder it scores the
bundled sample.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chunkers
from core.errors import InvalidValue, SawyerError
from core.protocols import Embedder
from eval.datasets.base import DATA_VARIABLE, QuestionSet, data_directory, locate
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.datasets.published import gutenqa_rows
from eval.datasets.sample import Sample
from eval.methods import ByChunker, FromFile, Method
from eval.provenance import provenance
from eval.rankers import RETRIEVERS, needs_vectors
from eval.relevance import RULES
from eval.report import markdown, write_json
from eval.scoring import score
from service.embedding import build_embedder
from service.settings import Settings

PROGRAM = "python -m eval.gutenqa"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(given)
    try:
        _run(options, [*PROGRAM.split(), *given])
    except SawyerError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return error.outcome.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    cut = parser.add_mutually_exclusive_group(required=True)
    cut.add_argument("--chunker", nargs="+", metavar="NAME", help="chunkers of ours, to cut the books")
    cut.add_argument(
        "--chunks", nargs="+", type=Path, metavar="FILE", help="JSON lines: Book Name, Chunk ID, Chunk"
    )
    parser.add_argument(
        "--retriever",
        nargs="+",
        choices=RETRIEVERS,
        default=["hybrid"],
        help="bm25 is the plain one of other people's tables (default: hybrid)",
    )
    parser.add_argument(
        "--rule",
        choices=RULES,
        help="what makes a chunk relevant: it contains the gold string, or holds the evidence span "
        "(default: span where questions and chunks have spans, else substring)",
    )
    parser.add_argument("--books", nargs="+", metavar="BOOK", help="default: every book that has questions")
    parser.add_argument("--embedder", default="minilm", metavar="NAME", help="default: minilm")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"the data root or the set's own folder (default: {DATA_VARIABLE}, else the bundled sample)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write rows and provenance as JSON")
    return parser


def _run(options: argparse.Namespace, command: Sequence[str]) -> None:
    questions = _questions(options.data)
    books = _books(questions, options.books)
    methods = _methods(options)
    retrievers = list(dict.fromkeys(options.retriever))
    embedder = None if retrievers == ["bm25"] else _embedder(options.embedder)
    if not options.books:
        # A chunk file is scored on the books it has; a chunker on all.
        books = [book for book in books if any(method.has(book) for method in methods)] or books
    rows = score(questions, books, methods, retrievers, rule=options.rule, embedder=embedder, report=_say)
    published = gutenqa_rows()
    rules = sorted({row.rule for row in rows})
    print(markdown(rows, published if questions.name == GUTENQA.name else ()))
    if options.json is not None:
        scored = sorted({book for row in rows for book in row.books})
        used = embedder if any(map(needs_vectors, retrievers)) else None
        write_json(options.json, rows, published, provenance(command, questions, scored, rules, used))
        _say(f"wrote {options.json}")


def _questions(asked: Path | None) -> QuestionSet:
    directory = data_directory(asked)
    if directory is None:
        _say(f"no data folder: scoring the bundled sample; for the real set, {GUTENQA.instructions}")
        return Sample()
    place = locate(GUTENQA, directory)
    _say(f"data: {place.folder} ({place.kind} given)")
    return GutenQA(place)


def _books(questions: QuestionSet, asked: Sequence[str] | None) -> list[str]:
    """The books asked for, by full name or by title alone, else all.

    Raises:
        InvalidValue: no questions on a book, or more than one by that title.
    """
    known = questions.books()
    if not asked:
        return list(known)
    chosen = []
    for name in asked:
        matches = [book for book in known if name == book] or [
            book for book in known if name.replace(" ", "_") == book.split("_-_")[0]
        ]
        if len(matches) != 1:
            raise InvalidValue(f"--books must name books with questions ({', '.join(known)}), got {name}")
        chosen += matches
    return list(dict.fromkeys(chosen))


def _methods(options: argparse.Namespace) -> list[Method]:
    if options.chunks:
        return [FromFile.read(path) for path in dict.fromkeys(options.chunks)]
    return [ByChunker(name, chunkers.build(name)) for name in dict.fromkeys(options.chunker)]


def _embedder(name: str) -> Embedder:
    if not name.startswith("openai:"):
        return build_embedder(name)
    endpoint = Settings.load()
    return build_embedder(name, base_url=endpoint.embedder_base_url, api_key=endpoint.embedder_api_key)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
