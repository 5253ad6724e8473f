"""Checkpoint folders: the shipped checkpoints by name, their JSON files, and the description in revorder.json."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from revorder.arithmetic.problem import MAX_DIGITS, OPS, Problem
from revorder.errors import ProblemError, first_line, quote
from revorder.methods import find_method, trace

SHIPPED = Path(__file__).parent.parent / "checkpoints"
DEFAULT = "calculator"
INFO_FILE = "revorder.json"
MAX_BYTES = 1024 * 1024  # of a JSON file in a checkpoint folder
MAX_PLACES = 1000


def shipped() -> list[str]:
    """Return the names of the shipped checkpoints, sorted."""
    return sorted(folder.name for folder in SHIPPED.iterdir())


def checkpoint(model: str | Path | None = None) -> Path:
    """Return the folder of a checkpoint, the default checkpoint for None.

    `model` is a path, or the name of a shipped checkpoint if no such path exists.

    >>> checkpoint() == checkpoint(DEFAULT) == SHIPPED / DEFAULT
    True
    """
    if model is None:
        return SHIPPED / DEFAULT
    return SHIPPED / model if str(model) in shipped() and not os.path.exists(model) else Path(model)


class Key(NamedTuple):
    """A key of a JSON file: a test of its value, the accepted values in words, and whether the key is required."""

    fits: Callable[[Any], bool]
    accepted: str
    required: bool = True


def one_of(*values: Any, required: bool = True) -> Key:
    """Return the key of a value that must be one of `values`, and of the same type.

    >>> one_of("silu").fits("gelu")
    False
    """
    accepted = " or ".join(map(json.dumps, values))
    return Key(lambda value: any(type(value) is type(one) and value == one for one in values), accepted, required)


def whole(least: int, most: int, required: bool = True) -> Key:
    """Return the key of a whole number from `least` to `most`.

    >>> whole(1, 1000).accepted
    'a whole number from 1 to 1,000'
    """
    accepted = f"a whole number from {least} to {most:,}"
    return Key(lambda value: type(value) is int and least <= value <= most, accepted, required)


def read_json(folder: Path, name: str, keys: Mapping[str, Key]) -> dict[str, Any]:
    """Return the content of a JSON file in a checkpoint folder, checked against `keys`.

    An optional key may be null, and is then left out. Raises ProblemError that names the folder, the file, the key,
    its value, and the accepted values.

    >>> read_json(checkpoint(), "config.json", {"model_type": one_of("llama")})["model_type"]
    'llama'
    """
    model, path = f"model {str(folder)!r}", folder / name
    try:
        if not path.exists():
            other = (
                " (eval takes any other language model with --method)" if name == INFO_FILE and folder.is_dir() else ""
            )
            raise ProblemError(f"{model} has no {name}; give a checkpoint folder, or {', '.join(shipped())}{other}")
        if not path.is_file():  # reading a pipe would block, and reading a device would never end
            raise ProblemError(f"{model}: its {name} is not a file; give a JSON file")
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise ProblemError(f"{model}: its {name} is too large; accepted: at most {MAX_BYTES:,} bytes")
        values = json.loads(text)
        if not isinstance(values, dict):
            raise ProblemError(f"{model}: its {name} holds {quote(json.dumps(values))}; give an object")
        for key, (fits, accepted, required) in keys.items():
            if not required and values.get(key) is None:
                values.pop(key, None)
            elif key not in values:
                raise ProblemError(f"{model}: its {name} lacks {key}; accepted: {accepted}")
            elif not fits(values[key]):
                shown = quote(json.dumps(values[key]))
                raise ProblemError(f"{model}: its {name} has {key} {shown}; accepted: {accepted}")
    except ProblemError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ProblemError(f"{model}: its {name} can't be read ({first_line(error)}); give a JSON file") from None
    return values


def _are_limits(value: Any) -> bool:
    digits = whole(1, MAX_DIGITS).fits
    return isinstance(value, list) and all(
        isinstance(limit, list) and len(limit) == 3 and limit[0] in tuple(OPS) and all(map(digits, limit[1:]))
        for limit in value
    )


_INFO = {
    "method": Key(lambda value: isinstance(value, str), "a method's name"),
    "form": Key(lambda value: isinstance(value, str), "a form of the method"),
    "max_digits": Key(_are_limits, f'a list of limits such as ["+", 16, 16], of at most {MAX_DIGITS} digits'),
    "answer": one_of(False, True, required=False),
    "places": whole(0, MAX_PLACES, required=False),
    "extra": Key(lambda value: isinstance(value, dict), "an object", required=False),
}


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """A checkpoint's description: the traces that it writes, and the operands that it was trained on.

    Args:
        method: The method of its traces.
        form: The form of the method.
        max_digits: (op, digits of the longer operand, digits of the shorter one) for each trained kind of problem;
            for `/` (op, digits of the dividend, digits of the divisor).
        answer: Whether its traces end with the answer in forward order, most significant digit first.
        places: The number of places that its tokenizer tells apart.
        extra: Further facts that its maker noted.

    >>> CheckpointInfo("lean", "lean", (("+", 5, 5), ("*", 5, 1))).covers(Problem(7, "*", 12345))
    True
    """

    method: str
    form: str
    max_digits: tuple[tuple[str, int, int], ...]
    answer: bool = False
    places: int = 40
    extra: dict[str, Any] = field(default_factory=dict)

    def covers(self, problem: Problem) -> bool:
        """Whether the checkpoint was trained on operands of this many digits.

        >>> CheckpointInfo("lean", "lean", (("+", 5, 5),)).covers(Problem(1, "-", 1))
        False
        """
        a, b = len(str(problem.a)), len(str(problem.b))
        if problem.op != "/":
            a, b = max(a, b), min(a, b)
        return any(op == problem.op and a <= n and b <= m for op, n, m in self.max_digits)

    def max_new_tokens(self, problem: Problem) -> int:
        """Return the most tokens that may be written: three times the correct trace, to allow for rollbacks, plus 16.

        >>> CheckpointInfo("lean", "lean", ()).max_new_tokens(Problem(12, "+", 35))
        46
        """
        return 3 * len(trace(problem, self.method, self.form).text) + 16

    def save(self, folder: Path) -> None:
        """Write revorder.json into a checkpoint folder."""
        (folder / INFO_FILE).write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, folder: Path) -> CheckpointInfo:
        """Read revorder.json. Raises ProblemError that names the folder, the key, and the accepted values.

        >>> CheckpointInfo.load(checkpoint()).answer
        False
        """
        values = read_json(folder, INFO_FILE, _INFO)
        if unknown := values.keys() - _INFO.keys():
            raise ProblemError(
                f"model {str(folder)!r}: its {INFO_FILE} has an unknown key {quote(min(unknown))}; "
                f"accepted: {', '.join(_INFO)}"
            )
        try:
            find_method(values["method"], values["form"])
        except ProblemError as error:
            raise ProblemError(f"model {str(folder)!r}: its {INFO_FILE}: {error}") from None
        return cls(**values | {"max_digits": tuple(map(tuple, values["max_digits"]))})
