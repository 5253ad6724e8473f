"""Settings: YAML files with plain data only, checked by pydantic, with one-line errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from revorder.errors import ProblemError, first_line, quote, shorten

Count = Annotated[int, Field(ge=1, description="a whole number of at least 1")]
MAX_BYTES = 64 * 1024  # of a YAML file
_WORDS = {  # pydantic's wording: ours
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "a valid string": "text",
    "a valid tuple": "a list",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "above",
    "less than": "below",
}


class Settings(BaseModel):
    """The base of settings read from YAML: unknown keys and wrong types are errors, and instances are frozen.

    Error messages list what a field accepts from its `description`, or else from pydantic's message.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @classmethod
    def check(cls, settings: Any, where: str) -> Self:
        """Return settings from plain data; raises ProblemError with `where`, the key, the value, and what it takes."""
        try:
            return cls.model_validate(_tuples(settings))
        except ValidationError as error:
            raise ProblemError(f"{where}: {_explain(cls, error, settings)}") from None


def _tuples(value: Any) -> Any:
    """Return the same data with tuples for lists, as settings hold them."""
    if isinstance(value, Mapping):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple([_tuples(item) for item in value]) if isinstance(value, list) else value


def _explain(model: Any, error: ValidationError, settings: Any) -> str:
    """Return the first error in words: the path to its key, the key, its value, and what is accepted."""
    errors = error.errors(include_url=False)
    # a mistyped key is also missing under its right name: report the unknown one
    first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    kind, said = first["type"], first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    way = key = index = ""
    value = found = settings  # the value at the key, and the one at the index in it
    for place in first["loc"]:
        if isinstance(found, (list, tuple)):
            index, found = f"{index} {place}", found[int(place)] if int(place) < len(found) else None
        elif isinstance(found, Mapping):
            if key:
                way, model = f"{way}{key}{index}, ", _model_in(model.model_fields[key].annotation)
            key, index = str(place), ""
            value = found = found.get(place)
    field = model.model_fields.get(key)
    if kind == "value_error" and isinstance(found, Mapping):  # the error is of a whole model
        return f"{way}{key}{index}{', ' if key else ''}{said}"
    if key and not field:
        return f"{way}key {key!r} is unknown; accepted: {', '.join(model.model_fields)}"
    if kind == "missing" and not index:
        return f"{way}key {key!r} is missing; accepted: {field.description or 'a value'}"
    if kind == "model_type":
        inner = _model_in(field.annotation) if field else model
        accepted = f"a mapping with {', '.join(inner.model_fields)}"
    else:
        accepted = field.description or re.sub("|".join(_WORDS), lambda match: _WORDS[match[0]], said)
    return f"{way}{f'key {key!r}' if key else 'the whole'} is {_shown(value)}; accepted: {accepted}"


def _model_in(annotation: Any) -> Any:
    """Return the model inside a type, such as in a tuple of models."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def _shown(value: Any) -> str:
    """Return a value as JSON, shortened to 60 characters."""
    try:
        text = json.dumps(value, default=repr)
    except (TypeError, ValueError, RecursionError):  # such as a number with more digits than Python writes
        text = f"<{type(value).__name__}>"
    return shorten(text)


class _PlainLoader(yaml.SafeLoader):
    """Read null, true, false, decimal numbers and text: no aliases, tags, dates, or numbers in base 8, 16 or 60."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the next node; raises YAMLError for an alias or a tag."""
        event = self.peek_event()
        refused = "an alias" if isinstance(event, yaml.AliasEvent) else "a tag" if event.tag else ""
        if refused:
            raise yaml.MarkedYAMLError(problem=f"{refused} is not read here", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node; raises YAMLError for a repeated key."""
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"key {quote(key.value)} stands twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_WHOLE = r"[-+]?(?:0|[1-9][0-9]{0,17})"
for _tag, _pattern, _first in (
    ("null", "null|~|", ["n", "~", ""]),
    ("bool", "true|false", ["t", "f"]),
    ("int", _WHOLE, "-+0123456789"),
    ("float", rf"(?:{_WHOLE}(?:\.[0-9]{{0,18}})?|[-+]?\.[0-9]{{1,18}})(?:[eE][-+]?[0-9]{{1,3}})?", "-+.0123456789"),
):
    _PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def read_yaml(source: str | Path, packaged: Path, where: str) -> Any:
    """Return the content of a YAML file, or of the packaged file of that name.

    Args:
        source: a path, or the name of a packaged file.
        packaged: the folder of the packaged files.
        where: the beginning of error messages.

    Raises:
        ProblemError: if the file can't be read; the message lists the packaged names.
    """
    path = Path(source) if Path(source).suffix or "/" in str(source) else packaged / f"{source}.yaml"
    accepted = f"give a YAML file, or one of {', '.join(sorted(file.stem for file in packaged.glob('*.yaml')))}"
    try:
        if path.exists() and not path.is_file():
            raise ValueError("it is not a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes")
        return yaml.load(data.decode(), _PlainLoader)
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        said = getattr(error, "problem", None) or first_line(error)
        mark = getattr(error, "problem_mark", None)
        at = f", line {mark.line + 1}" if mark else ""
        raise ProblemError(f"{where} can't be read: {said}{at}; {accepted}") from None


def read_settings(kind: type[Any], source: str | Path | Mapping[str, Any], packaged: Path, where: str) -> Any:
    """Return settings of a kind from a YAML file, a packaged name, or a mapping; see `read_yaml`."""
    if isinstance(source, Mapping):
        return kind.check(source, where)
    where = f"{where} {str(source)!r}"
    return kind.check(read_yaml(source, packaged, where), where)
