"""What the chat page does when something is pressed; every failure becomes a sentence on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SawyerError, ServerUnreachable, Unavailable
from service.incidents import incident
from service.page import rendering
from service.values import DEFAULT_COLLECTION, DocumentRecord, Progress, Sawyer, Source


@dataclass(frozen=True, slots=True)
class Overview:
    """The texts that are there.

    Attributes:
        html: the list.
        names: the source of each, or None when they could not be listed.
        changing: whether a second look soon will see something else.
    """

    html: str
    names: tuple[str, ...] | None
    changing: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """A `Sawyer` that gives HTML and never raises."""

    sawyer: Sawyer

    def ask(self, question: str, selector: str | None = None) -> str:
        """The answer, an honest no, or why there is neither."""
        try:
            return rendering.answer_html(self.sawyer.ask(question, selector=selector))
        except Exception as error:  # noqa: BLE001 - the last wall before the reader
            return rendering.sentence_html(_sentence(error))

    def add(self, name: str, path: Path, progress: Progress | None = None) -> str:
        """Ingest an uploaded file, take it off the upload folder, and say what became of it.

        Args:
            name: the file's own name; ``path`` is where its bytes lie for now.
        """
        try:
            data = path.read_bytes()
            # The bytes are Sawyer's now; a copy left here would outlive the document's deletion.
            path.unlink()
            return rendering.report_html(name, self.sawyer.ingest(Source(name, data), progress=progress))
        except Exception as error:  # noqa: BLE001 - the last wall before the reader
            return rendering.failure_html(name, _sentence(error))

    def overview(self) -> Overview:
        """The texts of the default collection."""
        try:
            records = _present(self.sawyer.documents(collection=DEFAULT_COLLECTION))
        except Exception as error:  # noqa: BLE001 - the last wall before the reader
            passing = isinstance(error, ServerUnreachable | Unavailable)
            return Overview(rendering.sentence_html(_sentence(error)), None, changing=passing)
        # An empty shelf may be a first start that has not come to its sample yet.
        changing = not records or any(record.state == "pending" for record in records)
        names = tuple(record.source for record in records if record.state == "ready")
        return Overview(rendering.documents_html(records), names, changing)


def _present(records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
    return [record for record in records if record.state != "deleted"]


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, SawyerError) else incident(error, "the chat page")
