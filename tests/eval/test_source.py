"""The digest of the code that decides a result covers it, and nothing else."""

from __future__ import annotations

import ast

from eval.running import DECIDING
from eval.source import _imported, _path, code_digest


def covered(*modules: str) -> set[str]:
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _path(name)
        if name not in found and path is not None:
            found.add(name)
            waiting += [*_imported(path.read_bytes()), name.rpartition(".")[0]]
    return found


def test_what_cuts_embeds_ranks_and_judges_is_covered_and_what_serves_is_not() -> None:
    found = covered(*DECIDING)
    assert found >= {
        "chunkers", "chunkers.fixed", "chunkers.structural", "chunkers.windows", "core.text",
        "answering.selector", "service.embedding.minilm", "service.lexical", "service.retrieval",
        "eval.bm25", "eval.formulas", "eval.nulls", "eval.relevance", "eval.datasets.gutenqa",
    }  # fmt: skip
    assert not found & {"service.api.app", "service.cli", "gradio_app", "eval.plots", "eval.gutenqa"}


def test_imports_inside_functions_count() -> None:
    source = b"def f():\n    from core import text\n    import eval.bm25\n"
    assert ast.parse(source)
    assert list(_imported(source)) == ["core", "core.text", "eval.bm25"]


def test_the_digest_depends_on_the_modules_alone() -> None:
    assert code_digest("eval.formulas") == code_digest("eval.formulas")
    assert code_digest("eval.formulas") != code_digest("eval.bm25")
