"""Files of a public data set, from its home on the network, a mirror, or a folder that holds copies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.errors import NotFound, StoreError, TooLarge

MOST_BYTES = 2_000_000_000  # of one file: far over any that is meant
_SECONDS = 30.0  # without a byte


@dataclass(frozen=True, slots=True)
class Home:
    """Where files are to be had.

    Attributes:
        place: a URL, or a folder of this machine.
        remedy: what to do when there is no network.
    """

    place: str
    remedy: str

    def get(self, name: str, folder: Path, say: Callable[[str], None]) -> Path | None:
        """Copy the file of that name, a path with ``/``, into the folder; None when the home has none.

        Raises:
            NotFound: the home does not answer, or answers with an error.
            TooLarge: the file is larger than any that is meant.
            StoreError: the folder cannot be written.
        """
        path = folder / name.replace("/", "_")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self.place.startswith(("http://", "https://")):
                return self._download(name, path, say)
            source = Path(self.place).expanduser() / name
            return Path(shutil.copyfile(source, path)) if source.is_file() else None
        except OSError as error:
            raise StoreError(f"{path} cannot be written ({error}); choose another folder") from error

    def _download(self, name: str, path: Path, say: Callable[[str], None]) -> Path | None:
        import httpx

        url = f"{self.place.rstrip('/')}/{name}"
        say(f"fetching {url}")
        size = 0
        try:
            with (
                httpx.Client(follow_redirects=True, timeout=_SECONDS) as client,
                client.stream("GET", url) as reply,
                path.open("wb") as stream,
            ):
                if reply.status_code == httpx.codes.NOT_FOUND:
                    return None
                reply.raise_for_status()
                for part in reply.iter_bytes():
                    size += len(part)
                    if size > MOST_BYTES:
                        raise TooLarge(f"{url} must be at most {MOST_BYTES:,} bytes; {self.remedy}")
                    stream.write(part)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise NotFound(f"{url} cannot be fetched ({said}); {self.remedy}") from error
        return path
