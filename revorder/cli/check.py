"""revorder check: which equations of a text are wrong, and why."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from revorder.arithmetic.expression import CURRENCY
from revorder.cli.check_output import MOST_REJECTED, Kept, Tally
from revorder.cli.common import Json, Overwrite, Progress, emit, say
from revorder.corpora.corpus import convert_jsonl, convert_parquet
from revorder.corpora.records import read_records
from revorder.corpora.rewriting import Edit, apply_edits
from revorder.errors import ProblemError, shorten
from revorder.files import read_text, refuse_existing, same_file, writable, written_whole
from revorder.reading.checking import Finding, check_text, fixes
from revorder.reading.numbers import NUMBER
from revorder.reading.sides import RIGHT, UNREAD, WRONG

RECORDS = (".jsonl", ".parquet")


def command(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES", help="Text or Markdown, JSONL or Parquet (by --field), or - for stdin."),
    ],
    field: Annotated[
        str,
        typer.Option(
            "--field", "-f", help="The field, or column, to read in JSONL and Parquet; in JSONL `a.b` is b in a."
        ),
    ] = "answer",
    fix: Annotated[
        bool, typer.Option("--fix", help="Write a copy with wrong results replaced if one number settles them (--out).")
    ] = False,
    out: Annotated[
        Optional[Path],
        typer.Option("--out", "-o", help="Write the findings to this JSONL file, and resume; with --fix, the copy."),
    ] = None,
    unread: Annotated[
        bool, typer.Option("--unread", help="Also show equations that can't be read for certain.")
    ] = False,
    overwrite: Overwrite = False,
    json_: Json = False,
) -> None:
    """Check every equation that texts state: in annotations, prose, LaTeX, chains and tables.

    Each is right, wrong (with the expected value and the likely cause), or unread and why. A rounded result is right if
    it has decimals or its text says that it is rounded. With --json a line holds a finding with byte offsets. The exit
    status is 1 if an equation is wrong or a record can't be read.
    """
    if fix and (not out or len(files) > 1 or files == ["-"]):
        raise ProblemError("--fix writes a copy of one file: give one file, and --out for the copy")
    if out:
        refuse(files, out, overwrite)
    shown = (WRONG, UNREAD) if unread else (WRONG,)
    kept = None if fix or not out else Kept(out, {**states(files), "field": field, "unread": unread}, overwrite)
    tally = kept.tally if kept else Tally(Counter(), Counter(), [])
    with Progress("texts", quiet=sys.stdout.isatty() and not json_ and not kept) as progress:
        progress.advance(tally.texts)
        everything = ((file, line, text) for file in files for line, text in texts_of(file, field))
        for file, line, text in islice(everything, tally.texts, None):
            progress.advance()
            rows: list[dict[str, Any]] = []
            if isinstance(text, ProblemError):
                tally.reject(f"{file}:{line}: {text}")
            else:
                tally.counts["texts"] += 1
                for found in check_text(text):
                    tally.count(found)
                    if found.verdict in shown:
                        place = line if line else text.count("\n", 0, found.start) + 1
                        if kept:
                            rows.append(as_json(file, place, found, text))
                        else:
                            show(file, place, found, text, json_)
            if kept:
                kept.add(rows)
    if tally.rejected and not tally.counts["texts"]:
        raise ProblemError(f"{tally.rejected[0]}; no text can be read: give the --field that holds it")
    if kept:
        kept.finish()
    for line in tally.rejected:
        say(line)
    if tally.counts["rejected"] > MOST_REJECTED:
        say(f"{tally.counts['rejected']:,} records can't be read")
    if fix and out:
        write_fixed(Path(files[0]), out, field)
    counts = {verdict: tally.counts[verdict] for verdict in (RIGHT, WRONG, UNREAD)}
    if json_:
        emit({"counts": counts, "causes": dict(tally.causes.most_common())})
    else:
        print(", ".join(f"{count:,} {verdict}" for verdict, count in counts.items()))
        for cause, count in tally.causes.most_common():
            print(f"  {count:,} {cause}")
    raise typer.Exit(1 if counts[WRONG] or tally.counts["rejected"] else 0)


def states(files: list[str]) -> dict[str, Any]:
    """Return the names of files with their sizes and times, by which a resumed check knows them again."""
    stats = [os.stat(file) if os.path.exists(file) else None for file in files]
    return {"files": files, "states": [stat and [stat.st_size, stat.st_mtime_ns] for stat in stats]}


def texts_of(file: str, field: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, text) of each record, or (0, text) of a whole file, or ProblemError for an unreadable record."""
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
    """Return a record's text, or ProblemError if it has none."""
    if isinstance(record, ProblemError):
        return record
    outer, dot, inner = field.partition(".")
    if dot and isinstance(record, dict) and field not in record and isinstance(record.get(outer), dict):
        return field_of(record[outer], inner)
    if not isinstance(record, dict) or field not in record:
        names = ", ".join(map(str, record)) if isinstance(record, dict) else "no object"
        return ProblemError(f"no field {field!r}; there are: {names}")
    value = record[field]
    return value if isinstance(value, str) else ProblemError(f"field {field!r} is not a text")


def show(file: str, line: int, found: Finding, text: str, json_: bool) -> None:
    """Print a finding: as a line, or as JSON."""
    if not json_:
        if found.verdict == UNREAD:
            print(f"{file}:{line}: unread: {shorten(found.equation)}: {found.cause}")
        else:
            print(
                f"{file}:{line}: {shorten(found.equation)} is {found.expected}, not {shorten(found.found)}:"
                f" {found.cause}"
            )
        return
    emit(as_json(file, line, found, text))


def as_json(file: str, line: int, found: Finding, text: str) -> dict[str, Any]:
    """Return a finding with its place, and offsets in bytes of the text (or field)."""
    start, end, at, to = (len(text[:n].encode(errors="replace")) for n in (found.start, found.end, found.at, found.to))
    return {"file": file, "line": line, **found._asdict(), "start": start, "end": end, "at": at, "to": to}


def edits_of(text: str) -> list[Edit]:
    """Return the edits that replace each wrong result by its expected value, if one number settles it."""
    edits: list[Edit] = []
    for found in check_text(text):
        if fixes(found) and found.at >= (edits[-1].end if edits else 0):
            stated = text[found.at : found.to]
            edits.append(Edit(found.at, found.to, restated(stated, found.expected)))
            behind = NUMBER.match(text, found.to + len(">>"))  # after an annotation the same number may stand once more
            if text.startswith(">>", found.to) and behind and behind[0] == stated:
                edits.append(Edit(*behind.span(), edits[-1].by))
    return edits


def restated(stated: str, expected: str) -> str:
    """Return the expected value with the currency, the separators and the cents of the stated one.

    >>> restated("-$1,200", "-1300"), restated("€48.00", "47"), restated("1324", "1234")
    ('-$1,300', '€47.00', '1234')
    """
    sign, digits = ("-", expected[1:]) if expected.startswith("-") else ("", expected)
    whole, _, behind = digits.partition(".")
    currency = next((char for char in stated if char in CURRENCY), "")
    if "−" in stated:
        sign = sign.replace("-", "−")
    if "," in stated:
        whole = f"{int(whole):,}".replace(",", "{,}" if "{,}" in stated else ",")
    if currency and "." in stated:
        behind = behind.ljust(len(stated.rstrip(")").rpartition(".")[2]), "0")
    return sign + currency + whole + ("." + behind if behind else "")


def refuse(files: list[str], out: Path, overwrite: bool) -> None:
    """Raise ProblemError if a file is missing or `out` can't be written, before anything is read."""
    for file in files:
        if file != "-" and not os.path.exists(file):
            raise ProblemError(f"file {file!r} does not exist; give a file, or - for stdin")
    writable(out)
    if any(same_file(0 if file == "-" else Path(file), out) for file in files):  # 0: stdin
        raise ProblemError(f"--out {str(out)!r} is the file that is read; choose another")
    refuse_existing(out, overwrite)


def write_fixed(source: Path, out: Path, field: str) -> None:
    """Write the copy of a file with its wrong results replaced, whole or not at all."""
    with ExitStack() as stack:
        temporary = stack.enter_context(written_whole(out))
        if source.suffix == ".jsonl":
            convert_jsonl(source, temporary, field, edits_of)
        elif source.suffix == ".parquet":
            convert_parquet(source, temporary, field, edits_of)
        else:
            text = read_text(source)
            temporary.write_bytes(apply_edits(text, edits_of(text)).encode())
