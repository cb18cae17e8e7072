"""Imports go down, never up; heavy libraries load late; the environment is read in one place."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("core", "chunkers", "answering", "service", "eval", "gradio_app")
HEAVY = (
    "torch",
    "chromadb",
    "gradio",
    "openai",
    "langchain",
    "sentence_transformers",
    "onnxruntime",
    "tantivy",
)
# `sawyer serve` shows the chat page: the one import upwards, by name and at run time.
LOADS_BY_NAME = {"service/serving.py": ["gradio_app"]}
READS_ENVIRONMENT = {"service/settings.py"}  # and one file of eval, for SAWYER_DATA


def _files() -> Iterator[Path]:
    for floor in FLOORS:
        yield from sorted((ROOT / floor).rglob("*.py")) if (ROOT / floor).is_dir() else [ROOT / f"{floor}.py"]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


FILES = [path for path in _files() if path.exists()]


def _floor(module: str) -> int | None:
    top = module.partition(".")[0]
    return FLOORS.index(top) if top in FLOORS else None


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""


def _loaded_by_name(tree: ast.AST) -> list[str]:
    return [
        ast.literal_eval(node.args[0]) if isinstance(node.args[0], ast.Constant) else "?"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"importlib.import_module", "__import__"}
    ]


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_module_imports_only_its_own_floor_and_those_below(path: Path) -> None:
    own = _floor(_name(path).removesuffix(".py").replace("/", "."))
    assert own is not None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    upward = [module for module in _imported(tree) if (floor := _floor(module)) is not None and floor > own]
    assert upward == []
    assert _loaded_by_name(tree) == LOADS_BY_NAME.get(_name(path), [])


def test_the_rule_sees_what_it_forbids() -> None:
    tree = ast.parse(
        "def f():\n    from service.api import app\nimport eval.metrics\nfrom core import text\n"
    )
    assert [_floor(module) for module in _imported(tree)] == [4, 0, 3]
    assert _loaded_by_name(ast.parse("importlib.import_module('gradio_app')")) == ["gradio_app"]


def _reads_environment(tree: ast.AST) -> bool:
    names = {"os.environ", "os.environb", "os.getenv", "environ", "getenv", "BaseSettings"}
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name)}
    return not names.isdisjoint(used)


def test_the_environment_is_read_by_the_settings_and_one_file_of_eval() -> None:
    readers = {_name(path) for path in FILES if _reads_environment(ast.parse(path.read_text("utf-8")))}
    assert {reader for reader in readers if not reader.startswith("eval/")} == READS_ENVIRONMENT
    assert len([reader for reader in readers if reader.startswith("eval/")]) <= 1


def _loaded_after(code: str) -> set[str]:
    program = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.splitlines()[-1].split())


def _heavy(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.startswith(HEAVY)}


@pytest.mark.parametrize("floor", ["core", "chunkers", "answering"])
def test_importing_a_lower_floor_whole_loads_nothing_heavy(floor: str) -> None:
    modules = [
        _name(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in FILES
        if path.is_relative_to(ROOT / floor)
    ]
    assert floor in modules
    loaded = _loaded_after("\n".join(f"import {module}" for module in modules))
    assert floor in loaded
    assert _heavy(loaded) == set()


@pytest.mark.parametrize(
    "argv", [["--help"], ["ingest", "--help"], ["--version"], ["documents", "--url", "ftp://x"]]
)
def test_the_command_line_loads_nothing_heavy_until_it_needs_it(argv: list[str]) -> None:
    loaded = _loaded_after(
        f"from service.cli import main\ntry:\n    main({argv!r})\nexcept SystemExit:\n    pass"
    )
    assert "argparse" in loaded
    assert _heavy(loaded) == set()


def test_the_heavy_libraries_are_there_to_be_loaded() -> None:
    # Else the tests above would pass for lack of them.
    for name in ("chromadb", "gradio", "openai", "onnxruntime", "tantivy"):
        assert importlib.util.find_spec(name) is not None
