"""Settings: YAML files, and tables of what each of their keys accepts, for mixtures, models and training recipes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from .problem import ProblemError

RECIPES = Path(__file__).parent / "recipes"
# what each key accepts: a test, and its words
Keys = dict[str, tuple[Callable[[Any], Any], str]]


def read_yaml(source: str | Path, where: str, prefix: str = "") -> Any:
    """What a YAML file holds, or the packaged one of that name, whose file's name begins with `prefix`.

    1e-3 is a number here, as in YAML 1.2, where PyYAML takes it for text. Raises ProblemError that begins with
    `where` and says which are packaged.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?\d+[eE][-+]?\d+\Z"), [*"-+0123456789"])
    path = Path(source) if Path(source).suffix else RECIPES / f"{prefix}{source}.yaml"
    try:
        return yaml.load(path.read_text(), Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        stems = [file.stem for file in RECIPES.glob("*.yaml") if file.stem.startswith("train-") == bool(prefix)]
        packaged = ", ".join(sorted(stem.removeprefix(prefix) for stem in stems))
        first = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise ProblemError(f"{where} can't be read: {first}; accepted: a YAML file, or {packaged}") from None


def whole(low: int, high: float) -> Callable[[Any], bool]:
    """Whether a value is a whole number from `low` to `high`; true and false are none."""
    return lambda value: type(value) is int and low <= value <= high


def share(value: Any) -> bool:
    """Whether a value is a number from 0 to 1."""
    return type(value) in (int, float) and 0 <= value <= 1


def filled(value: Any) -> bool:
    """Whether a value is a list with something in it."""
    return isinstance(value, (list, tuple)) and bool(value)


COUNT = (whole(1, math.inf), "a whole number of at least 1")
COUNT_OR_0 = (whole(0, math.inf), "a whole number, 0 or more")
SHARE = (share, "a number from 0 to 1")
YES = (lambda value: isinstance(value, bool), "true or false")


def checked(settings: Any, kind: type, where: str, keys: Keys) -> dict[str, Any]:
    """The settings, if every key is one of the dataclass `kind`, and holds what `keys` accepts."""
    names = [field.name for field in fields(kind)]
    known = ", ".join(names)
    if not isinstance(settings, dict):
        raise ProblemError(f"{where}: accepted: a mapping with {known}")
    for key, value in settings.items():
        if key not in names:
            raise ProblemError(f"{where}: key {key!r} is unknown; accepted: {known}")
        if not keys[key][0](value):
            raise ProblemError(f"{where}: key {key!r} is {value!r}; accepted: {keys[key][1]}")
    return dict(settings)
