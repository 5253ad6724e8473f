"""Where benchmark data are: in a folder, or in a Hugging Face dataset."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from revorder.errors import ProblemError, first_line, needs

T = TypeVar("T")


def find_folder(data: str | None, name: str) -> Path | None:
    """The folder at `data`, else the one of that name in $REVORDER_DATA, or that itself; None where there is none.

    >>> find_folder("no such folder", "gsm8k") is None
    True
    """
    around = os.environ.get("REVORDER_DATA")
    places = [Path(data)] if data else [Path(around) / name, Path(around)] if around else []
    return next((place for place in places if place.is_dir()), None)


def read_hub(name: str, config: str, read: Callable[[Any], T], split: str | None = None) -> T:
    """What `read` makes of a configuration of a Hugging Face dataset; raises ProblemError where it can't be loaded."""
    with needs(f"dataset {name!r}: no file or folder; a Hugging Face dataset", "data"):
        from datasets import load_dataset
    try:
        return read(load_dataset(name, config, split=split))
    except Exception as error:  # the hub's loaders raise errors of many kinds
        raise ProblemError(
            f"dataset {name!r} can't be loaded: {first_line(error)}; accepted: a folder, a file or a dataset's name"
        ) from None
