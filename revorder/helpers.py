"""Helper processes: they write shards, or a GPU's next batches."""

from __future__ import annotations

import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

QUIET = "ignore:resource_tracker:UserWarning"  # what Python's tracker of locks says after a SIGKILL


class Helpers(ProcessPoolExecutor):
    """`count` processes that leave Ctrl-C to this one, also while they start, and that end with it."""

    def __init__(self, count: int) -> None:
        with interrupts_blocked():
            super().__init__(count, multiprocessing.get_context("spawn"), _begin)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a task, as ProcessPoolExecutor does."""
        with interrupts_blocked():  # a process starts here, and keeps the signals that are blocked now
            return super().submit(fn, *args, **kwargs)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Windows too
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Delay Ctrl-C until the block ends, and keep it from processes started inside; no effect on Windows."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    sys.warnoptions.append(QUIET)
    multiprocessing.resource_tracker.ensure_running()  # else the first process starts it, which unblocks the signal
    sys.warnoptions.remove(QUIET)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
