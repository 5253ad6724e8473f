"""Processes: which one of those that torchrun or accelerate started this is, and what it waits for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

PAUSE = 2  # seconds between two looks


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
