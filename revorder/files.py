"""Files: written whole or not at all, told apart by their digest, and looked at before a library reads them."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from revorder.errors import ProblemError


def digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_folder(path: Path) -> None:
    """Make a folder, and those that it is in, where it is not there; raises ProblemError where that can't be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProblemError(f"folder {str(path)!r} can't be made: {error.strerror}; accepted: a new folder") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, text in UTF-8; raises ProblemError where it can't be written."""
    if isinstance(content, str):
        content = content.encode(errors="backslashreplace")  # a reply may hold half a surrogate
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        raise ProblemError(f"file {str(path)!r} can't be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
