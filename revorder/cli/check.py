"""revorder check: which equations of a text are wrong, and why."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from revorder.cli.common import Json, Overwrite, Progress, emit, say
from revorder.corpora.corpus import convert_jsonl, convert_parquet
from revorder.corpora.records import read_records
from revorder.corpora.rewriting import Edit, apply_edits
from revorder.errors import ProblemError, shorten
from revorder.files import read_text, refuse_existing, same_file, written_whole
from revorder.reading.checking import RIGHT, UNREAD, WRONG, Finding, check_text, fixes

RECORDS = (".jsonl", ".parquet")
MOST_REJECTED = 3  # that are named, each in a line


def command(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES", help="Text or Markdown, JSONL or Parquet (by --field), or - for stdin."),
    ],
    field: Annotated[
        str, typer.Option("--field", "-f", help="The field, or column, to read in JSONL and Parquet.")
    ] = "answer",
    fix: Annotated[
        bool, typer.Option("--fix", help="Write a copy with wrong results replaced if one number settles them (--out).")
    ] = False,
    out: Annotated[Optional[Path], typer.Option("--out", "-o", help="With --fix: the copy; of one file.")] = None,
    unread: Annotated[
        bool, typer.Option("--unread", help="Also show equations that can't be read for certain.")
    ] = False,
    overwrite: Overwrite = False,
    json_: Json = False,
) -> None:
    """Check every equation that texts state: in annotations, prose, LaTeX, chains and tables.

    Each is right, wrong (with the expected value and the likely cause), or unread and why. A rounded result is right if it
    has decimals or its line says that it is rounded. With --json a line holds a finding with byte offsets. The exit status
    is 1 if an equation is wrong.
    """
    if fix != bool(out) or (fix and (len(files) > 1 or files == ["-"])):
        raise ProblemError("--fix writes a copy of one file: give one file, and --out for the copy")
    if out:
        refuse(Path(files[0]), out, overwrite)
    counts: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    rejected: list[str] = []
    shown = (WRONG, UNREAD) if unread else (WRONG,)
    with Progress("texts", quiet=sys.stdout.isatty() and not json_) as progress:
        for file in files:
            for line, text in texts_of(file, field):
                progress.advance()
                if isinstance(text, ProblemError):
                    counts["rejected"] += 1
                    rejected.append(f"{file}:{line}: {text}")
                    del rejected[MOST_REJECTED:]
                    continue
                counts["texts"] += 1
                for found in check_text(text):
                    counts[found.verdict] += 1
                    if found.verdict == WRONG:
                        causes[found.cause] += 1
                    if found.verdict in shown:
                        place = line if line else text.count("\n", 0, found.start) + 1
                        show(file, place, found, text, json_)
    if counts["rejected"] and not counts["texts"]:
        raise ProblemError(f"{rejected[0]}; no text can be read: give the --field that holds it")
    for line in rejected:
        say(line)
    if counts["rejected"] > MOST_REJECTED:
        say(f"{counts['rejected']:,} records can't be read")
    if fix and out:
        write_fixed(Path(files[0]), out, field)
    if json_:
        emit(
            {
                "counts": {verdict: counts[verdict] for verdict in (RIGHT, WRONG, UNREAD)},
                "causes": dict(causes.most_common()),
            }
        )
    else:
        print(", ".join(f"{counts[verdict]:,} {verdict}" for verdict in (RIGHT, WRONG, UNREAD)))
        for cause, count in causes.most_common():
            print(f"  {count:,} {cause}")
    raise typer.Exit(1 if counts[WRONG] or counts["rejected"] else 0)


def texts_of(file: str, field: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, text) of each record, or (0, text) of a whole file; a record that can't be read is a ProblemError."""
    if file == "-":
        if sys.stdin is None:
            raise ProblemError("stdin is closed; give a file, or pipe a text")
        yield 0, sys.stdin.buffer.read().decode("utf-8", "replace")
    elif Path(file).suffix in RECORDS:
        for line, record in read_records(Path(file), (field,)):
            yield line, field_of(record, field)
    else:
        yield 0, read_text(Path(file))


def field_of(record: Any, field: str) -> str | ProblemError:
    """Return a record's text; a ProblemError if it has none."""
    if isinstance(record, ProblemError):
        return record
    if not isinstance(record, dict) or field not in record:
        names = ", ".join(map(str, record)) if isinstance(record, dict) else "no object"
        return ProblemError(f"no field {field!r}; there are: {names}")
    value = record[field]
    return value if isinstance(value, str) else ProblemError(f"field {field!r} is not a text")


def show(file: str, line: int, found: Finding, text: str, json_: bool) -> None:
    """Print a finding: as a line, or as JSON with offsets in bytes of the text (or field)."""
    if not json_:
        if found.verdict == UNREAD:
            print(f"{file}:{line}: unread: {shorten(found.equation)}: {found.cause}")
        else:
            print(
                f"{file}:{line}: {shorten(found.equation)} is {found.expected}, not {shorten(found.found)}: {found.cause}"
            )
        return
    start, end, at, to = (len(text[:n].encode(errors="replace")) for n in (found.start, found.end, found.at, found.to))
    emit({"file": file, "line": line, **found._asdict(), "start": start, "end": end, "at": at, "to": to})


def edits_of(text: str) -> list[Edit]:
    """Return the edits that put the expected value in place of every wrong result that one number settles."""
    edits: list[Edit] = []
    for found in check_text(text):
        if fixes(found) and found.at >= (edits[-1].end if edits else 0):
            stated = text[found.at : found.to]
            edits.append(Edit(found.at, found.to, ("$" if stated.startswith("$") else "") + found.expected))
            follows = found.to + 2  # the number behind an annotation is the same
            if text.startswith(">>", found.to) and text.startswith(stated, follows):
                after = text[follows + len(stated) : follows + len(stated) + 1]
                if not after.isdigit():
                    edits.append(Edit(follows, follows + len(stated), edits[-1].by))
    return edits


def refuse(source: Path, out: Path, overwrite: bool) -> None:
    """Raise ProblemError if the copy can't be written there, before anything is read."""
    if same_file(source, out):
        raise ProblemError(f"--out {str(out)!r} is the file that is read; choose another")
    refuse_existing(out, overwrite)


def write_fixed(source: Path, out: Path, field: str) -> None:
    """Write the copy of a file with its wrong results replaced, whole or not at all."""
    with ExitStack() as stack:
        temporary = stack.enter_context(written_whole(out))
        reject = lambda number, why, text: say(f"{source}:{number}: {why}")  # noqa: E731
        if source.suffix == ".jsonl":
            convert_jsonl(source, temporary, field, edits_of, reject)
        elif source.suffix == ".parquet":
            convert_parquet(source, temporary, field, edits_of, reject)
        else:
            text = read_text(source)
            temporary.write_text(apply_edits(text, edits_of(text)), encoding="utf-8")
