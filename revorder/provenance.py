"""Provenance: the version, commit, libraries and machine that made a result."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

__version__ = "0.3.0"
LIBRARIES = ("torch", "transformers", "trl", "ctranslate2")


@cache
def commit() -> str:
    """Return the git commit, with `-dirty` if files changed, or the version outside a checkout.

    The result is cached: long runs call this first, since the checkout may change while they run.
    """
    import subprocess

    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return __version__
    try:
        head, changed = (
            subprocess.run(["git", *call], cwd=root, capture_output=True, text=True, timeout=10)
            for call in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--", "revorder"])
        )
    except (OSError, subprocess.TimeoutExpired):
        return __version__
    return head.stdout.strip() + ("-dirty" if changed.stdout else "") if head.returncode == 0 else __version__


def joined(before: str, now: str) -> str:
    """Return the list `before`, with `now` appended if it is new.

    >>> joined("3200b78, fa511fe", "3200b78"), joined("", "3200b78")
    ('3200b78, fa511fe', '3200b78')
    """
    return before if now in before.split(", ") else ", ".join(filter(None, (before, now)))


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package, and of the libraries that results depend on."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version(), "revorder": __version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hardware(gpus: bool = True) -> str:
    """Return a description of the machine: its GPUs, or its CPU. `gpus` says whether to ask torch for GPUs."""
    import platform

    if gpus:
        import torch

        if torch.cuda.is_available():
            return f"{torch.cuda.device_count()} x {torch.cuda.get_device_name()}"
        return f"{os.cpu_count()} CPU cores ({platform.machine()} {torch.backends.cpu.get_cpu_capability()})"
    return f"{os.cpu_count()} CPU cores ({platform.machine()})"
