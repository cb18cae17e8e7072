"""Plots say in words what they show, show all of it, and come out the same every time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from PIL import Image

from core.errors import InvalidValue
from core.values import Span
from eval.metrics import risk_coverage
from eval.plots import (
    Line,
    Strip,
    Words,
    plot_boundaries,
    plot_dcg,
    plot_evidence_recall,
    plot_risk_coverage,
)

WORDS = Words("GutenQA dev, hybrid", "minilm, data 7b21c0, rule span, seed 1")
KS = [1, 2, 5, 10, 20]
CHUNKS = [Span(at, at + 90) for at in range(0, 1_000, 100)]


def line(label: str, level: float, *, band: bool = True) -> Line:
    figures = [level * k / 20 for k in KS]
    return Line(label, KS, figures, [(y - 0.05, y + 0.05) for y in figures] if band else ())


def dcg(path: Path) -> None:
    plot_dcg(path, [line("recursive", 0.6), line("lumber[local]", 0.7, band=False)], WORDS, ceiling=0.867)


def evidence_recall(path: Path) -> None:
    budgets = [500, 1_000, 2_000, 4_000]
    plot_evidence_recall(path, [Line("recursive", budgets, [0.3, 0.5, 0.6, 0.7])], WORDS)


def risk(path: Path) -> None:
    curve = risk_coverage([n / 50 for n in range(50)], [n % 3 > 0 for n in range(50)])
    plot_risk_coverage(path, {"counts": curve, "cnn": curve}, WORDS)


def boundaries(path: Path) -> None:
    strips = [Strip("fixed", CHUNKS), Strip("paragraph", [Span(0, 400), Span(410, 1_000)])]
    plot_boundaries(path, strips, Span(150, 550), WORDS, evidence=[Span(200, 220), Span(900, 950)])


PLOTS = (dcg, evidence_recall, risk, boundaries)
SAID = {
    dcg: ["DCG@k", "k, number of chunks retrieved", "recursive", "lumber[local]", "ceiling 0.867", "1", "20"],
    evidence_recall: ["evidence recall", "tokens retrieved", "recursive", "500", "4,000"],
    risk: ["risk: share of answers that are wrong", "coverage: share of questions answered", "counts", "cnn"],
    boundaries: ["fixed", "paragraph", "evidence", "character of the text"],
}


def written(path: Path) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text("utf-8"))]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_says_what_it_shows(plot: Callable[[Path], None], tmp_path: Path) -> None:
    plot(tmp_path / "plot.svg")
    said = written(tmp_path / "plot.svg")
    assert {WORDS.title, WORDS.note, *SAID[plot]} <= set(said)


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_figures_give_the_same_bytes(
    plot: Callable[[Path], None], ending: str, tmp_path: Path
) -> None:
    one, other = tmp_path / f"one.{ending}", tmp_path / f"other.{ending}"
    plot(one)
    plot(other)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("plot", PLOTS)
def test_a_png_is_large_enough_to_read_and_not_empty(plot: Callable[[Path], None], tmp_path: Path) -> None:
    plot(tmp_path / "plot.png")
    with Image.open(tmp_path / "plot.png") as image:
        assert image.width >= 1_000
        assert image.height >= 300
        assert len(image.convert("RGB").getcolors(1 << 24)) > 50


def test_other_figures_give_another_picture(tmp_path: Path) -> None:
    for name, level in (("one", 0.5), ("other", 0.6)):
        plot_dcg(tmp_path / f"{name}.png", [line("recursive", level)], WORDS)
    assert (tmp_path / "one.png").read_bytes() != (tmp_path / "other.png").read_bytes()


def test_a_line_has_a_band_where_it_has_intervals(tmp_path: Path) -> None:
    plot_dcg(tmp_path / "with.svg", [line("a", 0.5), line("b", 0.6)], WORDS)
    plot_dcg(tmp_path / "without.svg", [line("a", 0.5, band=False), line("b", 0.6, band=False)], WORDS)
    bands = [
        (tmp_path / name).read_text("utf-8").count("FillBetween") for name in ("with.svg", "without.svg")
    ]
    assert bands == [2, 0]


def test_lines_beyond_the_last_colour_still_differ_from_all_others(tmp_path: Path) -> None:
    plot_dcg(tmp_path / "many.svg", [line(f"m{n}", n / 20, band=False) for n in range(14)], WORDS)
    drawn = (tmp_path / "many.svg").read_text("utf-8")
    curves = re.findall(r'<path d="[^"]*" clip-path="[^"]*" style="(fill: none; [^"]*)"/>', drawn)
    styles = {style for style in curves if "#dddddd" not in style}
    assert len(styles) == 14


def test_of_lines_that_coincide_the_lower_are_wider(tmp_path: Path) -> None:
    plot_dcg(tmp_path / "plot.svg", [line(name, 0.5, band=False) for name in "abc"], WORDS)
    drawn = (tmp_path / "plot.svg").read_text("utf-8")
    widths = re.findall(r"clip-path[^>]*stroke: #(?:0072b2|d55e00|009e73); stroke-width: ([0-9.]+)", drawn)
    assert [float(width) for width in widths] == [3.0, 2.3, 1.6]


def test_strips_show_the_chunks_of_the_stretch_and_no_others(tmp_path: Path) -> None:
    plot_boundaries(tmp_path / "all.svg", [Strip("fixed", CHUNKS)], Span(0, 1_000), WORDS)
    plot_boundaries(tmp_path / "part.svg", [Strip("fixed", CHUNKS)], Span(150, 550), WORDS)
    shapes = [(tmp_path / name).read_text("utf-8").count('<g id="patch_') for name in ("all.svg", "part.svg")]
    assert shapes[0] - shapes[1] == 5  # those at 0, and at 600 to 900


def test_a_dollar_sign_in_a_name_is_a_dollar_sign(tmp_path: Path) -> None:
    plot_dcg(tmp_path / "plot.svg", [line("chat:$m_1$", 0.5)], Words("US$ and $"))
    assert {"chat:$m_1$", "US$ and $"} <= set(written(tmp_path / "plot.svg"))


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"must end in \.png or \.svg, got plot\.pdf"):
        dcg(tmp_path / "plot.pdf")
    with pytest.raises(InvalidValue, match=r"--plot must name a writable file, got .*absent"):
        dcg(tmp_path / "absent" / "plot.png")
    with pytest.raises(InvalidValue, match="as many x, y and bounds, got 2, 1 and 0 for a"):
        Line("a", [1, 2], [0.5])
    with pytest.raises(InvalidValue, match=r"at least one character, got \[5, 5\)"):
        plot_boundaries(tmp_path / "plot.png", [], Span(5, 5), WORDS)


PROGRAM = """
import sys
from pathlib import Path
{before}
from eval.plots import Line, Words, plot_dcg
assert "matplotlib" not in sys.modules or sys.modules["matplotlib"] is None
from core.errors import MissingExtra
try:
    plot_dcg(Path(sys.argv[1]), [Line("a", [1, 2], [0.1, 0.2])], Words("t"))
except MissingExtra as error:
    print(error)
print("matplotlib.pyplot" in sys.modules)
"""


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", ["False"]),
        ("sys.modules['matplotlib'] = None", ["plots need matplotlib; install sawyer-rag[eval]", "False"]),
    ],
)
def test_matplotlib_is_loaded_late_and_without_a_display(
    before: str, said: list[str], tmp_path: Path
) -> None:
    program = [sys.executable, "-c", PROGRAM.format(before=before), str(tmp_path / "plot.png")]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(program, cwd=root, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines() == said
