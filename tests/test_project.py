"""What the project says about itself is true: commands, links, pins, cards, reasons, records."""

from __future__ import annotations

import importlib.util
import io
import re
import shlex
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from service.cli.arguments import parser
from service.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
COMMANDS = ("ingest", "ask", "chunk", "documents", "delete", "reindex", "serve")
# Read elsewhere: by eval and tests, and by tests alone.
OTHER_VARIABLES = {"SAWYER_DATA", "SAWYER_SOAK"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SET_UP = (
    "Makefile",
    "constraints.txt",
    "pyproject.toml",
    ".ci/run",
    "scripts/check",
    "scripts/install_chromium",
)


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def _tracked() -> tuple[Path, ...]:
    """Every file of the repository; a copy without its history cannot tell them from others."""
    if not (ROOT / ".git").exists():
        pytest.skip("no git repository here, so nothing says which files are the project's")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=60)
    names = listed.stdout.decode("utf-8").split("\0")
    return tuple(ROOT / name for name in names if name and (ROOT / name).is_file())


def _documents() -> Iterator[tuple[Path, str]]:
    """Path and text of every page, record and card; what the tests read is none."""
    for path in _tracked():
        if path.suffix == ".md" and not path.is_relative_to(ROOT / "tests"):
            yield path, path.read_text(encoding="utf-8")


def _examples() -> Iterator[list[str]]:
    """The command lines of the README's shell blocks, split into words, comments left out."""
    for block in re.findall(r"```sh\n(.*?)```", _read("README.md"), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if words := shlex.split(line, comments=True):
                yield words


def test_the_pages_name_only_commands_that_exist() -> None:
    pages = "\n".join(map(_read, PAGES))
    targets = set(re.findall(r"^([a-z][a-z-]*):", _read("Makefile"), re.MULTILINE))
    assert {"run", "test"} <= set(re.findall(r"(?:`|^)make ([a-z-]+)", pages, re.MULTILINE)) <= targets
    assert {"reindex"} <= set(re.findall(r"(?:`|^)sawyer ([a-z]+)", pages, re.MULTILINE)) <= set(COMMANDS)


def test_every_sawyer_line_of_the_readme_is_one_that_the_command_takes() -> None:
    lines = [words[1:] for words in _examples() if words[0] == "sawyer"]
    assert len(lines) >= 5
    for words in lines:
        parser().parse_args(words)  # exits where it doesn't


def test_every_python_line_of_the_readme_names_a_module_and_flags_that_exist() -> None:
    lines = [words for words in _examples() if words[:2] == ["python", "-m"]]
    assert {words[2] for words in lines} >= {"eval.gutenqa", "benchmarks.chunkers"}
    flags: dict[tuple[str, ...], set[str]] = {}
    for words in lines:
        # What follows a module and is no flag may be a command of its own, with flags of its own.
        command = tuple(words[2:4] if len(words) > 3 and not words[3].startswith("-") else words[2:3])
        flags.setdefault(command, set()).update(word for word in words if word.startswith("--"))
    for command, given in flags.items():
        told = subprocess.run(
            [sys.executable, "-m", *command, "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        assert given <= set(re.findall(r"--[a-z-]+", told)), command


def test_every_module_that_a_document_runs_exists() -> None:
    named = {name for _, text in _documents() for name in re.findall(r"`python -m ([\w.]+)", text)}
    assert {"eval.gutenqa", "eval.train"} <= named
    assert [name for name in named if importlib.util.find_spec(name) is None] == []


def test_every_local_link_of_a_document_leads_to_a_file() -> None:
    links = {
        (path.parent / link): path.name
        for path, text in _documents()
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", text)
    }
    assert links
    assert [f"{page}: {link}" for link, page in links.items() if not link.exists()] == []


def test_the_readme_names_every_setting_and_no_other_variable() -> None:
    readme = _read("README.md")
    settings = {PREFIX + name.upper() for name in Settings.model_fields}
    named = set(re.findall(rf"\b{PREFIX}[A-Z_]*[A-Z]", readme))
    assert named <= settings | OTHER_VARIABLES
    # The table shortens neighbours: `SAWYER_CHUNKER`, `_CHUNK_SIZE`.
    shortened = {"SAWYER" + name for name in re.findall(r"`(_[A-Z_]+)`", readme)}
    assert settings - named - shortened == set()


def test_help_lists_every_command() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "service.cli", "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert tuple(re.findall(r"^ {4}([a-z]+)\b", told.stdout, re.MULTILINE)) == COMMANDS


def test_the_changelog_begins_with_this_version() -> None:
    first = re.search(r"^## (\S+)", _read("CHANGELOG.md"), re.MULTILINE)
    assert first is not None
    assert first.group(1) == PROJECT["project"]["version"]


def test_a_decision_record_has_a_number_of_its_own_and_at_most_thirty_lines() -> None:
    records = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert records
    assert {path.name: n for path in records if (n := len(path.read_text("utf-8").splitlines())) > 30} == {}
    assert [path.name[:4] for path in records] == [f"{number:04}" for number in range(1, len(records) + 1)]


def test_every_trained_artefact_has_a_card() -> None:
    models = ROOT / "models"
    artefacts = [path for path in models.rglob("*") if path.suffix in {".npz", ".json", ".onnx"}]
    assert artefacts
    for path in artefacts:
        card = path.with_suffix(".md") if path.parent == models else path.parent / "README.md"
        assert card.is_file(), f"{path.name} has no card at {card.relative_to(ROOT)}"


def _silences() -> Iterator[tuple[str, str, str]]:
    """Where a checker is told to be silent: place, what follows the codes, the line above.

    Not the types of the tests: passing what they forbid is there what the test's name says.
    """
    form = re.compile(r"# (?:noqa(?:: [A-Z]+\d+(?:, ?[A-Z]+\d+)*)?|type: ignore(?:\[[\w, -]+\])?)(.*)")
    for path in _tracked():
        if path.suffix != ".py":
            continue
        text = path.read_text(encoding="utf-8")
        lines = ["", *text.splitlines()]
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found = form.match(token.string) if token.type == tokenize.COMMENT else None
            if found and not ("type:" in found.group() and path.is_relative_to(ROOT / "tests")):
                row = token.start[0]
                yield f"{path.relative_to(ROOT)}:{row}", found.group(1).strip(" -#"), lines[row - 1].strip()


def test_every_silenced_check_has_its_reason_beside_it_or_in_the_line_above() -> None:
    silences = list(_silences())
    assert silences
    assert [place for place, reason, above in silences if not reason and not above.startswith("#")] == []


@cache
def _pins() -> dict[str, str]:
    lines = [line for line in _read("constraints.txt").splitlines() if line and not line.startswith("#")]
    pairs = [re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines]
    assert all(pairs), "a constraint is a name and one version, from whatever index the user has"
    pins = {canonicalize_name(pair.group(1)): pair.group(2) for pair in pairs if pair}
    assert len(pins) == len(lines)
    return pins


def test_every_direct_dependency_is_pinned_and_its_range_admits_the_pin() -> None:
    project = PROJECT["project"]
    groups = [PROJECT["build-system"]["requires"], project["dependencies"]]
    groups += project["optional-dependencies"].values()
    for requirement in (Requirement(line) for group in groups for line in group):
        if requirement.name != project["name"]:
            assert requirement.specifier.contains(_pins()[canonicalize_name(requirement.name)]), requirement


def _needed(requirement: Requirement, seen: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Name and version of all that is installed here because of a requirement."""
    try:
        found = distribution(requirement.name)
    except PackageNotFoundError:
        return  # of an extra that is not installed
    for extra in requirement.extras or {""}:
        if (key := (canonicalize_name(requirement.name), extra)) in seen:
            continue
        seen.add(key)
        yield key[0], Version(found.version).public
        for line in found.requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                yield from _needed(needed, seen)


def test_all_that_is_installed_for_it_is_pinned_to_what_is_tested() -> None:
    whole = Requirement(f"sawyer-rag[{','.join(PROJECT['project']['optional-dependencies'])}]")
    installed = dict(_needed(whole, set()))
    del installed["sawyer-rag"]
    assert len(installed) > 100
    assert {name: version for name, version in installed.items() if _pins().get(name) != version} == {}


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.:/])/(?:work|root|tmp|opt|mnt|Users)/")
    found = []
    for path in _tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # an image or an array
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in place.finditer(text)]
    assert found == []


@pytest.mark.parametrize("name", SET_UP)
def test_the_set_up_says_what_to_install_and_leaves_from_where_to_the_machine(name: str) -> None:
    text = _read(name)
    assert re.findall(r"(?:index|trusted)-(?:url|host)|find-links", text) == []
    assert [url for url in re.findall(r"https?://\S+", text) if "127.0.0.1" not in url] == []
