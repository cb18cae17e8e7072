"""Every error that Sawyer raises on purpose; the text may be shown to a user.

    SawyerError
    ├── InvalidInput             the caller asked for something that cannot be
    │   ├── InvalidValue         a number, name or option outside its rule
    │   ├── MissingModel         what was asked for needs a model, and none is set
    │   ├── InvalidQuestion      a question that is blank or too long
    │   ├── EmptyDocument        nothing but white space
    │   ├── UnsupportedFormat    bytes that are no text we read
    │   ├── UndecodableText      text with too many bytes that are not in its encoding
    │   ├── TooLarge             over a limit
    │   └── DataError            a malformed line in a data set file
    ├── NotFound                 no such document, job or collection
    ├── Refused                  Host or Origin is not an allowed one
    ├── DataDirectoryBusy        another process owns the data directory
    ├── EmbedderMismatch         the index was made by another embedder
    ├── StoreError               a store on disk cannot be read or written
    ├── ArtifactError            a model file is missing or not what its card says
    ├── MissingExtra             an optional package is not installed
    ├── ProviderError            a model endpoint failed or gave no usable reply
    │   ├── ProviderRefused      wrong key, URL or model name: no further request would fare better
    │   └── UnusableReply        the model answered, but not with what was asked for
    ├── CallLimit                the calls to a model that were allowed are used up
    ├── ServerUnreachable        no Sawyer server answers at the URL
    └── Unavailable              the server cannot take or finish the work now

Messages give the rule, the value and the remedy:
``overlap must be in [0, size) = [0, 400) characters, got 400``.
Anything not in this tree is a bug: it is shown as an incident id, never as its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.values import Span


class SawyerError(Exception):
    """Root of the tree."""

    @property
    def outcome(self) -> Outcome:
        """The code, HTTP status and exit code of the nearest class that the table names."""
        return next(OUTCOMES[kind] for kind in type(self).__mro__ if kind in OUTCOMES)

    @property
    def code(self) -> str:
        """The name a program reads: ``empty_document``."""
        return self.outcome.code


class InvalidInput(SawyerError):
    """The caller asked for something that cannot be."""


class InvalidValue(InvalidInput, ValueError):
    """A number, name or option outside its rule."""


class MissingModel(InvalidInput):
    """What was asked for needs a model, and none is set."""


class InvalidQuestion(InvalidInput):
    """A question that is blank or too long."""


class EmptyDocument(InvalidInput):
    """A document that holds nothing but white space."""


class UnsupportedFormat(InvalidInput):
    """Bytes that are no text we read."""


class UndecodableText(InvalidInput):
    """Text with too many bytes that are not in its encoding."""


class TooLarge(InvalidInput):
    """Something over a limit."""


class DataError(InvalidInput):
    """A malformed line in a data set file, named by file, line and rule."""


class NotFound(SawyerError):
    """No such document, job or collection."""


class Refused(SawyerError):
    """The request's Host or Origin is not an allowed one."""


class DataDirectoryBusy(SawyerError):
    """Another process owns the data directory."""


class EmbedderMismatch(SawyerError):
    """The index was made by another embedder."""


class StoreError(SawyerError):
    """A store on disk cannot be read or written."""


class ArtifactError(SawyerError):
    """A model file is missing or not what its card says."""


class MissingExtra(SawyerError):
    """An optional package is not installed."""


class ProviderError(SawyerError):
    """A model endpoint failed or gave no usable reply."""


class ProviderRefused(ProviderError):
    """A wrong key, URL or model name: no further request would fare better, so nothing goes on without it."""


class UnusableReply(ProviderError):
    """The model answered, but not with what was asked for.

    Attributes:
        reason: what was wrong with the reply, in a few plain words that counts are kept under.
    """

    def __init__(self, message: str, *, reason: str = "unusable") -> None:
        super().__init__(message)
        self.reason = reason


class CallLimit(SawyerError):
    """The calls to a model that were allowed are used up.

    Attributes:
        spans: the chunks that were found till then, from the text's start on.
    """

    def __init__(self, message: str, *, spans: Sequence[Span] = ()) -> None:
        super().__init__(message)
        self.spans = spans


class ServerUnreachable(SawyerError):
    """No Sawyer server answers at the URL."""


class Unavailable(SawyerError):
    """The server cannot take or finish the work now."""


class Outcome(NamedTuple):
    """What one class of error becomes outside."""

    code: str
    status: int  # HTTP
    exit_code: int  # command line; 2 is also what a wrong command line gives


OUTCOMES: dict[type[SawyerError], Outcome] = {
    SawyerError: Outcome("error", 500, 1),
    InvalidInput: Outcome("invalid_input", 422, 2),
    InvalidValue: Outcome("invalid_value", 422, 2),
    MissingModel: Outcome("missing_model", 422, 2),
    InvalidQuestion: Outcome("invalid_question", 422, 2),
    EmptyDocument: Outcome("empty_document", 422, 3),
    UnsupportedFormat: Outcome("unsupported_format", 415, 3),
    UndecodableText: Outcome("undecodable_text", 422, 3),
    TooLarge: Outcome("too_large", 413, 3),
    DataError: Outcome("data_error", 422, 3),
    NotFound: Outcome("not_found", 404, 4),
    Refused: Outcome("refused", 403, 5),
    DataDirectoryBusy: Outcome("data_directory_busy", 409, 6),
    EmbedderMismatch: Outcome("embedder_mismatch", 409, 7),
    StoreError: Outcome("store_error", 500, 8),
    ArtifactError: Outcome("artifact_error", 500, 8),
    MissingExtra: Outcome("missing_extra", 501, 9),
    ProviderError: Outcome("provider_error", 502, 10),
    ProviderRefused: Outcome("provider_refused", 502, 10),
    UnusableReply: Outcome("unusable_reply", 502, 10),
    ServerUnreachable: Outcome("server_unreachable", 503, 11),
    Unavailable: Outcome("unavailable", 503, 12),
    CallLimit: Outcome("call_limit", 503, 13),
}


def error_class(code: str) -> type[SawyerError]:
    """The class that a code names; the root for a code that this version does not know."""
    return next((kind for kind, outcome in OUTCOMES.items() if outcome.code == code), SawyerError)
