"""Tiny random-weight encoders on disk, in the forms in which Contriever and DPR are published."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def save_tokenizer(folder: Path, texts: Iterable[str]) -> int:
    """A word-piece tokenizer that knows the words of the texts; the size of its vocabulary."""
    import transformers
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    splitter = BertPreTokenizer()
    found = {word for text in texts for word, _ in splitter.pre_tokenize_str(text.lower())}
    vocabulary = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *sorted(found)])}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = splitter
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(str(folder))
    return len(vocabulary)


def save_encoder(folder: Path, kind: str, texts: Iterable[str], *, seed: int, dim: int = 32) -> Path:
    """A model of that class in ``transformers`` with its tokenizer; weights are drawn by the seed."""
    import torch
    import transformers

    settings: dict[str, Any] = {
        "vocab_size": save_tokenizer(folder, texts),
        "hidden_size": dim,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 2 * dim,
        "max_position_embeddings": 160,
        "initializer_range": 0.5,  # the usual 0.02 would make all texts alike
    }
    torch.manual_seed(seed)
    if kind == "BertModel":
        model = transformers.BertModel(transformers.BertConfig(**settings))
    else:
        model = getattr(transformers, kind)(transformers.DPRConfig(**settings, projection_dim=0))
    model.eval().save_pretrained(str(folder))
    return folder
