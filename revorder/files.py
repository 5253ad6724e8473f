"""Files: digests, checks before reading, and writing that leaves a whole file or none."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from revorder.errors import ProblemError, first_line

HOST = (
    os.uname().nodename.partition(".")[0] if os.name == "posix" else ""
)  # in the names of temporary files, since machines may share a folder
MAX_LINE = 64 * 1024 * 1024  # bytes of one line of input


def digest(path: Path) -> str:
    """Return the sha256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_text(path: Path) -> str:
    """Return the content of a UTF-8 text file, its line ends as they are; raises ProblemError if it can't be read."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"file {str(path)!r} can't be read: {first_line(error)}; give text in UTF-8") from None


def same_file(read: Path | int, out: Path) -> bool:
    """Whether both paths name the same file; False if either is missing. `read` may be the number of an open file.

    >>> same_file(Path("revorder"), Path("revorder/../revorder")), same_file(Path("no such"), Path("no such"))
    (True, False)
    """
    try:
        return os.path.samestat(os.stat(read), os.stat(out))
    except (OSError, ValueError):
        return False


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise ProblemError if a file exists and must not be overwritten."""
    if path.is_file() and not overwrite:
        raise ProblemError(f"file {str(path)!r} exists; choose a new file, or pass --overwrite")


def weights_digest(folder: Path) -> str:
    """Return the first 12 digits of the digest of each weight file, to tell models at the same path apart."""
    files = [path for names in ("*.safetensors", "pytorch_model*.bin") for path in sorted(folder.glob(names))]
    return "".join(digest(path)[:12] for path in files)


def partial_of(out: Path) -> Path:
    """Return the path of what is written for `out` until it is complete.

    >>> partial_of(Path("r.jsonl")).name
    'r.jsonl.partial'
    """
    return out.with_name(out.name + ".partial")


def make_folder(path: Path) -> None:
    """Make a folder and its parents if missing; raises ProblemError if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProblemError(f"folder {str(path)!r} can't be made: {first_line(error)}; choose a new folder") from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise ProblemError with the file's name if writing fails, such as on a full disk."""
    try:
        yield
    except OSError as error:
        raise ProblemError(
            f"file {str(path)!r} can't be written: {first_line(error)}; give a file in a folder that has room for it"
        ) from None


def writable(path: Path) -> Path:
    """Return the file to write for `path`, which may be a link to it.

    Raises ProblemError if its folder is missing, or if `path` exists and is not a file: replacing /dev/null or
    /dev/stdout would break the machine.
    """
    device = str(path.absolute()).startswith(("/dev/", "/proc/")) and not str(path.absolute()).startswith("/dev/shm/")
    if not path.name or device or (path.exists() and not path.is_file()):
        raise ProblemError(f"file {str(path)!r} can't be written: it is not a file; choose a new one")
    try:
        target = path.resolve()
    except (OSError, RuntimeError):
        raise ProblemError(f"file {str(path)!r} can't be written: it is a link to itself; give a new file") from None
    if not target.parent.is_dir():
        raise ProblemError(f"file {str(path)!r} can't be written: its folder is missing; choose a folder that exists")
    return target


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` on success and is removed on failure.

    If `path` is a link, its target is replaced. Raises ProblemError if no file can be made there.
    """
    path = writable(path)
    remove_abandoned(path)
    temporary = path.with_name(f".{path.name}.{HOST}.{os.getpid()}")
    try:  # before the file exists, so that an interrupt at any moment leaves nothing
        with writing(path):
            temporary.touch()
        yield temporary
        with writing(path):
            os.replace(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def remove_abandoned(path: Path) -> None:
    """Remove the temporary files of `path` that killed processes of this machine left."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.{glob.escape(HOST)}.*") if os.name == "posix" else ():
        with suppress(ValueError, OSError, OverflowError):
            try:
                os.kill(int(left.name.rpartition(".")[2]), 0)
            except ProcessLookupError:
                left.unlink()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, text as UTF-8; raises ProblemError if it can't be written."""
    if isinstance(content, str):
        content = content.encode(errors="backslashreplace")  # a reply may contain half of a surrogate pair
    with written_whole(path) as temporary, writing(path):
        temporary.write_bytes(content)
