"""Other people's chunkers, at a size in tokens, each made anew so that none remembers an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Literal

from chunkers.sizes import Size

Kind = Literal["fixed", "sentence", "recursive"]
TokenizerName = Literal["cl100k", "minilm"]
Cuts = Callable[[str], Sequence[Any]]

KINDS: tuple[Kind, ...] = ("fixed", "sentence", "recursive")


@dataclass(frozen=True, slots=True)
class Peer:
    """One chunker of a kind.

    Attributes:
        package: as it is installed; its version is shown.
        make: called with tokenizer and size in tokens; gives what cuts a text.
        compiled: written in Rust as a whole: reported, and not among those to keep up with.
    """

    kind: Kind
    package: str
    called: str
    make: Callable[[TokenizerName, int], Cuts]
    tokenizers: tuple[TokenizerName, ...] = ("cl100k", "minilm")
    compiled: bool = False

    @property
    def name(self) -> str:
        """Package, version and what of it is run."""
        return f"{self.package} {version(self.package)} {self.called}"


@lru_cache(maxsize=2)
def tokenizer(name: TokenizerName) -> Any:
    """The tokenizer itself, as every peer takes it: tiktoken's, or that of ``tokenizers``."""
    if name == "cl100k":
        import tiktoken

        return tiktoken.get_encoding("cl100k_base")
    from tokenizers import Tokenizer

    from core.artifacts import models_directory

    plain = Tokenizer.from_file(str(models_directory() / "minilm" / "tokenizer.json"))
    plain.no_truncation()
    plain.no_padding()
    return plain


@lru_cache(maxsize=2)
def size(name: TokenizerName) -> Size:
    """The same tokenizer as ours take it."""
    from chunkers.byte_pairs import BytePairTokens
    from chunkers.sizes import Tokens

    sizes: Mapping[TokenizerName, Size] = {
        "cl100k": BytePairTokens("cl100k_base"),
        "minilm": Tokens("minilm"),
    }
    return sizes[name]


def counter(name: TokenizerName) -> Callable[[str], int]:
    """A function of its own each time, since semchunk remembers what a function once gave."""
    plain = tokenizer(name)
    if name == "cl100k":
        return lambda text: len(plain.encode_ordinary(text))
    return lambda text: len(plain.encode(text, add_special_tokens=False))


def _langchain_tokens(_: TokenizerName, most: int) -> Cuts:
    from langchain_text_splitters import TokenTextSplitter

    return TokenTextSplitter(
        encoding_name="cl100k_base", disallowed_special=(), chunk_size=most, chunk_overlap=0
    ).split_text


def _langchain_recursive(name: TokenizerName, most: int) -> Cuts:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(
        chunk_size=most, chunk_overlap=0, length_function=counter(name)
    ).split_text


def _chonkie_tokens(name: TokenizerName, most: int) -> Cuts:
    from chonkie import TokenChunker

    return TokenChunker(tokenizer(name), chunk_size=most, chunk_overlap=0).chunk


def _chonkie_sentences(name: TokenizerName, most: int) -> Cuts:
    from chonkie import SentenceChunker

    return SentenceChunker(tokenizer(name), chunk_size=most, chunk_overlap=0).chunk


def _chonkie_recursive(name: TokenizerName, most: int) -> Cuts:
    from chonkie import RecursiveChunker

    return RecursiveChunker(tokenizer(name), chunk_size=most).chunk


def _semchunk(name: TokenizerName, most: int) -> Cuts:
    import semchunk

    return semchunk.chunkerify(counter(name), most)


def _rust(name: TokenizerName, most: int) -> Cuts:
    from semantic_text_splitter import TextSplitter

    if name == "cl100k":
        return TextSplitter.from_tiktoken_model("gpt-4", most).chunks
    return TextSplitter.from_huggingface_tokenizer(tokenizer(name), most).chunks


PEERS = (
    Peer("fixed", "langchain-text-splitters", "TokenTextSplitter", _langchain_tokens, ("cl100k",)),
    Peer("fixed", "chonkie", "TokenChunker", _chonkie_tokens),
    Peer("sentence", "chonkie", "SentenceChunker", _chonkie_sentences),
    Peer("recursive", "langchain-text-splitters", "RecursiveCharacterTextSplitter", _langchain_recursive),
    Peer("recursive", "chonkie", "RecursiveChunker", _chonkie_recursive),
    Peer("recursive", "semchunk", "chunkerify", _semchunk),
    Peer("recursive", "semantic-text-splitter", "TextSplitter", _rust, compiled=True),
)


def forget() -> None:
    """Empty what chunkers, ours too, remember between runs."""
    import semchunk.semchunk

    from chunkers import sentences

    semchunk.semchunk._memoized_token_counters.clear()
    sentences._parts.cache_clear()
