"""Hypothesis texts that chunkers must survive: every kind of text that has broken one somewhere."""

from __future__ import annotations

from hypothesis import strategies as st

# Words and signs that stress one rule each.
_PIECES = (
    "word",
    "Mr.",
    "e.g.",
    "U.S.",
    "3.14",
    "It rained.",
    "It rained. It rained. It rained.",  # repeated sentences
    '"Is it?" he asked.',
    "“Yes!”",
    "Wait . . .",
    "…",
    "don't",
    "# Heading",
    "##  CHAPTER I ",
    "cafe\u0301",  # a combining mark
    "\u0301\u0308",  # marks alone: they join what stands before them, white space too
    "a\u0301" * 40,
    "👩‍👩‍👧‍👦",  # an emoji with joiners
    "🇩🇪🇫🇷🇮🇹",  # regional indicators: flags are pairs
    "👍🏽",
    "海上生明月。天涯共此時！",
    "他說：「你好嗎？」她笑了。",
    "ひらがなとカタカナ",
    "สวัสดีครับทุกคน",
    "क्षत्रिय",  # an Indic conjunct
    "각하",  # Hangul letter by letter
    "\u0600",  # a sign that joins what follows it
    "\u200b\u200d\ufeff",  # no white space, though invisible
    "\x00\x1c\x1f",  # control characters, visible by the rule of this project
    "\ud800",  # a lone surrogate, as JSON may bring it
    "x" * 150,  # no word that a tokenizer knows
    "[SEP]",
)
_GAPS = (
    " ",
    "",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    "\r",
    " \n \t \n",
    "\t",
    "\xa0",
    "\u3000",
    "\u2028",
    "\n" * 9,
)

_woven = st.lists(st.sampled_from(_PIECES + _GAPS + (" ",) * 20), max_size=60).map("".join)
_any = st.text(max_size=120)
_giant = st.tuples(st.sampled_from(_PIECES), st.sampled_from(("", " ", "\n")), st.integers(1, 60)).map(
    lambda parts: (parts[0] + parts[1]) * parts[2]
)
_blank = st.text(alphabet=" \t\r\n\xa0\u2003\u3000\x85", max_size=30)

texts = st.one_of(_woven, _any, _giant, _blank)
