"""What `eval.wikiqa`, `eval.qasent` and `eval.selqa` share: arguments, the folder, table and JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from answering.published import PUBLISHED
from core.errors import InvalidValue
from eval.command import Command, say
from eval.datasets.base import DATA_VARIABLE, Declaration, data_directory, locate
from eval.datasets.sample import sample_directory
from eval.datasets.selection import Denominator, SelectionQuery
from eval.embedders import embedder_named
from eval.learnt_from import warning
from eval.selection_run import DEFAULT, Measured, checked_models, known_models, measure, write_ranks
from eval.significance import SEED
from eval.table import TableRow, markdown

RULE = "a sentence that the set labels 1"
SAMPLE = "bundled sample"


@dataclass(frozen=True)
class SelectionSet:
    """A data set as its command runs it.

    Attributes:
        read: the queries of a split in the set's own folder.
        files: the files that decide them.
        shown: the denominators that the table shows, by the words that it calls them.
    """

    declaration: Declaration
    read: Callable[[Path, str], Sequence[SelectionQuery]]
    files: Callable[[Path, str], Sequence[Path]]
    shown: Mapping[str, Denominator]


def add_arguments(parser: argparse.ArgumentParser, splits: Sequence[str]) -> None:
    """``--model``, ``--split``, ``--data``, ``--embedder``, ``--json`` and ``--write-rank``."""
    parser.add_argument(
        "--model", nargs="+", default=[DEFAULT], metavar="NAME", help=f"{known_models()} (default: {DEFAULT})"
    )
    parser.add_argument("--split", choices=splits, default="dev", help="default: dev")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"the data root or the set's own folder (or {DATA_VARIABLE})"
    )
    parser.add_argument("--embedder", default="minilm", metavar="NAME", help="default: minilm")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument(
        "--write-rank", type=Path, metavar="FILE", help="also write probabilities for the official evaluator"
    )


def run(options: argparse.Namespace, command: Command, chosen: SelectionSet) -> None:
    """Measure the models on the split, print the table, write what is asked for.

    Raises:
        NotFound: no such data.
        DataError: a malformed line.
        InvalidValue: no such model, or a file that cannot be written.
    """
    models = checked_models(options.model)
    if options.write_rank is not None and len(models) > 1:
        raise InvalidValue(f"--write-rank takes one model, got {len(models)}; name one with --model")
    folder, name = folder_of(chosen.declaration, options.data)
    queries = chosen.read(folder, options.split)
    embedder = embedder_named(options.embedder)
    found = []
    for model in models:
        say(f"{options.split}: {model}, {len(queries)} questions")
        flattered = warning(model, name, options.split)
        if flattered is not None:
            say(flattered)
        found.append(measure(model, options.split, queries, embedder))
    rows = []
    for one in found:
        rows += [one.row(words, denominator) for words, denominator in chosen.shown.items()]
        if name != SAMPLE:
            rows += _published(chosen.declaration.folder, one)
    print(markdown(rows, bounded=("f1",)))
    if options.write_rank is not None:
        write_ranks(options.write_rank, found[0])
    if options.json is not None:
        entries = [one.as_json() for one in found]
        deciding = None if set(models) <= set(PUBLISHED) else embedder
        record = command.record(name, RULE, chosen.files(folder, options.split), deciding, SEED)
        # One model's figures stand at the top, several in a list.
        head = entries[0] if len(entries) == 1 else {"models": entries}
        write_report(options.json, {**head, "provenance": record})


def folder_of(declaration: Declaration, asked: Path | None) -> tuple[Path, str]:
    """The set's own folder and name, or those of the sample where no data folder is given."""
    directory = data_directory(asked)
    if directory is None:
        say(f"no data folder: scoring the bundled sample; for the real set, {declaration.instructions}")
        return sample_directory() / declaration.folder, SAMPLE
    place = locate(declaration, directory)
    say(f"data: {place.folder} ({place.kind} given)")
    return place.folder, declaration.name


def write_report(path: Path, figures: Mapping[str, Any]) -> None:
    """Write JSON.

    Raises:
        InvalidValue: the file cannot be written.
    """
    text = json.dumps(figures, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"a report needs a writable file, got {path} ({error.strerror})") from error


def _published(folder: str, measured: Measured) -> list[TableRow]:
    """What the paper reports for the model, on the same split or, failing that, on test."""
    path = files("eval.datasets").joinpath("wikiqa_published.json")
    published = json.loads(path.read_text(encoding="utf-8"))
    for split in dict.fromkeys((measured.split, "test")):
        key = f"{folder}/{split}"
        figures = {
            **published["selection"].get(key, {}).get(measured.model, {}),
            **published["triggering"].get(key, {}).get(measured.model, {}),
        }
        if figures:
            return [TableRow({"model": f"{measured.model}, paper", "split": split}, figures)]
    return []
