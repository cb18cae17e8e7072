"""``python -m eval.gutenqa``: chunkers and retrievers on GutenQA, by its published metric.

As published, a question is answered by the first chunk that is relevant: ``dcg@k`` and ``recall@20`` count
that one alone, means are over a book's questions, then over books. Without a data folder it scores the
bundled sample.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import InvalidValue, NotFound
from eval.audit import Audit, audit, audit_lines
from eval.baselines import compared
from eval.command import Command, asked_baseline, asked_cache, asked_chunker, say
from eval.datasets.base import QuestionSet, data_directory, locate
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.datasets.gutenqa_parquet import fetch
from eval.datasets.published import gutenqa_rows
from eval.datasets.sample import Sample
from eval.gutenqa_arguments import CHUNK_FILE, parser
from eval.keeping import default_directory
from eval.methods import ByChunker, FromFile, Method
from eval.nulls import NULLS, NullOf
from eval.provenance import footer
from eval.report import Row, markdown, write_csv, write_json
from eval.report_plots import plot_rows
from eval.rows import BOUNDED, grouped, rows_of
from eval.running import Laboratory, named_embedder
from eval.scoring import Experiment

PROGRAM = "python -m eval.gutenqa"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = parser(PROGRAM).parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


def _run(options: argparse.Namespace, command: Command) -> None:
    if options.jobs < 1:
        raise InvalidValue(f"--jobs must be at least 1, got {options.jobs}")
    if options.seed < 0:
        raise InvalidValue(f"--seed must be at least 0, got {options.seed}")
    experiment = _experiment(options)
    names = [method.name for method in experiment.methods]
    baseline = asked_baseline(options, names, experiment.retrievers)
    deciding = any(retriever.needs_vectors for retriever in experiment.retrievers)
    # The service's lexical ranking asks for an embedder and does not use it.
    named = deciding or any(retriever.ranking != "bm25" for retriever in experiment.retrievers)
    embedder = options.embedder if named else None
    laboratory = Laboratory(experiment, embedder, asked_cache(options))
    cells = laboratory.cells(options.jobs, say)
    rows = rows_of(experiment.methods, experiment.retrievers, cells, seed=options.seed)
    if baseline is not None:
        groups = grouped(experiment.retrievers, cells)
        rows = compared(rows, groups, experiment.methods, baseline, seed=options.seed)
    published = gutenqa_rows() if experiment.questions.name == GUTENQA.name else ()
    used = named_embedder(options.embedder) if deciding else None
    rules = sorted({row.rule for row in rows})
    files = {path for row in rows for book in row.books for path in experiment.questions.files(book)}
    name, seed = experiment.questions.name, options.seed
    record = command.record(name, rules, files, used, seed, interval_seed=seed)
    print(markdown(rows, published, bounded=BOUNDED))
    print(f"\n{footer(record, {row.label: row.strategy for row in rows})}")
    audits = _audits(laboratory) if options.audit else []
    if audits:
        print("", *audit_lines(audits), sep="\n")
    _write(options, rows, audits, record)


def _write(
    options: argparse.Namespace, rows: Sequence[Row], audits: Sequence[Audit], record: Mapping[str, Any]
) -> None:
    if options.json is not None:
        more = {"audit": [one.as_json() for one in audits]} if options.audit else {}
        write_json(options.json, rows, gutenqa_rows(), record, **more)
        say(f"wrote {options.json}")
    if options.csv is not None:
        write_csv(options.csv, rows, record)
        say(f"wrote {options.csv}")
    if options.plot is not None:
        for path in plot_rows(options.plot, rows, record):
            say(f"wrote {path}")


def _experiment(options: argparse.Namespace) -> Experiment:
    questions = _questions(_fetched(options) if options.fetch else options.data)
    books = _books(questions, options.books)
    methods = _methods(options)
    if not options.books:
        # A chunk file is scored on the books it has; a chunker on all.
        books = [book for book in books if any(method.has(book) for method in methods)] or books
    if options.nulls is not None:
        nulls = list(dict.fromkeys(options.nulls)) or list(NULLS)
        methods = [
            cut for method in methods for cut in (method, *(NullOf(method, n, options.seed) for n in nulls))
        ]
    return Experiment(
        questions=questions,
        books=tuple(books),
        methods=tuple(methods),
        retrievers=tuple(dict.fromkeys(options.retriever)),
        rule=options.rule,
        limit=options.limit,
        seed=options.seed,
    )


def _fetched(options: argparse.Namespace) -> Path:
    """The data folder with the published set in it."""
    directory = (data_directory(options.data) or default_directory() / "data").expanduser().absolute()
    try:
        folder = locate(GUTENQA, directory).folder
    except NotFound:  # a new data root
        folder = directory / GUTENQA.folder
    fetch(options.fetch, folder, say)
    return directory


def _questions(asked: Path | None) -> QuestionSet:
    directory = data_directory(asked)
    if directory is None:
        say(f"no data folder: scoring the bundled sample; for the real set, {GUTENQA.instructions}")
        return Sample()
    place = locate(GUTENQA, directory)
    say(f"data: {place.folder} ({place.kind} given)")
    return GutenQA(place)


def _books(questions: QuestionSet, asked: Sequence[str] | None) -> list[str]:
    """The books asked for, by full name or by title alone, else all.

    Raises:
        InvalidValue: no questions on a book, or more than one by that title.
        NotFound: no questions at all.
    """
    known_books = questions.books()
    if not known_books:
        raise NotFound(f"{questions.name} must hold questions on a book, got none; check the data folder")
    if not asked:
        return list(known_books)
    chosen = []
    for name in asked:
        matches = [book for book in known_books if name == book] or [
            book for book in known_books if name.replace(" ", "_") == book.split("_-_")[0]
        ]
        if len(matches) != 1:
            raise InvalidValue(
                f"--books must name books with questions ({', '.join(known_books)}), got {name}"
            )
        chosen += matches
    return list(dict.fromkeys(chosen))


def _methods(options: argparse.Namespace) -> list[Method]:
    named = [str(name) for name in dict.fromkeys(options.chunker or options.chunks)]
    files = [name for name in named if options.chunks or name.endswith(CHUNK_FILE)]
    ours = [ByChunker(name, asked_chunker(name, options)) for name in named if name not in files]
    methods: dict[str, Method] = {method.name: method for method in ours}
    for name in files:
        method = FromFile.read(Path(name))
        # Every row needs a name of its own: a file beside a chunker of its name is called as it was given.
        method = replace(method, name=name) if method.name in methods else method
        methods[method.name] = method
    return list(methods.values())


def _audits(laboratory: Laboratory) -> list[Audit]:
    """Each book under each method that is no null: a null's boundaries prove nothing about the golds."""
    experiment = laboratory.experiment
    audits = []
    for task in laboratory.tasks(lambda _: None):
        method = experiment.methods[task.method]
        if not isinstance(method, NullOf):
            queries, rule = experiment.queries(task.book), experiment.rule_of(method, task.book)
            chunked = method.cut(task.book, experiment.questions)
            text = _text(experiment.questions, task.book)
            audits.append(audit(method.name, task.book, rule, queries, chunked, text))
    return audits


def _text(questions: QuestionSet, book: str) -> str | None:
    try:
        return questions.text(book)
    except NotFound:  # chunk files are scored without it
        return None


if __name__ == "__main__":
    import sys

    sys.exit(main())
