"""Read records from JSONL and Parquet one at a time, and report unreadable lines by number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from revorder.errors import ProblemError, first_line, needs
from revorder.files import MAX_LINE

BATCH = 4096  # Parquet rows in memory at once
BOM = b"\xef\xbb\xbf"


def read_lines(file: IO[bytes]) -> Iterator[bytes | ProblemError]:
    """Yield the lines of a file with their line ends, and a ProblemError in place of a line longer than MAX_LINE."""
    while line := file.readline(MAX_LINE):
        if len(line) < MAX_LINE or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE)
        yield ProblemError(f"the line has more than {MAX_LINE} bytes")


def read_jsonl(lines: Iterable[bytes | ProblemError]) -> Iterator[tuple[int, Any]]:
    """Yield (line number, record) for each line that is not blank, with a ProblemError in place of a bad record.

    Numbers are kept as text, exactly as written.

    >>> list(read_jsonl([b'{"answer": 1.50}', b"{"]))[0]
    (1, {'answer': '1.50'})
    """
    for number, line in enumerate(lines, 1):
        if isinstance(line, ProblemError):
            yield number, line
        elif body := line.removeprefix(BOM if number == 1 else b"").strip():
            try:
                yield number, json.loads(body.decode("utf-8"), parse_int=str, parse_float=str)
            except (ValueError, RecursionError) as error:
                yield number, ProblemError(reason(error))


def read_parquet(source: Path, fields: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield (row number, record) for each row of a Parquet file, with only `fields`. Raises ProblemError on failure."""
    with needs("Parquet", "data"):
        import pyarrow
        import pyarrow.parquet
    try:
        with pyarrow.parquet.ParquetFile(source) as file:
            names = file.schema_arrow.names
            for field in fields:
                if field not in names:
                    raise ProblemError(f"file {str(source)!r}: no column {field!r}; there are: {', '.join(names)}")
            batches = file.iter_batches(BATCH, columns=list(fields))
            yield from enumerate(chain.from_iterable(batch.to_pylist() for batch in batches), 1)
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise ProblemError(f"file {str(source)!r} can't be read: {first_line(error)}; give Parquet") from None


def read_records(source: Path, fields: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield (line number, record) for each record of a JSONL or Parquet file. Raises ProblemError on failure."""
    try:
        if source.suffix == ".parquet":
            yield from read_parquet(source, fields)
        else:
            with source.open("rb") as file:
                yield from read_jsonl(read_lines(file))
    except OSError as error:
        raise ProblemError(
            f"file {str(source)!r} can't be read: {first_line(error)}; give JSONL, or Parquet (.parquet)"
        ) from None


def read_texts(source: Path, *fields: str) -> Iterator[tuple[str, ...]]:
    """Yield the texts of `fields` in each record of a file. Raises ProblemError that names the file and the line."""
    for number, record in read_records(source, fields):
        texts = [record.get(field) for field in fields] if isinstance(record, dict) else []
        found = tuple(text for text in texts if isinstance(text, str))
        if len(found) < len(fields):
            wrong = record if isinstance(record, ProblemError) else "not a record of texts"
            raise ProblemError(f"file {str(source)!r}, line {number}: {wrong}; give {' and '.join(fields)}")
        yield found


def reason(error: Exception) -> str:
    """Return why a line can't be read."""
    if isinstance(error, ProblemError):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason} at byte {error.start + 1}"
    return f"not JSON: {'nested too deep' if isinstance(error, RecursionError) else first_line(error)}"
