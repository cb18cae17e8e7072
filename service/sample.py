"""The bundled story, offered once, so that a question can be asked right after the first start."""

from __future__ import annotations

from pathlib import Path

from service.values import DEFAULT_COLLECTION, IngestReport, Sawyer, Source

# Beside the packages, in a checkout and in an installed wheel alike; `service` does not import `eval`.
FOLDER = Path(__file__).resolve().parent.parent / "eval" / "sample"
MARKER = "sample.offered"
_NOTE = "The bundled sample was offered to this data directory; while this file stands, it is not again.\n"


def sample_sources() -> list[Source]:
    """The bundled texts; the folder's own README is none of them."""
    paths = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
    return [Source(path.name, path.read_bytes()) for path in paths]


def offer_sample(sawyer: Sawyer, data_dir: Path) -> list[IngestReport]:
    """Ingest the sample when the directory is new; a directory with documents, or with a past, gets none.

    A person who deleted the sample does not find it again at the next start.
    """
    marker = data_dir / MARKER
    if marker.exists():
        return []
    reports = []
    if not sawyer.documents():
        reports = [sawyer.ingest(source, collection=DEFAULT_COLLECTION) for source in sample_sources()]
    marker.write_text(_NOTE, encoding="utf-8")
    return reports
