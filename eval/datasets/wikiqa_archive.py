"""WikiQA as it is published: one ZIP archive, of which the files that are read are laid out."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from core.errors import DataError, NotFound, StoreError, TooLarge
from eval.datasets.fetching import Home
from eval.datasets.wikiqa import SPLITS, WIKIQA, present_splits, read_wikiqa
from eval.keeping import Say

HOME = "https://download.microsoft.com/download/E/5/F/E5FCFCEE-7005-4814-853D-DAA7C66507E0"
ARCHIVE = "WikiQACorpus.zip"
REMEDY = f"without a network, get {ARCHIVE} from {WIKIQA.home} elsewhere, and pass --fetch DIR, where it lies"

_MOST_BYTES = 50_000_000  # of one file in the archive: far over any that is meant
_FILES = frozenset(
    f"WikiQA-{split}{ending}" for split in SPLITS for ending in (".txt", ".ref", "-filtered.ref", ".tsv")
) | {"LICENSE.pdf", "README.txt"}
_RANKS = "emnlp-table"


def fetch(place: str, folder: Path, say: Say) -> None:
    """Lay the corpus out in the set's own folder, checked; a split that is there stays, and ends it.

    Args:
        place: `HOME`, a mirror's URL, or a folder that holds the archive.

    Raises:
        NotFound: the place does not answer, or has no archive.
        DataError: no archive, or one without the files of a split, or a malformed line in them.
        TooLarge: a file in it is larger than any that is meant.
        StoreError: the folder cannot be written.
    """
    if present_splits(folder):
        say(f"{folder} holds WikiQA: fetching nothing; remove its files to fetch them anew")
        return
    home = Home(place, REMEDY)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as temporary:
            archive = home.get(ARCHIVE, Path(temporary), say)
            if archive is None:
                raise NotFound(f"{place} must hold {ARCHIVE}, it does not; {REMEDY}")
            laid_out = Path(temporary) / "corpus"
            names = list(_extracted(archive, laid_out))
            for split in SPLITS:
                read_wikiqa(laid_out, split)
            for name in names:
                (folder / name).parent.mkdir(exist_ok=True)
                (laid_out / name).replace(folder / name)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error}); choose another --data") from error
    say(f"fetched {len(names)} files; licence: {WIKIQA.licence}, see LICENSE.pdf")


def _extracted(archive: Path, folder: Path) -> Iterator[str]:
    """Write the files that are read, by their own names, and give their paths below the folder."""
    try:
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                # Only the last parts of a path are used, so that no entry is written elsewhere.
                path = PurePosixPath(entry.filename)
                if path.name in _FILES:
                    name = path.name
                elif path.parent.name == _RANKS and path.suffix == ".rank":
                    name = f"{_RANKS}/{path.name}"
                else:
                    continue
                if entry.file_size > _MOST_BYTES:
                    raise TooLarge(f"{entry.filename} must be at most {_MOST_BYTES:,} bytes; {REMEDY}")
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(opened.read(entry))
                yield name
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise DataError(f"{ARCHIVE} must be a ZIP archive ({error}); {REMEDY}") from error
