from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunkers.boundaries import paragraph_spans
from eval.boundary_nulls import EvenAs, ShuffledSegments
from eval.boundary_scoring import SegmentedText


@dataclass(frozen=True)
class Fixed:
    found: tuple[int, ...]
    name: str = "fixed"
    strategy: str = "fixed"

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:  # noqa: ARG002 - it knows them
        return self.found


PASSAGES = [f"Paragraph number {at} of the text." for at in range(30)]
TEXT = SegmentedText("t", "all", "\n\n".join(PASSAGES), tuple(paragraph_spans("\n\n".join(PASSAGES))), ())
OURS = Fixed((1, 4, 6, 13, 20, 21))


def sizes(found: tuple[int, ...]) -> list[int]:
    return np.diff([0, *found, len(TEXT.units)]).tolist()


def test_shuffled_segments_have_the_same_sizes_in_another_order() -> None:
    found = ShuffledSegments(OURS, 13).boundaries(TEXT)
    assert sorted(sizes(found)) == sorted(sizes(OURS.found))
    assert sizes(found) != sizes(OURS.found)


def test_seed_and_text_decide_the_order() -> None:
    assert ShuffledSegments(OURS, 13).boundaries(TEXT) == ShuffledSegments(OURS, 13).boundaries(TEXT)
    assert ShuffledSegments(OURS, 13).boundaries(TEXT) != ShuffledSegments(OURS, 14).boundaries(TEXT)


def test_even_segments_are_as_many_and_even() -> None:
    found = EvenAs(OURS).boundaries(TEXT)
    assert len(found) == len(OURS.found)
    assert max(sizes(found)) - min(sizes(found)) <= 1


def test_one_segment_stays_one() -> None:
    assert ShuffledSegments(Fixed(()), 1).boundaries(TEXT) == ()
    assert EvenAs(Fixed(())).boundaries(TEXT) == ()
