"""Work that several processes share, such as those that torchrun or accelerate starts: ranks, locks and waiting."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from revorder.errors import ProblemError
from revorder.files import make_folder

PAUSE = 2  # seconds between two checks


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def refuse_little_memory(least: int) -> None:
    """Raise ProblemError if `ulimit -v` is below this many megabytes, with which libraries abort the process."""
    with suppress(ImportError):  # on Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0] // 2**20
        if 0 <= limit < least:
            raise ProblemError(
                f"memory is limited to {limit} MB; raise the limit to {least} MB: ulimit -v {least * 1024}"
            )


def wait_passively() -> None:
    """Have OpenMP's threads sleep while they wait, unless the user says otherwise; call it before torch is imported.

    Spinning, two threads beside another busy process take a step 11 times as long.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def process_count() -> int:
    """Return how many processes run this command together; 1 without a launcher."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Whether this is the process that writes the shared files."""
    return os.environ.get("RANK", "0") == "0"


def wait_for_first(done: Callable[[], bool]) -> None:
    """Wait in every process but the first until `done` returns true; the first process makes that happen."""
    while not is_first_process() and not done():
        time.sleep(PAUSE)


@contextmanager
def held(lock: Path, wait: bool = False) -> Iterator[bool]:
    """Hold a lock file, and yield whether this process holds it.

    If another process holds the file already, `wait` waits for it. Of the processes of one command, the first holds the
    file for all, and raises ProblemError if it can't.
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
        raise ProblemError(f"file {str(lock)!r}: held by another process; wait for it")
    try:
        yield file.is_locked
    finally:
        file.release()


def write_once(path: Path, write: Callable[[], None]) -> None:
    """Let the first process write a missing file, while the others wait for it."""
    wait_for_first(path.exists)
    if not path.exists():
        write()


def share(files: Mapping[str, Path], make: Callable[[str], None], locks: Path, say: Callable[[str], None]) -> None:
    """Make each missing file, together with other processes that share the folder `locks`.

    Each process makes the files that no other process is making, then waits for the rest.

    Args:
        files: paths by name.
        make: makes the file of a name.
        locks: the folder of the lock files.
        say: reports a file that another process is making.

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
