"""Fit the distilled boundary picker: where experts start sections, and where chapters and scenes begin.

Trained on FairytaleQA train and on permitted books alone. Headings and rules are taken out of the books
before anything is read, so that the content must tell. Choi's documents are left out: they state no licence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from chunkers.boundaries import paragraph_spans
from chunkers.boundary_features import VECTOR_FEATURES, WORD_FEATURES, vector_features, word_features
from chunkers.boundary_fit import Beginnings, Sections, fit_boundaries
from chunkers.boundary_model import BoundaryModel, Linear, SizePrior, save_boundary
from chunkers.lumber import Lumber
from chunkers.marks import PROSE, mark_kinds
from chunkers.model_picker import ModelPicker
from chunkers.sizes import Tokens
from chunkers.windows import window_spans
from core.protocols import Embedder
from core.values import Span
from eval.boundary_scoring import SegmentedText, boundary_figures
from eval.datasets.base import locate
from eval.datasets.books import read_training_book, training_books
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_training_stories
from eval.joined import JoinedText, join
from eval.metrics import unit_boundaries
from eval.placed import ByChunker, NullCut, PlacedText, drawn, placed_joined
from eval.retrievers import Retriever
from eval.section_scoring import SectionScores, score_sections
from service.embedding import build_embedder
from service.embedding.remembering import RememberingEmbedder

# Retold in FairytaleQA, whose val split confirms.
SAME_TALES = frozenset({"Grimms'_Fairy_Tales_-_Grimm_Brothers"})
BOOK_CHARACTERS = 400_000
NEAR = 8  # passages before and after a chapter's start, among which it is to be found
EDGE = 3  # a part this near the text's ends has nothing to be told from

FOLDS = 3
PRIOR = SizePrior(typical=250.0, spread=0.3)
PRIORS = (
    SizePrior(180.0, 0.3),
    SizePrior(220.0, 0.3),
    PRIOR,
    SizePrior(280.0, 0.3),
    SizePrior(330.0, 0.3),
    SizePrior(250.0, 0.6),
)


@dataclass(frozen=True)
class Read:
    """A text as the fit sees it.

    Attributes:
        features: (n, d) word features, then vector features.
        starts: passages that start a section or a part, the first left out.
    """

    name: str
    text: str
    units: Sequence[Span]
    features: NDArray[np.float64]
    sizes: NDArray[np.float64]
    starts: Sequence[int]


def train(data: Path, *, per_text: int, seed: int, save: bool) -> None:
    """Print what folds say, fit on everything, and write the shipped artefact when ``save``.

    Args:
        data: the data root, with ``books/`` and ``fairytaleqa/``.
        per_text: questions a joined text, for the choice of the size prior.
        seed: of the choice of questions.
        save: whether to write ``models/boundary``.
    """
    place = locate(FAIRYTALEQA, data)
    embedder = RememberingEmbedder(build_embedder("minilm"))
    told = read_training_stories(place.folder, "train")
    joined = join(told)
    stories = [_read_story(text, embedder) for text in joined]
    books = []
    for book in training_books(place.root):
        if book not in SAME_TALES:
            # Anew for each book, so that one book's vectors are in memory at a time.
            books.append(_read_book(book, read_training_book(place.root, book), build_embedder("minilm")))
            print(f"read {book}: {len(books[-1].starts)} parts", flush=True)
    models = [
        _fit(
            [text for at, text in enumerate(stories) if at % FOLDS != fold],
            [book for at, book in enumerate(books) if at % FOLDS != fold],
            embedder.fingerprint,
        )
        for fold in range(FOLDS)
    ]
    _report_agreement(stories, books, models, embedder)
    placed = drawn(placed_joined(told), per_text * len(joined), seed)
    _report_priors(placed, models, embedder)
    model = _fit(stories, books, embedder.fingerprint)
    _report_weights(model, np.concatenate([text.features for text in stories]))
    if save:
        save_boundary(
            model,
            command="python -m eval.train boundary",
            data="FairytaleQA train (Apache-2.0), joined; permitted books (public domain)",
            sections=sum(len(text.starts) for text in stories),
            parts=sum(len(_beginnings(book)) for book in books),
            books=len(books),
        )
        print("wrote models/boundary.npz and models/boundary.json")


def _read_story(text: JoinedText, embedder: Embedder) -> Read:
    units = paragraph_spans(text.text)
    starts = {section.start for section in text.sections}
    return _read(
        text.name, text.text, [at for at, unit in enumerate(units) if unit.start in starts], embedder
    )


def _read_book(name: str, text: str, embedder: Embedder) -> Read:
    """The book's prose alone, as far as `BOOK_CHARACTERS` reach, and where a heading or rule stood before."""
    passages: list[str] = []
    starts: list[int] = []
    units = paragraph_spans(text)
    before, characters = False, 0
    for unit, kind in zip(units, mark_kinds(text, units).tolist(), strict=True):
        if kind != PROSE:
            before = True
            continue
        if before:
            starts.append(len(passages))
        passages.append(unit.of(text))
        before, characters = False, characters + len(unit)
        if characters > BOOK_CHARACTERS:
            break
    return _read(name, "\n\n".join(passages), starts, embedder)


def _read(name: str, text: str, starts: Sequence[int], embedder: Embedder) -> Read:
    units, windows = paragraph_spans(text), window_spans(text)
    vectors = embedder.embed_passages([window.of(text) for window in windows])
    features = np.hstack([word_features(text, units), vector_features(units, windows, vectors)])
    ruler = Tokens().ruler(text)
    sizes = np.array([ruler.count(unit.start, unit.end) for unit in units], np.float64)
    return Read(name, text, units, features, sizes, [at for at in starts if 0 < at < len(units)])


def _fit(stories: Sequence[Read], books: Sequence[Read], fingerprint: str) -> BoundaryModel:
    read = np.concatenate([text.features for text in stories])
    mean, deviation = read.mean(axis=0), read.std(axis=0) + 1e-9
    found = []
    for width in (len(WORD_FEATURES) + len(VECTOR_FEATURES), len(WORD_FEATURES)):
        shown = [replace(one, features=((one.features - mean) / deviation)[:, :width]) for one in stories]
        parts = [replace(one, features=((one.features - mean) / deviation)[:, :width]) for one in books]
        sections = [Sections(one.features, one.sizes, [0, *one.starts]) for one in shown]
        places = [place for one in parts for place in _beginnings(one)]
        weights = fit_boundaries(sections, places) / deviation[:width]
        found.append(Linear(weights, mean[:width]))
    with_vectors, words_alone = found
    return BoundaryModel(with_vectors, words_alone, PRIOR, fingerprint)


def _beginnings(book: Read) -> list[Beginnings]:
    found = []
    for start in book.starts:
        if EDGE <= start < len(book.units) - EDGE:
            first = max(1, start - NEAR)
            found.append(Beginnings(book.features[first : start + NEAR + 1], start - first))
    return found


def _report_agreement(
    stories: Sequence[Read], books: Sequence[Read], models: Sequence[BoundaryModel], embedder: Embedder
) -> None:
    """Texts under the model that has not seen them."""
    print("\n| held out | Pk | WindowDiff | F1 | F1 within one | cuts/section |\n|---|---|---|---|---|---|")
    for label, picks in (("lumber[local]", embedder), ("lumber[local-words]", None)):
        figures = []
        for at, text in enumerate(stories):
            chunker = Lumber(ModelPicker(picks, model=models[at % FOLDS]))
            segmented = SegmentedText(text.name, "all", text.text, tuple(text.units), tuple(text.starts))
            figures.append(boundary_figures(segmented, unit_boundaries(chunker.split(text.text), text.units)))
        means = {name: fmean(of[name] for of in figures) for name in figures[0]}
        print(f"| {label} | " + " | ".join(f"{value:.3f}" for value in means.values()) + " |")
    for label, width in (("with vectors", None), ("words alone", len(WORD_FEATURES))):
        found = [
            int(_linear(models[at % FOLDS], width).score(place.features[:, :width]).argmax()) == place.begins
            for at, book in enumerate(books)
            for place in _beginnings(book)
        ]
        print(f"parts of held-out books found among {2 * NEAR + 1} passages, {label}: {fmean(found):.3f}")


def _linear(model: BoundaryModel, width: int | None) -> Linear:
    return model.with_vectors if width is None else model.words_alone


def _report_priors(texts: Sequence[PlacedText], models: Sequence[BoundaryModel], embedder: Embedder) -> None:
    """Retrieval on texts that the model has not seen, for each size prior, beside as many even chunks."""
    print("\n| typical | spread | tokens | er@1000 | even | DCG@20 | even |\n|---|---|---|---|---|---|---|")
    for prior in PRIORS:
        scores: list[tuple[SectionScores, SectionScores]] = []
        for at, text in enumerate(texts):
            picker = ModelPicker(embedder, model=replace(models[at % FOLDS], prior=prior))
            cut = ByChunker("lumber", Lumber(picker))
            ours, even = (
                score_sections([text], one, [Retriever("hybrid")], embedder)[0]
                for one in (cut, NullCut(cut, "even", 0))
            )
            scores.append((ours, even))
        shown = [
            fmean(value for pair in scores for value in pair[side].values[metric].values())
            for metric in ("er@1000", "dcg@20")
            for side in (0, 1)
        ]
        tokens = 1.3 * sum(ours.words for ours, _ in scores) / sum(ours.chunks for ours, _ in scores)
        row = " | ".join(f"{value:.3f}" for value in shown)
        print(f"| {prior.typical:.0f} | {prior.spread} | {tokens:.0f} | {row} |", flush=True)


def _report_weights(model: BoundaryModel, features: NDArray[np.float64]) -> None:
    deviation = features.std(axis=0)
    print("\n| feature | weight of one deviation |\n|---|---|")
    for at, name in enumerate((*WORD_FEATURES, *VECTOR_FEATURES)):
        print(f"| {name} | {model.with_vectors.weights[at] * deviation[at]:+.2f} |")
