"""A document on the wire: a form with a file, or JSON with a text, either one as a `Source`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from core.errors import InvalidInput, InvalidValue, TooLarge, UnsupportedFormat
from core.identity import content_digest
from service.api.bodies import media_type, read_json
from service.api.errors import InvalidFields
from service.api.requests import DocumentFields, TextRequest
from service.naming import upload_name
from service.reading import MARKDOWN_SUFFIXES
from service.values import Source

FORM = "multipart/form-data"
JSON = "application/json"
_FIELDS = 16  # more parts than the form has fields, so that an unknown one is named

# FastAPI describes a body of one kind only; this route takes two.
OPENAPI = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        **DocumentFields.model_json_schema()["properties"],
                    },
                    "additionalProperties": False,
                }
            },
            JSON: {"schema": TextRequest.model_json_schema()},
        },
    }
}


async def read_document(request: Request, *, max_bytes: int) -> tuple[Source, str]:
    """The source and its collection.

    A file's identity is ``source`` where given, else the last part of its file name; a text's is
    ``source``, else its own digest. A Markdown file name makes its bytes Markdown under any ``source``;
    a text is Markdown, so that its headings count, unless its ``source`` ends in ``.txt``.

    Raises:
        UnsupportedFormat: neither a form nor JSON.
        InvalidInput: a body that cannot be decoded, a field or file name that breaks its rule.
        TooLarge: a document over ``max_bytes``.
    """
    kind = media_type(request)
    if kind == JSON:
        return _text(await read_json(request))
    if kind != FORM:
        raise UnsupportedFormat(
            f"content-type must be {FORM} with a `file`, or {JSON} with a `text`, got {kind or 'none'!r}"
        )
    try:
        async with request.form(max_files=2, max_fields=_FIELDS) as form:
            return await _file(form, max_bytes)
    except UnicodeError:  # a charset parameter such as `idna`, which is no charset
        raise InvalidInput("a form's charset must be one that texts are written in, such as utf-8") from None


def _text(decoded: Any) -> tuple[Source, str]:
    try:
        fields = TextRequest.model_validate(decoded)
    except ValidationError as error:
        raise InvalidFields.of(error) from None
    data = fields.text.encode()
    name = fields.source or f"text-{content_digest(data)[:16]}"
    kind = fields.media_type or ("text/plain" if name.lower().endswith(".txt") else "text/markdown")
    return Source(name, data, fields.title, kind), fields.collection


async def _file(form: FormData, max_bytes: int) -> tuple[Source, str]:
    items = form.multi_items()
    files = [value for name, value in items if name == "file" and isinstance(value, UploadFile)]
    texts = {name: value for name, value in items if isinstance(value, str)}
    if len(files) != 1 or len(files) + len(texts) != len(items):
        raise InvalidValue(f"a form must hold exactly one `file` and each field once, got {_names(items)}")
    try:
        fields = DocumentFields.model_validate(texts)
    except ValidationError as error:
        raise InvalidFields.of(error) from None
    file = files[0]
    if file.size is not None and file.size > max_bytes:
        raise TooLarge(
            f"a document must have at most {max_bytes:,} bytes, got {file.size:,}; "
            f"split it, or raise SAWYER_MAX_UPLOAD_MB"
        )
    sent_as = file.filename or ""
    name = fields.source or upload_name(sent_as)
    kind = fields.media_type or ("text/markdown" if _is_markdown(sent_as) else None)
    return Source(name, await file.read(), fields.title, kind), fields.collection


def _is_markdown(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in MARKDOWN_SUFFIXES


def _names(items: list[tuple[str, UploadFile | str]]) -> str:
    return ", ".join(name for name, _ in items)[:200] or "nothing"
