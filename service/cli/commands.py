"""What each command does, given its parsed arguments; every function returns the exit code."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import OUTCOMES, CallLimit, InvalidInput, InvalidValue, NotFound
from core.identity import content_digest, document_id
from core.values import Document
from service.cli.failures import Failures
from service.cli.files import Found, SourceFile, find_files, read_bytes
from service.cli.flags import session_of, settings_of
from service.cli.output import (
    answer_lines,
    document_lines,
    note,
    note_account,
    note_notices,
    put,
    put_json,
    report_line,
)
from service.cli.progress import watching
from service.cli.session import Connect, Session
from service.naming import source_name
from service.values import DEFAULT_COLLECTION, Progress, Source, unwatched

if TYPE_CHECKING:
    from chunkers.base import Chunker

_EXIT_CODES = {outcome.code: outcome.exit_code for outcome in OUTCOMES.values()}


def ingest(args: argparse.Namespace, connect: Connect) -> int:
    """Make files retrievable, a line each; those that cannot be are listed at the end."""
    settings = settings_of(args)
    found = find_files(map(Path, args.paths))
    if args.title and len(found.files) != 1:
        raise InvalidValue(f"--title must name one file, got {len(found.files)}; ingest them one by one")
    failures = Failures(len(found.files))
    with session_of(args, settings, connect) as session, watching() as watch:
        try:
            for file in found.files:
                try:
                    _ingest(file, session, args, settings.max_upload_bytes, watch(file.source), failures)
                except (InvalidInput, NotFound) as error:
                    failures.add(file.source, str(error), error.outcome.exit_code)
        finally:
            failures.note()
    _note_passed_over(found)
    return failures.exit_code


def _ingest(
    file: SourceFile,
    session: Session,
    args: argparse.Namespace,
    max_bytes: int,
    progress: Progress | None,
    failures: Failures,
) -> None:
    from service.api.replies.documents import ReportReply

    source = Source(file.source, read_bytes(file.path, max_bytes=max_bytes), args.title)
    report = session.sawyer.ingest(source, collection=args.collection, progress=progress)
    if args.json:
        put_json(ReportReply.of(report).model_dump())
    else:
        put(report_line(report))
    note_notices(file.source, report.notices)
    if report.state == "failed":
        failures.add(file.source, report.reason, _EXIT_CODES.get(report.error_code, 1))


def ask(args: argparse.Namespace, connect: Connect) -> int:
    """One cited sentence, or none and why; both are a success."""
    # The question names its selector: @POINT is of the settings' own.
    settings = settings_of(args, leave_out="selector")
    with session_of(args, settings, connect) as session:
        answer = session.sawyer.ask(
            args.question,
            k=args.k,
            collection=args.collection,
            retriever=args.retriever,
            selector=args.selector,
        )
    if args.json:
        from service.api.replies.passages import AnswerReply

        put_json(AnswerReply.of_answer(answer, candidates=False).model_dump(exclude={"candidates"}))
    else:
        for line in answer_lines(answer):
            put(line)
    return 0


def documents(args: argparse.Namespace, connect: Connect) -> int:
    """The documents of a collection, or of all."""
    with session_of(args, settings_of(args), connect) as session:
        records = session.sawyer.documents(collection=args.collection)
    if args.json:
        from service.api.replies.documents import DocumentReply

        for record in records:
            put_json(DocumentReply.of(record).model_dump())
    elif records:
        for line in document_lines(records):
            put(line)
    else:
        note("there are no documents; add one with `sawyer ingest PATH`")
    return 0


def delete(args: argparse.Namespace, connect: Connect) -> int:
    """Take documents out by id; ids that name none are listed at the end."""
    failures = Failures(len(args.ids))
    with session_of(args, settings_of(args), connect) as session:
        for identity in args.ids:
            try:
                report = session.sawyer.delete(identity)
            except NotFound as error:
                failures.add(identity, str(error), error.outcome.exit_code)
                continue
            if args.json:
                put_json({"document_id": report.document_id, "state": report.state})
            else:
                put(f"{report.state:<9}  {report.document_id}")
    failures.note()
    return failures.exit_code


def reindex(args: argparse.Namespace, connect: Connect) -> int:
    """Chunk and embed every stored text anew."""
    from service.indexer import CHUNKING

    with session_of(args, settings_of(args), connect) as session, watching() as watch:
        count = session.sawyer.reindex(collection=args.collection, progress=watch("reindex"))
        records = session.sawyer.documents(collection=args.collection)
    if args.json:
        put_json({"documents": count})
    else:
        put(f"reindexed  {_documents(count)}")
    told = Counter(one.detail for record in records for one in record.notices if one.code == CHUNKING)
    for detail, number in told.items():  # the same of each book of a shelf, most often
        note(f"{_documents(number)}: {CHUNKING}: {detail}")
    return 0


def _documents(number: int) -> str:
    return f"{number:,} {'document' if number == 1 else 'documents'}"


def chunk(args: argparse.Namespace, connect: Connect) -> int:  # noqa: ARG001 - needs nobody
    """The chunks of one file as JSON lines; of the data directory only the memory of picks is touched."""
    from chunkers.base import chunks_of, cut
    from service.api.replies.passages import ChunkReply
    from service.chunking import build_chunker, chunking_models
    from service.embedding import embedder_of
    from service.reading import read

    settings = settings_of(args)
    chunker = build_chunker(settings, chunking_models(settings, embedder_of(settings)))
    path = Path(args.file)
    source = Source(source_name(path, path), read_bytes(path, max_bytes=settings.max_upload_bytes))
    reading = read(source, max_bytes=settings.max_upload_bytes)
    note_notices(source.name, reading.notices)
    identity = document_id(DEFAULT_COLLECTION, source.name)
    # With its format, as the pipeline makes it: a plain text has no headings.
    document = Document(identity, reading.text, reading.title, {"format": reading.format})
    content = content_digest(source.data)
    if args.plan:
        return _plan(chunker, document)
    try:
        with watching() as watch:
            told = watch(source.name) or unwatched
            made = cut(document.text, chunker, lambda done, total: told("chunking", done, total))
    except CallLimit as spent:  # what was done till then is worth having
        for one in chunks_of(document, chunker, spent.spans, content_digest=content):
            put_json(ChunkReply.of(one).model_dump())
        raise
    for reply in ChunkReply.all_of(chunks_of(document, chunker, made.spans, content_digest=content), made):
        put_json(reply.model_dump())
    note_account(source.name, made)
    return 0


def _plan(chunker: Chunker, document: Document) -> int:
    """What a chat model would be sent, as JSON, and in words."""
    from chunkers.call_plan import CallPlan
    from chunkers.lumber import Lumber
    from chunkers.proposition import PropositionChunker

    plan = chunker.plan(document.text) if isinstance(chunker, Lumber | PropositionChunker) else CallPlan()
    put_json(asdict(plan))
    note(f"{document.title}: {plan if plan != type(plan)() else 'nothing is sent to a chat model'}")
    return 0


def serve(args: argparse.Namespace, connect: Connect) -> int:  # noqa: ARG001 - it is the one connected to
    """Serve until interrupted."""
    from service.serving import serve as run

    run(settings_of(args))
    return 0


def _note_passed_over(found: Found) -> None:
    if found.passed_over:
        files = "1 file" if found.passed_over == 1 else f"{found.passed_over:,} files"
        note(f"passed over {files} of other kinds; name a file itself to ingest it all the same")
