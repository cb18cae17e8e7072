import json

import numpy as np
import pytest

from core.artifacts import Artifact, load, save
from core.errors import ArtifactError


@pytest.fixture
def artifact():
    return Artifact({"weights": np.arange(6, dtype=np.float32).reshape(2, 3)}, {"threshold": 0.5})


def test_what_is_saved_is_loaded_and_the_bytes_repeat(tmp_path, artifact):
    save(tmp_path / "one", artifact)
    save(tmp_path / "two", artifact)
    back = load(tmp_path / "one")
    assert back.config == artifact.config
    np.testing.assert_array_equal(back.arrays["weights"], artifact.arrays["weights"])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_no_pickle_gets_in(tmp_path):
    with pytest.raises(ArtifactError, match="Python objects"):
        save(tmp_path / "x", Artifact({"bad": np.array([object()])}, {}))


def test_a_changed_file_is_refused(tmp_path, artifact):
    save(tmp_path / "m", artifact)
    (tmp_path / "m.npz").write_bytes((tmp_path / "m.npz").read_bytes() + b"x")
    with pytest.raises(ArtifactError, match=r"not the file that m\.json describes"):
        load(tmp_path / "m")


def test_another_format_or_no_file_is_refused(tmp_path, artifact):
    with pytest.raises(ArtifactError, match="cannot be read"):
        load(tmp_path / "missing")
    save(tmp_path / "m", artifact)
    head = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps(head | {"format": 99}))
    with pytest.raises(ArtifactError, match="must have format 1, got 99"):
        load(tmp_path / "m")
    (tmp_path / "m.json").write_text("[]")
    with pytest.raises(ArtifactError, match="must have format 1, got None"):
        load(tmp_path / "m")
