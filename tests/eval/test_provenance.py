"""Under every table and every plot stands what its figures depend on."""

from __future__ import annotations

from eval.provenance import footer, plot_note, record_columns, versions
from tests.support.records import COLUMNS, RECORD

STRATEGIES = {
    "fixed": "Fixed(size=1300)",
    "random as fixed": "NullOf(Fixed(size=1300), null='random', seed=3)",
}


def test_a_table_is_followed_by_strategies_and_record() -> None:
    first, second, third = footer(RECORD, STRATEGIES).splitlines()
    assert first == "- fixed: `Fixed(size=1300)`"
    assert second.startswith("- random as fixed: `NullOf(")
    assert third == (
        "- set bundled sample; data 7b21c0000000; embedder minilm, fingerprint f1f1f1f1f1f1; rule span; "
        "seed 3; python 3.11.9, numpy 2.1.0; 1.5 s"
    )


def test_a_plot_says_the_same_without_markdown() -> None:
    said = plot_note(RECORD, STRATEGIES).splitlines()
    assert said[0].startswith("set bundled sample; ")
    assert said[1:] == [f"{name}: {strategy}" for name, strategy in STRATEGIES.items()]


def test_a_record_without_an_embedder_says_so_and_rules_are_joined() -> None:
    bare = {**RECORD, "embedder": None, "rule": ["span", "substring"]}
    assert "; embedder none; rule span, substring; " in footer(bare, {})
    columns = record_columns(bare)
    assert list(columns) == COLUMNS
    assert (columns["embedder"], columns["fingerprint"], columns["rule"]) == ("", "", "span, substring")


def test_the_versions_of_what_decides_a_figure_are_known() -> None:
    found = versions()
    assert found["python"].startswith("3.")
    assert "not installed" not in found.values()
