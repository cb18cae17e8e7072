"""Which selectors learnt from which split: what they score there is no measure of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answering.published import PUBLISHED

_WIKIQA = ("lexical", "hybrid", "cross")
# By data set and split. The thresholds of the published models are those of the best F1 on WikiQA dev, as the
# paper's is; they learnt from train.
_LEARNT: Mapping[tuple[str, str], Sequence[str]] = {
    ("WikiQA", "train"): (*_WIKIQA, *(name for name in PUBLISHED if name.startswith("cnn"))),
    ("WikiQA", "dev"): _WIKIQA,
    ("SelQA", "dev"): ("clean",),
}


def warning(model: str, name: str, split: str) -> str | None:
    """A line for people where the figures flatter, None where the model did not learn from the split.

    Args:
        name: of the data set, as its declaration has it.
    """
    if model not in _LEARNT.get((name, split), ()):
        return None
    trainer = "published" if model in PUBLISHED else model
    return (
        f"{model} learnt from {name} {split}, so these figures flatter it; "
        f"`python -m eval.train {trainer} --dry-run` measures on questions that were held out"
    )
