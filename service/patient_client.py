"""An HTTP client whose replies come to an end: its time-outs alone count from byte to byte."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import monotonic

from httpx2 import ReadTimeout, Response, SyncByteStream
from openai import DefaultHttpxClient


class PatientClient(DefaultHttpxClient):
    """A client for ``openai``.

    Args:
        patience: seconds from a reply's head to its end, after which it is broken off as by a time-out.
    """

    def __init__(self, patience: float) -> None:
        super().__init__(event_hooks={"response": [partial(_bound, patience)]})

    def __del__(self) -> None:
        # As the client that ``openai`` makes for itself: nobody else knows of it.
        if not self.is_closed:
            self.close()


class _Ending(SyncByteStream):
    """The stream of a reply, up to ``deadline``."""

    def __init__(self, response: Response, stream: SyncByteStream, deadline: float) -> None:
        self._response, self._stream, self._deadline = response, stream, deadline

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            yield part
            if monotonic() > self._deadline:
                raise ReadTimeout("the reply does not end", request=self._response.request)

    def close(self) -> None:
        self._stream.close()


def _bound(patience: float, response: Response) -> None:
    if isinstance(response.stream, SyncByteStream):
        response.stream = _Ending(response, response.stream, monotonic() + patience)
