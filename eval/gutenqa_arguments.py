"""The command line of ``python -m eval.gutenqa``."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import InvalidValue
from core.machine import cores
from eval.command import add_baseline, add_cache, add_outputs
from eval.datasets.base import DATA_VARIABLE
from eval.datasets.gutenqa_parquet import HOME
from eval.nulls import NULLS
from eval.relevance import RULES
from eval.retrievers import Retriever, known
from eval.significance import SEED

CHUNK_FILE = ".jsonl"


def parser(program: str) -> argparse.ArgumentParser:
    """What the command takes, with its help."""
    arguments = argparse.ArgumentParser(
        prog=program, description="chunkers and retrievers on GutenQA, by its published metric"
    )
    cut = arguments.add_mutually_exclusive_group(required=True)
    cut.add_argument(
        "--chunker",
        nargs="+",
        metavar="NAME",
        help=f"chunkers of ours, to cut the books; a name that ends in {CHUNK_FILE} is a chunk file",
    )
    cut.add_argument(
        "--chunks", nargs="+", type=Path, metavar="FILE", help="JSON lines: Book Name, Chunk ID, Chunk"
    )
    arguments.add_argument(
        "--retriever",
        nargs="+",
        type=_retriever,
        default=[Retriever("hybrid")],
        metavar="NAME",
        help=f"{known()}; bm25 is the plain one of other people's tables (default: hybrid)",
    )
    arguments.add_argument(
        "--nulls",
        nargs="*",
        choices=NULLS,
        metavar="NULL",
        help="beside each chunker what has as many chunks a book and nothing else: random, cut between any "
        "words; even, paragraphs packed to even lengths (default: both)",
    )
    add_baseline(arguments)
    arguments.add_argument(
        "--audit", action="store_true", help="also print the golds that no chunk can hold, and why"
    )
    arguments.add_argument(
        "--rule",
        choices=RULES,
        help="what makes a chunk relevant: it contains the gold string, holds the evidence span, or contains "
        "the gold for propositions (default: span where questions and chunks have spans; proposition where "
        "a chunk file says the book in other words and questions have such golds; else substring)",
    )
    arguments.add_argument(
        "--books", nargs="+", metavar="BOOK", help="default: every book that has questions"
    )
    arguments.add_argument(
        "--embedder",
        default="minilm",
        metavar="NAME",
        help="minilm, st:NAME_OR_PATH, contriever:PATH, dpr:QPATH,CPATH or openai:MODEL (default: minilm)",
    )
    arguments.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"the data root or the set's own folder (default: {DATA_VARIABLE}, else the bundled sample)",
    )
    arguments.add_argument(
        "--fetch",
        nargs="?",
        const=HOME,
        metavar="FROM",
        help="first get the published set into the data folder (default: the user's cache folder), from its "
        f"home ({HOME}), a mirror's URL, or a folder with the same files",
    )
    arguments.add_argument(
        "--limit", type=int, metavar="N", help="questions a book at most, drawn by the seed"
    )
    arguments.add_argument(
        "--seed", type=int, default=SEED, help=f"of drawn questions, nulls and intervals (default: {SEED})"
    )
    arguments.add_argument("--jobs", type=int, default=cores(), help="processes at most (default: the cores)")
    add_cache(arguments)
    add_outputs(
        arguments,
        plot="DCG and, into FILE-er beside it, evidence recall, with bands; many rows give a pair a rule and "
        "retriever",
    )
    return arguments


def _retriever(text: str) -> Retriever:
    try:
        return Retriever.parse(text)
    except InvalidValue as error:
        raise argparse.ArgumentTypeError(str(error)) from error
