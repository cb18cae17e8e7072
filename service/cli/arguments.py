"""What the ``sawyer`` command takes. Imports nothing but names and defaults: ``--help`` is instant."""

from __future__ import annotations

import argparse
from importlib.metadata import version
from typing import get_args

from service.values import (
    DEFAULT_COLLECTION,
    DEFAULT_K,
    DEFAULT_SELECTOR,
    IndexMode,
    OnFailure,
    PickerName,
    RetrieverName,
    UnitName,
)


def parser() -> argparse.ArgumentParser:
    """The command line; what is not said is None, so that the settings decide."""
    root = argparse.ArgumentParser(
        prog="sawyer",
        description="Ask your texts a question; the answer is one exact sentence of theirs, or an honest no.",
        epilog="Every setting is also a variable: SAWYER_DATA_DIR, SAWYER_CHUNKER, SAWYER_EMBEDDER, ...",
    )
    root.add_argument("--version", action="version", version=f"sawyer {version('sawyer-rag')}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    place, output, engine, cutting = _place(), _output(), _engine(), _cutting()
    reach, selecting = _reach(), _selecting()

    command = commands.add_parser(
        "ingest", parents=[place, reach, output, engine, cutting], help="make texts retrievable"
    )
    command.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, or a folder with *.txt and *.md files"
    )
    command.add_argument("--title", help="what to call the text (one file)")
    _collection(command, default=DEFAULT_COLLECTION)

    command = commands.add_parser(
        "ask", parents=[place, reach, output, engine, selecting], help="get one cited sentence"
    )
    command.add_argument("question", metavar="QUESTION")
    command.add_argument(
        "-k", type=int, default=DEFAULT_K, help="passages to look through (default: %(default)s)"
    )
    command.add_argument(
        "--retriever",
        choices=get_args(RetrieverName),
        default="hybrid",
        help="how passages are found (default: %(default)s)",
    )
    _collection(command, default=DEFAULT_COLLECTION)

    command = commands.add_parser(
        "chunk",
        parents=[_directory(), _embedder(), cutting],
        help="cut one file into chunks, as JSON lines; stores nothing but what a chat model picked",
    )
    command.add_argument("file", metavar="FILE")
    command.add_argument(
        "--plan", action="store_true", help="say what a chat model would be sent, and send nothing"
    )

    command = commands.add_parser("documents", parents=[place, reach, output], help="list what was ingested")
    _collection(command, default=None)

    command = commands.add_parser("delete", parents=[place, reach, output], help="take documents out")
    command.add_argument("ids", nargs="+", metavar="ID", help="a document's id, from `sawyer documents`")

    command = commands.add_parser(
        "reindex",
        parents=[place, reach, output, engine, cutting],
        help="chunk and embed every stored text anew",
    )
    _collection(command, default=None)

    command = commands.add_parser(
        "serve", parents=[place, engine, selecting, cutting], help="serve the chat page and the API"
    )
    command.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    command.add_argument("--port", type=int, help="port to listen on, 0 for any (default: 7860)")
    command.add_argument(
        "--allowed-host",
        dest="allowed_hosts",
        action="append",
        metavar="NAME",
        help="a host name that requests may carry besides the loopback ones; may be repeated",
    )
    command.add_argument(
        "--no-chat", dest="chat", action="store_const", const=False, help="the API alone, without the page"
    )
    return root


def _directory() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False)
    flags.add_argument("--data-dir", metavar="DIR", help="where everything is kept")
    return flags


def _place() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False, parents=[_directory()])
    flags.add_argument(
        "--lock-wait",
        type=float,
        metavar="SECONDS",
        help="longest wait for another command on the same data directory (default: 30)",
    )
    return flags


def _reach() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False)
    flags.add_argument("--url", help="use the server there (default: one that runs on the data directory)")
    return flags


def _output() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False)
    flags.add_argument("--json", action="store_true", help="print JSON, one object a line")
    return flags


def _embedder() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False)
    flags.add_argument("--embedder", metavar="NAME", help="minilm (default), st:NAME_OR_PATH or openai:MODEL")
    return flags


def _engine() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False, parents=[_embedder()])
    flags.add_argument("--index", choices=get_args(IndexMode), help="what is embedded (default: windows)")
    return flags


def _selecting() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False)
    flags.add_argument(
        "--selector",
        metavar="NAME",
        help=f"what scores sentences and decides (default: {DEFAULT_SELECTOR}, or the server's own); "
        "NAME@careful and NAME@eager answer less and more",
    )
    return flags


def _cutting() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser(add_help=False)
    flags.add_argument("--chunker", metavar="NAME", help="how texts are cut (default: recursive)")
    flags.add_argument(
        "--size", dest="chunk_size", type=int, metavar="N", help="largest chunk (lumber: window), in units"
    )
    flags.add_argument(
        "--unit",
        dest="chunk_unit",
        choices=get_args(UnitName),
        help="what sizes count (default: the chunker's own)",
    )
    flags.add_argument(
        "--overlap",
        dest="chunk_overlap",
        type=int,
        metavar="N",
        help="units that a chunk repeats of the one before (default: 0)",
    )
    for flag, name, told in (
        ("--min", "least", "a smaller chunk joins a neighbour"),
        ("--soft", "soft", "a larger chunk is cut where its content shifts most"),
        ("--hard", "hard", "a larger chunk is cut in any case"),
    ):
        flags.add_argument(flag, dest=f"chunk_{name}", type=int, metavar="N", help=f"{told}; in units")
    flags.add_argument(
        "--picker", choices=get_args(PickerName), help="who finds lumber's boundaries (default: auto)"
    )
    flags.add_argument(
        "--on-failure",
        choices=get_args(OnFailure),
        help="a window without a usable pick is an error, a chunk, or the local picker's (default: raise)",
    )
    flags.add_argument(
        "--max-calls", type=int, metavar="N", help="windows that a chat model may be sent for one text"
    )
    return flags


def _collection(command: argparse.ArgumentParser, *, default: str | None) -> None:
    shown = default or "all"
    command.add_argument(
        "--collection", default=default, metavar="NAME", help=f"which texts (default: {shown})"
    )
