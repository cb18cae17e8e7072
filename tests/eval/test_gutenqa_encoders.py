"""GutenQA's figures with Contriever and DPR equal a plain reading of their snippets, ties included: slow."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eval.gutenqa import main
from tests.support.tiny_encoders import save_encoder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("transformers") is None,
        reason="transformers is not installed: pip install 'sawyer-rag[st]'",
    ),
]
BOOK = "Tides_-_A._Nobody"
SUBJECTS = "tide rope lamp quay keeper float harbour".split()
# The hours are no words to the encoders, so that every seventh chunk is the same to them: equals keep text
# order, and the figures tell whether they do.
CHUNKS = [
    f"The {SUBJECTS[at % 7]} lay by the {SUBJECTS[at * 3 % 7]} until hour {at} had gone." for at in range(40)
]
KNOWN = [f"the {' '.join(SUBJECTS)} lay by until hour had gone what at ?."]
QUESTIONS = [(f"What {SUBJECTS[n % 5]} lay at {n}?", f"hour {n} had") for n in (3, 11, 22, 30, 38)]

Score = Callable[[str, str], float]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "gutenqa/emma"
    folder.mkdir(parents=True)
    rows = [
        {"Book Name": BOOK, "Question": asked, "Answer": "", "Chunk Must Contain": gold}
        for asked, gold in QUESTIONS
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    chunks = [{"Book Name": BOOK, "Chunk ID": at, "Chunk": text} for at, text in enumerate(CHUNKS)]
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, chunks)), encoding="utf-8")
    return tmp_path


def figures(data: Path, embedder: str) -> dict[str, Any]:
    path = data / "out.json"
    command = ["--chunks", str(data / "gutenqa/emma/mine.jsonl"), "--retriever", "dense", "--data", str(data)]
    command += ["--embedder", embedder, "--cache", str(data / "cache"), "--json", str(path)]
    assert main(command) == 0
    (row,) = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return dict(row)


def expected(
    row_of: Callable[[str], NDArray[np.float64]], asked_of: Callable[[str], NDArray[np.float64]]
) -> dict[int, float]:
    """DCG by cutoff, read off the definition: one vector a text, dot products, equals in text order."""
    rows = {text: row_of(text) for text in CHUNKS}
    dcg = dict.fromkeys((1, 2, 5, 10, 20), 0.0)
    for question, gold in QUESTIONS:
        asked = asked_of(question)
        scores = {
            text: math.fsum(a * b for a, b in zip(row, asked, strict=True)) for text, row in rows.items()
        }
        order = sorted(range(len(CHUNKS)), key=lambda at: (-scores[CHUNKS[at]], at))
        rank = next(rank for rank, at in enumerate(order, start=1) if gold in CHUNKS[at].lower())
        for k in dcg:
            dcg[k] += (rank <= k) / math.log2(rank + 1) / len(QUESTIONS)
    return dcg


def reader(folder: Path, kind: str, pooled: Callable[[Any], Any]) -> Callable[[str], NDArray[np.float64]]:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    model = getattr(transformers, kind).from_pretrained(str(folder)).eval()

    def read(text: str) -> NDArray[np.float64]:
        with torch.inference_mode():
            row = pooled(model(**tokenizer([text], return_tensors="pt")))[0]
        return np.asarray(row, dtype=np.float64)

    return read


def test_contriever_figures_are_the_snippets(data: Path, tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "contriever", "BertModel", KNOWN, seed=3)
    read = reader(folder, "AutoModel", lambda output: output.last_hidden_state.mean(dim=1))
    row = figures(data, f"contriever:{folder}")
    for k, value in expected(read, read).items():
        assert row[f"dcg@{k}"] == pytest.approx(value, abs=1e-6)


def test_dpr_figures_are_the_snippets(data: Path, tmp_path: Path) -> None:
    asking = save_encoder(tmp_path / "q", "DPRQuestionEncoder", KNOWN, seed=4)
    telling = save_encoder(tmp_path / "c", "DPRContextEncoder", KNOWN, seed=5)
    row = figures(data, f"dpr:{asking},{telling}")
    passages = reader(telling, "DPRContextEncoder", lambda output: output.pooler_output)
    questions = reader(asking, "DPRQuestionEncoder", lambda output: output.pooler_output)
    for k, value in expected(passages, questions).items():
        assert row[f"dcg@{k}"] == pytest.approx(value, abs=1e-6)
