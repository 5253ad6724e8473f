"""Convert a field of every record in a JSONL or Parquet file.

The output has the format of the input, and is written completely or not at all. In JSONL only the characters of the
converted field change; the rest of a line stays byte for byte. A line that can't be read goes to `OUT.rejects.jsonl`
with its file, its number and the reason. Memory holds one line, or one batch of Parquet rows.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from revorder.corpora.records import BATCH, BOM, read_lines, reason
from revorder.corpora.rewriting import (
    ALREADY,
    DIVISION,
    IDENTITY,
    REWRITTEN,
    WRONG,
    Edit,
    apply_edits,
    find_edits,
    find_edits_back,
)
from revorder.errors import ProblemError, first_line, needs
from revorder.files import refuse_existing, same_file, written_whole
from revorder.reading.numbers import NOTATIONS

Find = Callable[[str], tuple[list[Edit], Counter[str]]]
Reject = Callable[[int, str, str], None]  # the number of a line, why it can't be read, and its text

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)  # numbers of any length, whose values are not used
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)


@dataclass(slots=True)
class Report:
    """The counts of a conversion: texts, changed texts, equations by outcome, and rejected lines.

    >>> Report(2, 1, Counter({"rewritten": 3, "one division": 1})).unconverted
    0
    """

    texts: int = 0
    changed: int = 0
    equations: Counter[str] = field(default_factory=Counter)
    rejected: int = 0

    @property
    def with_operator(self) -> int:
        """The number of equations that have an operator or can't be read."""
        return self.equations.total() - self.equations[IDENTITY]

    @property
    def unconverted(self) -> int:
        """The number of equations that were left unchanged, although the notation would write them differently."""
        return self.with_operator - sum(self.equations[kind] for kind in (REWRITTEN, ALREADY, DIVISION))

    @property
    def wrong(self) -> int:
        """The number of equations whose stated result is neither exact nor correctly rounded."""
        return self.equations[WRONG]

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        derived = {"with_operator": self.with_operator, "unconverted": self.unconverted, "wrong": self.wrong}
        return asdict(self) | derived | {"equations": dict(self.equations.most_common())}


def rewrite_corpus(
    source: Path,
    out: Path,
    field: str = "answer",
    notation: str = NOTATIONS[0],
    decompose: bool = False,
    prose: bool = False,
    back: bool = False,
    overwrite: bool = False,
    advance: Callable[[int], None] = lambda n: None,
) -> Report:
    """Convert one field of every record in a file.

    Args:
        source: The file to read, JSONL or Parquet.
        out: The file to write, of the same format.
        field: The key or column to convert.
        notation: `r|`, which writes `r|27`, or `@@`, which writes `@@27@@`.
        decompose: Whether to write out products and quotients of several digits.
        prose: Whether to convert equations in prose too, not only annotations.
        back: Whether to undo a conversion instead.
        overwrite: Whether to replace existing files.
        advance: Called with 1 after every converted text.

    Raises:
        ProblemError: A file can't be read or written, `out` exists, or the two formats differ. Nothing is written.
    """
    if notation not in NOTATIONS:
        raise ProblemError(f"notation {notation!r} is unknown; accepted: {', '.join(NOTATIONS)}")
    if (source.suffix == ".parquet") != (out.suffix == ".parquet"):
        raise ProblemError(f"out {str(out)!r}: give a file of the same kind as {source.name!r}")
    if not source.is_file():
        raise ProblemError(
            f"file {str(source)!r}: no file of that name; give a file of JSONL, or of Parquet (.parquet)"
        )
    rejected = Path(f"{out}.rejects.jsonl")
    for path in (out, rejected):
        if same_file(source, path):
            raise ProblemError(f"out {str(path)!r} is the file to read; choose another")
        refuse_existing(path, overwrite)
    find: Find = find_edits_back if back else partial(find_edits, notation=notation, decompose=decompose, prose=prose)
    report = Report()
    convert = convert_parquet if source.suffix == ".parquet" else convert_jsonl
    try:
        with written_whole(out) as temporary, rejects(rejected, source, field, report) as reject:
            convert(source, temporary, field, counting(find, report, advance), reject)
    except OSError as error:
        corrupt = error.errno is None  # pyarrow raises it if a page can't be read
        failed = source if corrupt or error.filename == str(source) else out
        raise ProblemError(f"file {str(failed)!r} failed: {first_line(error)}") from None
    return report


def counting(find: Find, report: Report, advance: Callable[[int], None]) -> Callable[[str], list[Edit]]:
    """Return a function that finds the edits of a text and counts them in the report."""

    def edits_of(text: str) -> list[Edit]:
        edits, counts = find(text)
        report.texts += 1
        report.changed += bool(edits)
        report.equations += counts
        advance(1)
        return edits

    return edits_of


@contextmanager
def rejects(path: Path, source: Path, field: str, report: Report) -> Iterator[Reject]:
    """Write rejected lines to `path`, with their numbers and the reasons; leave no file if none was rejected.

    Raises ProblemError if every line was rejected: then the field is wrong, and nothing should be written.
    """
    first = ""
    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:

        def reject(line: int, reason: str, text: str) -> None:
            nonlocal first
            first = first or f"line {line}: {reason}"
            report.rejected += 1
            file.write(json.dumps({"file": str(source), "line": line, "reason": reason, "text": text}) + "\n")

        yield reject
        if report.rejected and not report.texts:
            raise ProblemError(f"file {str(source)!r}: no line can be read; {first}; give lines with a text {field!r}")
    if not report.rejected:
        path.unlink(missing_ok=True)


# JSONL


def convert_jsonl(
    source: Path, out: Path, field: str, edits_of: Callable[[str], list[Edit]], reject: Reject | None = None
) -> None:
    """Convert a field of every line; blank lines, line ends and a BOM stay.

    Without `reject` a line that can't be read stays as it is; raises ProblemError if it is too long for that.
    """
    with source.open("rb") as lines, out.open("wb") as file:
        for number, line in enumerate(read_lines(lines), 1):
            if isinstance(line, ProblemError):
                if not reject:
                    raise ProblemError(f"file {str(source)!r}, line {number}: {line}; give shorter lines")
                reject(number, str(line), "")
                continue
            bom = BOM if number == 1 and line.startswith(BOM) else b""
            body = line[len(bom) :]
            try:
                file.write(
                    bom
                    + (convert_line(body.decode("utf-8"), field, edits_of).encode("utf-8") if body.strip() else body)
                )
            except (ValueError, RecursionError) as error:
                if reject:
                    reject(number, reason(error), line.decode("utf-8", "replace"))
                else:
                    file.write(line)


def convert_line(line: str, field: str, edits_of: Callable[[str], list[Edit]]) -> str:
    """Return a line of JSON with the edits applied to the field's characters.

    Raises ProblemError if the line is not an object or has no such text, and ValueError if it is not JSON.

    >>> convert_line('{"id": 1,  "answer":"1\\\\/2 \\\\u00e9"}', "answer", lambda text: [Edit(1, 2, " / ")])
    '{"id": 1,  "answer":"1 / 2 \\\\u00e9"}'
    """
    start, end = find_value(line, field)
    if line[start:end] == "null":
        return line
    raw = line[start + 1 : end - 1]
    text = json.loads(line[start:end])
    escapes, longer = [], [0]  # start of each escaped character, total extra length up to it
    for match in _ESCAPE.finditer(raw):
        escapes.append(match.start() - longer[-1])
        longer.append(longer[-1] + match.end() - match.start() - 1)

    def written(at: int) -> int:
        return at + longer[bisect_left(escapes, at)]

    edits = [Edit(written(at), written(to), json.dumps(by)[1:-1]) for at, to, by in edits_of(text)]
    return line[: start + 1] + apply_edits(raw, edits) + line[end - 1 :]


def find_value(line: str, field: str) -> tuple[int, int]:
    """Return the start and end of a field's text or null in a line of JSON, quotes included.

    A repeated field counts at its last place. `a.b` is b in a if no field has that name.

    >>> find_value('{"id": 1, "answer": "1+1"}', "answer"), find_value('{"a": {"b": "1+1"}}', "a.b")
    ((20, 25), (12, 17))
    """

    def skip(at: int) -> int:
        match = _SPACE.match(line, at)
        return match.end() if match else at

    at = skip(0)
    if line[at : at + 1] != "{":
        _DECODER.decode(line)
        raise ProblemError(f"not a JSON object; give one with the field {field!r}")
    outer, _, inner = field.partition(".")
    found = nested = None
    at = skip(at + 1)
    closed = line[at : at + 1] == "}"
    while not closed:
        if line[at : at + 1] != '"':
            raise json.JSONDecodeError("expected a key", line, at)
        key, at = _DECODER.raw_decode(line, at)
        at = skip(at)
        if line[at : at + 1] != ":":
            raise json.JSONDecodeError("expected ':'", line, at)
        start = skip(at + 1)
        value, end = _DECODER.raw_decode(line, start)
        if key == field:
            found = (start, end, value is None or (isinstance(value, str) and line[start] == '"'))
        if key == outer:
            nested = (start, end) if isinstance(value, dict) and inner else None
        at = skip(end)
        closed = line[at : at + 1] == "}"
        if not closed:
            if line[at : at + 1] != ",":
                raise json.JSONDecodeError("expected ',' or '}'", line, at)
            at = skip(at + 1)
    if skip(at + 1) != len(line):
        raise json.JSONDecodeError("more behind the object", line, at + 1)
    if found is None and nested:
        start, end = find_value(line[slice(*nested)], inner)
        return nested[0] + start, nested[0] + end
    if found is None:
        raise ProblemError(f"no field {field!r}; there are: {', '.join(json.loads(line))}")
    if not found[2]:
        raise ProblemError(f"field {field!r} is not a text")
    return found[0], found[1]


# Parquet


def convert_parquet(
    source: Path, out: Path, field: str, edits_of: Callable[[str], list[Edit]], reject: Reject | None = None
) -> None:
    """Convert a column of text, batch by batch; a row without text stays as it is.

    The other columns stay unchanged. All columns are compressed like the first column of the source.
    """
    with needs("Parquet", "data"):
        import pyarrow
        import pyarrow.parquet
        from pyarrow.types import is_dictionary, is_large_string, is_string, is_string_view
    try:
        with pyarrow.parquet.ParquetFile(source) as file:
            schema = file.schema_arrow
            at = schema.get_field_index(field)
            kind = schema.types[at] if at >= 0 else None
            text = kind.value_type if kind is not None and is_dictionary(kind) else kind
            if text is None or not (is_string(text) or is_large_string(text) or is_string_view(text)):
                what = kind or ("there more than once" if field in schema.names else "missing")
                raise ProblemError(f"file {str(source)!r}: column {field!r} is {what}; give text")
            groups = file.metadata.num_row_groups
            packed = file.metadata.row_group(0).column(0).compression if groups else "SNAPPY"
            packed = "NONE" if packed == "UNCOMPRESSED" else packed  # the writer's name for it
            with pyarrow.parquet.ParquetWriter(out, schema, compression=packed) as writer:
                for batch in file.iter_batches(BATCH):
                    texts = batch.column(at).to_pylist()
                    changed = [text if text is None else apply_edits(text, edits_of(text)) for text in texts]
                    writer.write_batch(batch.set_column(at, schema.field(at), pyarrow.array(changed, kind)))
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise ProblemError(f"file {str(source)!r} can't be read: {first_line(error)}; give Parquet") from None
