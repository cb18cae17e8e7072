"""A small byte-pair encoding, found by tiktoken as any plug-in of its is, so that no file is fetched."""

from __future__ import annotations

from typing import Any

# cl100k_base's way of parting a text; the merges are few, but as its own: spaces lead words, line ends
# close punctuation, and one is a part of a character.
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
MERGES = (
    b" t",
    b"he",
    b" the",
    b"\r\n",
    b"\n\n",
    b".\n",
    b".\n\n",
    b"in",
    b"It",
    b" w",
    b"or",
    b" wor",
    b"\xe6\xb5",
)


def _small() -> dict[str, Any]:
    ranks = {bytes([value]): value for value in range(256)}
    ranks |= {merge: 256 + at for at, merge in enumerate(MERGES)}
    return {
        "name": "small",
        "pat_str": PATTERN,
        "mergeable_ranks": ranks,
        "special_tokens": {"<|endoftext|>": 1_000},
    }


ENCODING_CONSTRUCTORS = {"small": _small}
