"""Find benchmark data in a folder or in a Hugging Face dataset."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from revorder.errors import ProblemError, first_line, needs

T = TypeVar("T")


def find_folder(data: str | None, name: str, file: str) -> Path | None:
    """Return the folder `data`, or without `data` the one of $REVORDER_DATA/`name` and $REVORDER_DATA that has `file`.

    Returns None if there is no such folder.
    """
    if data:
        return Path(data) if Path(data).is_dir() else None
    around = os.environ.get("REVORDER_DATA")
    places = [Path(around) / name, Path(around)] if around else []
    return next((place for place in places if (place / file).is_file()), None)


def read_hub(name: str, config: str, read: Callable[[Any], T], split: str | None = None) -> T:
    """Load a configuration of a Hugging Face dataset and return it as read by `read`.

    Raises ProblemError if the dataset can't be loaded.
    """
    with needs(f"dataset {name!r}: no file or folder; a Hugging Face dataset", "data"):
        from datasets import load_dataset
    try:
        return read(load_dataset(name, config, split=split))
    except Exception as error:  # the loaders of the Hub raise many kinds of errors
        raise ProblemError(
            f"dataset {name!r} can't be loaded: {first_line(error)}; give a folder, a file or a dataset's name"
        ) from None
