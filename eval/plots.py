"""Plots of a report: DCG curves, evidence recall by budget, risk by coverage, boundaries along a text.

Each function writes one file, PNG or SVG by its ending. The same values and the same matplotlib give the
same bytes. Lines are told apart by colour, by mark and by the order of the legend.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InvalidValue, MissingExtra
from core.values import Span
from eval.calibration import RiskCoverage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
_NO_MATPLOTLIB = "plots need matplotlib; install sawyer-rag[eval]"

# Okabe and Ito 2008, told apart with every common kind of colour blindness; yellow is too faint on white.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":")
_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "figure.dpi": 150,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that no system changes the picture
    "font.size": 10,
    "grid.color": "#DDDDDD",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "savefig.bbox": "tight",
    "svg.fonttype": "none",  # words stay words: to be searched, selected, read aloud
    "svg.hashsalt": "sawyer",
    "text.parse_math": False,  # a dollar sign in a name is one
}
_STRIP_INCHES = 0.45
_MOST_MARKS = 12  # on one line
_NOTE_CHARACTERS = 130  # as many as the axes are wide


@dataclass(frozen=True, slots=True)
class Words:
    """What is written around a plot.

    Attributes:
        title: what is measured, on what.
        note: small, below: what the figures depend on (record and strategies); lines stay lines.
    """

    title: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One method's figures.

    Attributes:
        x: cutoffs or budgets, rising.
        y: a figure for each.
        band: lower and upper bound of each figure; none for a line without intervals.

    Raises:
        InvalidValue: unless x, y and the band, where there is one, are equally long.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    band: Sequence[tuple[float, float]] = ()

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or len(self.band) not in (0, len(self.x)):
            raise InvalidValue(
                f"a line must have as many x, y and bounds, got {len(self.x)}, {len(self.y)} and "
                f"{len(self.band)} for {self.label}"
            )


@dataclass(frozen=True, slots=True)
class Strip:
    """One method's chunks along a text."""

    label: str
    spans: Sequence[Span]


def plot_dcg(path: Path, lines: Sequence[Line], words: Words, *, ceiling: float | None = None) -> None:
    """DCG by cutoff, one line a method.

    Args:
        ceiling: the share of questions that any ranking can answer, drawn across.

    Raises:
        InvalidValue: a file that cannot be written, or an ending that is not PNG's or SVG's.
        MissingExtra: matplotlib is not installed.
    """
    with _axes(path, words) as axes:
        _draw(axes, lines)
        cutoffs = sorted({x for line in lines for x in line.x})
        axes.set_xscale("log")
        axes.set_xticks(cutoffs, [f"{x:g}" for x in cutoffs])
        axes.minorticks_off()
        _share(axes, "DCG@k")
        axes.set_xlabel("k, number of chunks retrieved")
        if ceiling is not None:
            axes.axhline(ceiling, color="#666666", linewidth=1, linestyle=":", label=f"ceiling {ceiling:.3f}")
        _legend(axes)


def plot_evidence_recall(path: Path, lines: Sequence[Line], words: Words) -> None:
    """Evidence recall by token budget, one line a method.

    Raises:
        InvalidValue, MissingExtra: as `plot_dcg`.
    """
    with _axes(path, words) as axes:
        _draw(axes, lines)
        budgets = sorted({x for line in lines for x in line.x})
        axes.set_xticks(budgets, [f"{x:,.0f}" for x in budgets])
        axes.set_xlim(left=0)
        _share(axes, "evidence recall")
        axes.set_xlabel("tokens retrieved")
        _legend(axes)


def plot_risk_coverage(path: Path, curves: Mapping[str, RiskCoverage], words: Words) -> None:
    """Share of wrong answers by share of questions answered, one line a method.

    Raises:
        InvalidValue, MissingExtra: as `plot_dcg`.
    """
    with _axes(path, words) as axes:
        _draw(axes, [Line(label, curve.coverage, curve.risk) for label, curve in curves.items()])
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("risk: share of answers that are wrong")
        axes.set_xlabel("coverage: share of questions answered")
        _legend(axes)


def plot_boundaries(
    path: Path, strips: Sequence[Strip], within: Span, words: Words, *, evidence: Sequence[Span] = ()
) -> None:
    """Where each method cuts one stretch of a text: a strip a method, its chunks in two shades by turns.

    Args:
        within: the stretch, say a chapter, in characters of the text.
        evidence: spans that answer questions, marked across all strips.

    Raises:
        InvalidValue, MissingExtra: as `plot_dcg`; an empty stretch.
    """
    if not len(within):
        raise InvalidValue(f"a stretch must hold at least one character, got [{within.start}, {within.end})")
    with _axes(path, words, inches=1.6 + _STRIP_INCHES * len(strips)) as axes:
        axes.grid(visible=False)
        for row, strip in enumerate(strips):
            for at, span in enumerate(strip.spans):
                if span.overlap(within):
                    start, end = max(span.start, within.start), min(span.end, within.end)
                    shade = 0.85 if at % 2 else 0.45
                    colour = _COLOURS[row % len(_COLOURS)]
                    axes.barh(row, end - start, 0.7, left=start, color=colour, alpha=shade, linewidth=0)
        for at, span in enumerate(one for one in evidence if one.overlap(within)):
            label = "evidence" if at == 0 else None
            # Translucent: whether it is cut in two must be seen.
            axes.axvspan(span.start, span.end, color="#000000", alpha=0.4, linewidth=0.8, label=label)
        axes.set_yticks(range(len(strips)), [strip.label for strip in strips])
        axes.set_ylim(len(strips) - 0.5, -0.5)
        axes.set_xlim(within.start, within.end)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.set_xlabel("character of the text")
        if evidence:
            _legend(axes)


def check_plot(path: Path) -> None:
    """Refuse a file that no plot could be written to by its ending, or where nothing can draw one.

    Raises:
        InvalidValue, MissingExtra: as `plot_dcg`.
    """
    if path.suffix.lower() not in FORMATS:
        raise InvalidValue(f"a plot's file must end in {' or '.join(FORMATS)}, got {path.name}")
    if find_spec("matplotlib") is None:
        raise MissingExtra(_NO_MATPLOTLIB)


def beside(path: Path, part: str) -> Path:
    """The file of another plot of the same report: ``FILE-PART.png`` beside ``FILE.png``."""
    return path.with_name(f"{path.stem}-{part}{path.suffix}")


@contextmanager
def _axes(path: Path, words: Words, *, inches: float = 4.6) -> Iterator[Axes]:
    """Axes of a figure that is written to the file when the block ends."""
    check_plot(path)
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.style import context
    except ImportError as error:
        raise MissingExtra(_NO_MATPLOTLIB) from error
    with context(["default", _STYLE]):  # whatever the user's own settings are
        figure = Figure(figsize=(8, inches))
        FigureCanvasAgg(figure)  # no display, no pyplot, nothing global
        axes = figure.subplots()
        axes.set_title(words.title, pad=12)
        yield axes
        if words.note:
            note = "\n".join(textwrap.fill(line, _NOTE_CHARACTERS) for line in words.note.split("\n"))
            figure.text(0.01, -0.02, note, fontsize=7, color="#555555", va="top")
        _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    # A date, or the version of what wrote it, would make equal pictures differ.
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {"Software": None}
    try:
        figure.savefig(path, metadata=metadata)
    except OSError as error:
        raise InvalidValue(f"--plot must name a writable file, got {path} ({error.strerror})") from error


def _draw(axes: Axes, lines: Sequence[Line]) -> None:
    for at, line in enumerate(lines):
        colour = _COLOURS[at % len(_COLOURS)]
        under = 1 - at / max(1, len(lines) - 1)  # from 1, the lowest, to 0, the topmost
        axes.plot(
            line.x,
            line.y,
            color=colour,
            marker=_MARKS[at % len(_MARKS)],
            markevery=max(1, math.ceil(len(line.x) / _MOST_MARKS)),
            # Past the last colour, dashes tell the second round from the first.
            linestyle=_DASHES[at // len(_COLOURS) % len(_DASHES)],
            # Wider the further down: of lines that coincide none is hidden.
            linewidth=1.6 + 1.4 * under,
            markersize=4.5 + 3 * under,
            label=line.label,
        )
        if line.band:
            low, high = zip(*line.band, strict=True)
            axes.fill_between(line.x, low, high, color=colour, alpha=0.15, linewidth=0)


def _share(axes: Axes, label: str) -> None:
    """Label a y axis of shares, and start it at 0."""
    axes.set_ylabel(label)
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))


def _legend(axes: Axes) -> None:
    """Beside the axes: a legend among the lines would hide some."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
