"""Processes: which one of those that torchrun or accelerate started this is, what it waits for, and what it holds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from revorder.errors import ProblemError
from revorder.files import make_folder

PAUSE = 2  # seconds between two looks


def wait_passively() -> None:
    """Have OpenMP's threads sleep while they wait, unless the user says otherwise; call it before torch is imported.

    Spinning, two threads beside another busy process take a step 11 times as long.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def process_count() -> int:
    """How many processes run this command together; 1 where nothing started several."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Whether this is the process that writes what all of them share."""
    return os.environ.get("RANK", "0") == "0"


def wait_for_first(done: Callable[[], bool]) -> None:
    """Wait in every process but the first one until `done`, which the first one brings about."""
    while not is_first_process() and not done():
        time.sleep(PAUSE)


@contextmanager
def held(lock: Path, wait: bool = False) -> Iterator[bool]:
    """Hold a lock file, and say whether this process does: not where another one holds it already, unless it waits.

    Of those that torchrun started the first one holds it for all, and raises ProblemError where it can't.
    """
    from filelock import FileLock, Timeout

    if not is_first_process():
        yield True
        return
    make_folder(lock.parent)
    file = FileLock(lock)
    with suppress(Timeout):
        file.acquire(timeout=-1 if wait else 0)
    if not file.is_locked and process_count() > 1:
        raise ProblemError(f"file {str(lock)!r}: held by another process; accepted: once that is done")
    try:
        yield file.is_locked
    finally:
        file.release()


def write_once(path: Path, write: Callable[[], None]) -> None:
    """Have the first process write a file that is not there, while the others wait for it."""
    wait_for_first(path.exists)
    if not path.exists():
        write()


def share(files: Mapping[str, Path], make: Callable[[str], None], locks: Path, say: Callable[[str], None]) -> None:
    """Make each of `files`, by its name, that is not there.

    Of several processes that share the folder `locks` each makes what no other one is at, then waits for theirs.

    >>> import tempfile
    >>> def make(name):
    ...     print("making", files[name].name)
    ...     files[name].touch()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {"a": Path(folder, "a.txt"), "b": Path(folder, "b.txt")}
    ...     files["a"].touch()
    ...     share(files, make, Path(folder, "locks"), print)
    making b.txt
    """
    for wait in (False, True):
        for name, path in files.items():
            if not path.exists():
                with held(locks / f"{name}.lock", wait) as mine:
                    if not mine:
                        say(f"{name}: another process is at it")
                    elif not path.exists():
                        make(name)
