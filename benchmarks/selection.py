"""What scoring candidate sentences costs, as a share of embedding the question once, in the same run.

    python -m benchmarks.selection [--data DIR] [--selector NAME ...] [--json FILE]

Sentences are those of the bundled story, or with ``--data`` of *Grimms' Fairy Tales*; the candidates of a
question are the 10 and the 100 that share most with it, by weight, which is the most work for a selector.
In each round everything takes its turn on another short question: the default embedder on the question,
then each selector on both numbers of candidates, *cold* (no sentence was read before, though its words and
the models are known) and *warm* (every one was, as those of a collection that is asked now and then). The
question's own vector is at hand in both, since the search has made it. A figure is the median of a selector's
times over the median of the embedder's.

The run fails where a promise is broken: warm, `lexical` takes at most .5 at 10 candidates and 3 at 100,
`hybrid` 1 and 4.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

from answering import SELECTORS, SelectorOf, selector_named
from answering.background import with_background
from answering.base import Candidate, scores_of
from answering.columns import standing_alone
from answering.counts import weighted_overlap
from answering.learnt import LEARNT
from answering.question_features import take_apart
from answering.sentences import forget_sentences
from chunkers.boundaries import sentence_spans
from core.text import IdfTable, question_terms, terms
from eval.command import Command
from service.embedding import build_embedder
from service.embedding.questions import QuestionEmbedder
from service.embedding.sentences import SentenceEmbedder
from service.sample import FOLDER, sample_sources

BOOK = Path("books", "Grimms'_Fairy_Tales_-_Grimm_Brothers.md")
BOOK_QUESTIONS = (
    "What did the king give to his youngest daughter?",
    "Who lived in the little cottage in the forest?",
    "How many sons did the miller have?",
    "Why did the wolf go to the baker?",
    "Where did the fisherman catch the golden fish?",
    "When was the wedding of the princess held?",
)
SHORT = 12  # words of a question
SIZES = (10, 100)
PROMISED = {"lexical": (0.5, 3.0), "hybrid": (1.0, 4.0)}  # at `SIZES`, warm
USUAL = ("overlap", "cnn-cnt", *LEARNT)


@dataclass(frozen=True, slots=True)
class Row:
    """One selector's times over the embedder's.

    Attributes:
        warm: at each of `SIZES`, sentences that were read before.
        cold: at each of `SIZES`, sentences that were not.
    """

    selector: str
    warm: tuple[float, ...]
    cold: tuple[float, ...]

    @property
    def kept(self) -> bool:
        """Whether what is promised of the selector holds."""
        most = PROMISED.get(self.selector)
        return most is None or all(found <= bound for found, bound in zip(self.warm, most, strict=True))


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, all threads together: true while something else is running too."""
    begun = process_time()
    work()
    return process_time() - begun


def measure(
    sentences: Sequence[str], questions: Sequence[str], names: Sequence[str], rounds: int
) -> list[Row]:
    """A row a selector."""
    plain = build_embedder("minilm")
    of_sentences = SentenceEmbedder(plain)
    embedder = QuestionEmbedder(of_sentences)
    collection = IdfTable.of(terms(sentence) for sentence in sentences)
    selectors = {name: selector_named(name) for name in names}
    embedding: list[float] = []
    taken: dict[tuple[str, str, int], list[float]] = {}

    idfs = {question: with_background(question_terms(question), collection) for question in questions}
    ranked = {
        question: np.argsort(-weighted_overlap(question, sentences, idf), kind="stable")[: max(SIZES)]
        for question, idf in idfs.items()
    }

    def turn(question: str, name: str, selector: SelectorOf, size: int) -> None:
        idf, chosen = idfs[question], ranked[question][:size]

        def score(candidates: Sequence[Candidate]) -> object:
            return scores_of(selector(embedder, idf), question, candidates)

        embedder.embed_query(question)
        for state in ("cold", "warm"):
            if state == "cold":
                of_sentences.forget()
                forget_sentences()
            # Made anew, as an answer's candidates are: equal to what is remembered, not the same objects.
            texts = ["".join(list(sentences[at])) for at in chosen]
            take_apart.cache_clear()  # a question is asked for the first time
            work = partial(score, standing_alone(texts))
            taken.setdefault((name, state, size), []).append(seconds(work))

    for round_ in range(rounds + 1):
        gc.collect()  # between rounds alone: what a collection costs depends on everybody's garbage
        gc.disable()
        question = questions[round_ % len(questions)]
        plain.embed_query(question)
        embedding += [seconds(partial(plain.embed_query, question)) for _ in range(3)]
        for name, selector in selectors.items():
            for size in SIZES:
                turn(question, name, selector, size)
        gc.enable()
        if not round_:  # models were loaded and words met for the first time
            embedding.clear()
            taken.clear()
    one = median(embedding)

    def over(name: str, state: str) -> tuple[float, ...]:
        return tuple(median(taken[name, state, size]) / one for size in SIZES)

    return [Row(name, over(name, "warm"), over(name, "cold")) for name in names]


def table(rows: Sequence[Row]) -> str:
    """Markdown."""
    heads = [f"{state}, {size}" for state in ("warm", "cold") for size in SIZES]
    lines = [f"| selector | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for row in rows:
        cells = " | ".join(
            f"{share:.2f}" if share < 10 else f"{share:.0f}" for share in (*row.warm, *row.cold)
        )
        lines.append(f"| `{row.selector}` | {cells} |{'' if row.kept else ' more than promised'}")
    return "\n".join(lines)


def read(data: Path | None) -> tuple[list[str], list[str]]:
    """Sentences and short questions about them."""
    if data is None:
        texts = [source.data.decode("utf-8") for source in sample_sources()]
        lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        questions = [str(json.loads(line)["question"]) for line in lines]
    else:
        texts = [(data / BOOK).read_bytes().decode("utf-8")]
        questions = list(BOOK_QUESTIONS)
    sentences = [span.of(text) for text in texts for span in sentence_spans(text)]
    return sentences, [question for question in questions if len(question.split()) <= SHORT]


def main(given: Sequence[str] | None = None) -> int:
    """Print the table; the exit code, 1 where a promise is broken."""
    command = Command.of("python -m benchmarks.selection", given)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="a folder that holds books/; without: the bundled story")
    parser.add_argument("--selector", action="append", choices=tuple(SELECTORS), help=", ".join(SELECTORS))
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args(command.given)
    rows: list[Row] = []
    code = command.run(arguments, lambda: rows.extend(_run(arguments)))
    return code or int(not all(row.kept for row in rows))


def _run(arguments: argparse.Namespace) -> list[Row]:
    sentences, questions = read(arguments.data)
    words = sum(len(sentence.split()) for sentence in sentences) / len(sentences)
    print(
        f"{len(sentences):,} sentences of {words:.0f} words, {len(questions)} questions; 1 is one embedding\n"
    )
    rows = measure(sentences, questions, arguments.selector or USUAL, arguments.rounds)
    print(table(rows))
    if arguments.json:
        found = [
            {"selector": row.selector, "sizes": SIZES, "warm": row.warm, "cold": row.cold} for row in rows
        ]
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return rows


if __name__ == "__main__":
    sys.exit(main())
