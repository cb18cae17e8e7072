"""The built wheel in an empty environment, run from another folder: all that is needed is inside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from core.values import Span

# The first of these builds and installs, with everything that Sawyer needs: a minute or two.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parent.parent
PACKAGED = ("core", "chunkers", "answering", "service", "eval", "models")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
TALE = "Nobody lived on Holm.\n\nThe ferry carried forty sheep and one bishop on the first of May.\n"
CONSTRAINED = {  # in the environment, for pip's isolated build too; see the Makefile
    "PIP_CONSTRAINT": "constraints.txt",
    "PIP_BUILD_CONSTRAINT": "constraints.txt",
}


def _clean_environment(**more: str) -> dict[str, str]:
    """This one, but for what would lead an installed Sawyer to the checkout or to its data."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SAWYER_"))}
    return {**kept, **more}


@dataclass(frozen=True)
class Installed:
    """A virtual environment that holds the wheel, and a folder that holds nothing."""

    environment: Path
    elsewhere: Path

    def command(self, name: str) -> str:
        return str(self.environment / "bin" / name)

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.command(name), *arguments],
            cwd=self.elsewhere,
            env=_clean_environment(),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )

    @contextmanager
    def served(self, data: Path) -> Iterator[str]:
        """The URL of `sawyer serve` on a free port."""
        with subprocess.Popen(
            [self.command("sawyer"), "serve", "--port", "0", "--data-dir", str(data)],
            cwd=self.elsewhere,
            env=_clean_environment(),
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                said = process.stdout.readline()
                assert said.startswith("Sawyer is ready at "), said
                yield said.split()[-1]
            finally:
                process.terminate()


def _pip(python: str, *arguments: str) -> None:
    subprocess.run(
        [python, "-m", "pip", *arguments, "-qq", "--disable-pip-version-check"],
        cwd=ROOT,
        env=_clean_environment(**CONSTRAINED),
        check=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), ".")
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True, timeout=120)
    made = Installed(folder / "venv", folder / "elsewhere")
    made.elsewhere.mkdir()
    _pip(made.command("python"), "install", str(wheel))
    yield made
    shutil.rmtree(made.environment)  # pytest keeps what it made; this is 0.8 GB


def test_the_wheel_holds_the_rooms_with_their_models_and_the_sample_and_nothing_else(wheel: Path) -> None:
    rooms = [path for room in PACKAGED for path in (ROOT / room).rglob("*") if path.is_file()]
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in [*rooms, ROOT / "gradio_app.py"]
        if "__pycache__" not in path.parts
    }
    needed = {"models/minilm/model.onnx", "models/trigger.npz", "eval/sample/the_tide_book.md"}
    assert needed < expected
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert wheel.name == f"sawyer_rag-{VERSION}-py3-none-any.whl"


def test_the_installed_command_runs_without_the_checkout(installed: Installed) -> None:
    done = installed.run("sawyer", "--version")
    assert (done.stdout, done.stderr) == (f"sawyer {VERSION}\n", "")
    done = installed.run("python", "-c", "import core, gradio_app; print(core.__file__, gradio_app.__file__)")
    assert all(Path(name).is_relative_to(installed.environment) for name in done.stdout.split()), done
    assert len(done.stdout.split()) == 2


def test_the_installed_command_answers_with_an_exact_span(installed: Installed, tmp_path: Path) -> None:
    (installed.elsewhere / "tale.txt").write_text(TALE, encoding="utf-8")
    data = ("--data-dir", str(tmp_path / "data"))
    done = installed.run("sawyer", "ingest", "tale.txt", *data)
    assert (done.returncode, done.stderr) == (0, "")
    done = installed.run("sawyer", "ask", "--json", "How many sheep did the ferry carry?", *data)
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)["answer"]
    assert answer["text"] == "The ferry carried forty sheep and one bishop on the first of May."
    assert Span(answer["start"], answer["end"]).of(TALE) == answer["text"]


def test_the_installed_laboratory_scores_the_sample_without_an_extra(installed: Installed) -> None:
    done = installed.run("python", "-m", "eval.gutenqa", "--chunker", "recursive")
    assert done.returncode == 0, done.stderr
    assert "| recursive " in done.stdout
    assert "scoring the bundled sample; for the real set, get GutenQA" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_installed_server_shows_the_page_and_answers_from_the_sample(
    installed: Installed, tmp_path: Path
) -> None:
    with (
        installed.served(tmp_path / "data") as url,
        httpx.Client(base_url=url, trust_env=False, timeout=60) as http,
    ):
        assert http.get("/readyz").json() == {"status": "ready", "version": VERSION}
        page = http.get("/")
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert '"title":"Sawyer"' in page.text  # gradio builds the page from this
        assert http.get("/docs").status_code == 200
        question = "How many times did the brown dog Ballast bark at high water?"
        reply = http.post("/v1/answer", json={"question": question}).json()
        assert reply["hits"][0]["title"] == "The Tide Book"
        assert "bark once at high water" in reply["answer"]["text"]
