"""Shared parts of commands: options, the lines of stdin, output, and runs whose results are kept."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Optional

import typer
from typer.core import TyperCommand

from revorder.errors import ProblemError
from revorder.files import MAX_LINE, partial_of
from revorder.methods import METHODS
from revorder.model.checkpoint import DEFAULT, INFO_FILE, shipped
from revorder.processes import is_first_process
from revorder.reading.questions import read_expression

if TYPE_CHECKING:
    from revorder.evaluation.scores import Result

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an output file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
Method = Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")]
Form = Annotated[
    Optional[str], typer.Option(help="revorder: compact (the default) or expanded; blocks: 1 (the default), 2 or 3.")
]
Model = Annotated[
    Optional[str],
    typer.Option(
        "--model",
        "-m",
        help=f"A checkpoint folder, or a shipped model's name: {', '.join(shipped())}; by default {DEFAULT}.",
    ),
]
Problems = Annotated[list[str], typer.Argument(help="Problems such as 12*4567; - reads one a line from stdin.")]
Wide = Annotated[bool, typer.Option("--wide", help="All columns, however narrow the terminal is.")]

Errors = Annotated[bool, typer.Option("--errors", help="Group wrong answers by their first wrong step.")]


def results_name(out: Path | None) -> Path | None:
    if out and out.suffix != ".jsonl":
        raise ProblemError(f"out {str(out)!r}: give --out a name that ends in .jsonl")
    return out


Out = Annotated[
    Optional[Path],
    typer.Option(
        "--out",
        "-o",
        help="Write a row for each problem to this JSONL file, and the table to one in .md; resumes.",
        callback=results_name,
    ),
]
RunAgain = Annotated[bool, typer.Option("--overwrite", help="Run again, and replace the results in --out.")]

NOTICE = 30  # seconds between notices of long work off a terminal
READ = 1 << 20  # bytes of stdin read at once


def packaged(folder: str) -> str:
    """Return the names of the YAML files in a folder of the package.

    >>> packaged("mixtures")
    'authors, lean, paper, small'
    """
    return ", ".join(sorted(path.stem for path in (Path(__file__).parent.parent / folder).glob("*.yaml")))


# Help


class Command(TyperCommand):
    """A command whose help fits any terminal, and says FILE, N and TEXT for `<path>`, `<int range> [x>=1]`, `<str>`."""

    def __init__(self, name: str, *, help: str, **settings: Any) -> None:
        paragraphs = help.split("\n\n")  # of a docstring, whose lines end where code's do; an indented list stays
        help = "\n\n".join(part if "\n " in part else part.replace("\n", " ") for part in paragraphs)
        super().__init__(name, help=help, **settings)

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if param.param_type_name != "option":
                continue
            names = {int: "N", float: "X", str: "TEXT", Path: "FILE", bool: ""}
            kind = param.type_descriptor.annotation
            param.metavar = "" if param.is_flag else param.metavar or names.get(kind)
            param.min = param.max = None  # the check was built with the command
        return params


# Input


def given(**options: Any) -> dict[str, Any]:
    """Return the options that have a value.

    >>> given(n=0, seed=None)
    {'n': 0}
    """
    return {name: value for name, value in options.items() if value is not None}


class Line(NamedTuple):
    """A problem as it was given: its text, and its line if it comes from stdin, whose blank lines are kept."""

    text: str
    number: int | None = None

    @property
    def blank(self) -> bool:
        return self.number is not None and not self.text.strip()

    @property
    def name(self) -> str:
        """The beginning of a message about it.

        >>> Line("1+", 3).name, Line("1+").name
        ('line 3: ', '')
        """
        return "" if self.number is None else f"line {self.number}: "


def stdin_batches() -> Iterator[list[str]]:
    """Yield the lines of stdin as they arrive, in batches; skip a BOM, and replace bytes that are not UTF-8.

    Raises ProblemError if stdin is closed, or for a line that is too long.
    """
    if sys.stdin is None:
        raise ProblemError("stdin is closed; give lines of text on it")
    decoder, rest = getincrementaldecoder("utf-8-sig")("replace"), ""
    while read := sys.stdin.buffer.read1(READ):  # type: ignore[attr-defined] # waits only if nothing has arrived
        *lines, rest = (rest + decoder.decode(read)).split("\n")
        if lines:
            yield [line.rstrip("\r") for line in lines]
        if len(rest) > MAX_LINE:
            raise ProblemError(f"a line of stdin has more than {MAX_LINE} bytes, the most that is read")
    if rest := rest + decoder.decode(b"", final=True):
        yield [rest.rstrip("\r")]


def read_batches(problems: list[str]) -> Iterator[list[Line]]:
    """Yield the arguments as one batch, or for `-` the lines of stdin as they arrive.

    Raises ProblemError for a mistyped option.
    """
    for problem in problems:
        if re.match("--?[A-Za-z]", problem):
            raise ProblemError(f"option {problem!r} is unknown; --help lists the options")
        if "." in problem and os.path.isfile(problem):
            raise ProblemError(f"{problem!r} is a file; to read its lines, give - and: < {problem}")
    number = 0
    for problem in join_pieces(problems):
        if problem != "-":
            yield [Line(problem)]
            continue
        for batch in stdin_batches():
            yield [Line(text, number + i) for i, text in enumerate(batch, 1)]
            number += len(batch)


def each_problem(problems: list[str], work: Callable[[str], None], json_: bool) -> int:
    """Call `work`, which prints, with the text of each problem, and return the exit status.

    A blank line is printed as one. If `work` refuses a line of stdin, `error` is printed for it, and the other lines
    follow. Raises the ProblemError of an argument.
    """
    status = 0
    for line in chain.from_iterable(read_batches(problems)):
        if line.blank:
            print()
            continue
        try:
            work(line.text)
        except ProblemError as error:
            if line.number is None:
                raise
            status = 2
            tell("error", {"problem": line.text, "error": str(error)}, json_)
            say(f"{line.name}{error}")
    return status


def join_pieces(arguments: list[str]) -> list[str]:
    """Return arguments as problems: `12 + 34` is one problem if only its pieces together make one.

    >>> join_pieces(["12", "+", "34"]), join_pieces(["1+2", "3+4"]), join_pieces(["12", "-", "34"])
    (['12 + 34'], ['1+2', '3+4'], ['12 - 34'])
    """

    def parses(text: str) -> bool:
        try:
            return bool(read_expression(text))
        except ProblemError:
            return False

    whole = " ".join(arguments)
    pieces = [argument for argument in arguments[1:-1] if argument == "-"] or not all(
        argument == "-" or parses(argument) for argument in arguments
    )
    return [whole] if len(arguments) > 1 and pieces and parses(whole) else arguments


# Output


def say(line: str) -> None:
    """Print a line on stderr."""
    if sys.stderr:
        print(f"revorder: {line}", file=sys.stderr)


def emit(item: Any) -> None:
    """Print an item as a line of JSON on stdout, in ASCII."""
    print(json.dumps(item))


def tell(text: object, item: Any, json_: bool) -> None:
    """Print a text on stdout, or with `json_` an item as a line of JSON."""
    emit(item) if json_ else print(text)


def print_checkpoint(folder: Path | None, json_: bool) -> None:
    """Print the folder that a run wrote; exit with status 130 if it is None, since the run was interrupted and saved.

    Of several processes of a run only the first prints: only it waits until everything is written.
    """
    if folder is None:
        raise typer.Exit(130)
    if is_first_process():
        tell(folder, {"checkpoint": str(folder), **json.loads((folder / INFO_FILE).read_text())}, json_)


Cells = tuple[list[str], list[list[str]]]  # a table's header and rows


def show_table(full: Cells, short: Cells | None = None, title: str | None = None, wide: bool = False) -> None:
    """Print a table in the terminal's width, `short` if `full` does not fit; `wide`, or off a terminal, all of it."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def made(cells: Cells) -> Table:
        header, rows = cells
        table = Table(title=title)
        for name in header:
            table.add_column(name, overflow="fold", max_width=100)
        for row in rows:
            table.add_row(*map(Text, row))  # a model's text is not markup
        return table

    console, table = Console(), made(full)
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    if wide or not sys.stdout.isatty():
        console.width = max(console.width, needed)
    elif short and needed > console.width:
        table = made(short)
    console.print(table)


class Progress:
    """The progress of long work: a bar if stderr is a terminal, else a line every NOTICE seconds.

    The bar appears after `delay` seconds, with `quiet` never; stdout is left alone.
    """

    def __init__(self, what: str, total: int | None = None, quiet: bool = False, delay: float = 0) -> None:
        self._what, self._total, self._quiet = what, total, quiet
        self._done, self._bar = 0, None
        self._task: Any = None
        self._tty = sys.stderr is not None and sys.stderr.isatty()
        self._due = time.monotonic() + (delay if self._tty else NOTICE)

    def __enter__(self) -> Progress:
        self.advance(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def advance(self, n: int = 1) -> None:
        """Count `n` more items as done."""
        self._done += n
        if self._bar:
            self._bar.update(self._task, completed=self._done)
        elif not self._quiet and time.monotonic() >= self._due:
            if self._tty:
                self._start()
            else:
                self._due = time.monotonic() + NOTICE
                say(f"{self._what}: {self._done:,}" + (f" of {self._total:,}" if self._total else ""))

    def say(self, line: str) -> None:
        """Print a line on stderr, above the bar."""
        if self._bar:
            self._bar.console.print(f"revorder: {line}", markup=False, highlight=False, soft_wrap=True)
        else:
            say(line)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        # with a redirect, output for stdout would go to the terminal of stderr
        self._bar = Bar(
            *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._task = self._bar.add_task(self._what, total=self._total, completed=self._done)
        self._bar.start()


# Runs


def run_once(
    out: Path | None,
    settings: Mapping[str, Any],
    overwrite: bool,
    total: int,
    run: Callable[..., list[Result]],
) -> list[Result]:
    """Return the results of a run with these settings: those in `out`, or those of running it now, with progress.

    `run` is called with `progress` and `overwrite`. Raises ProblemError if `out` holds another run, or if the table
    beside it would replace a file of no run.
    """
    from revorder.evaluation.runner import finished

    kept = None if overwrite else out
    if kept and (table := kept.with_suffix(".md")).exists() and not (kept.exists() or partial_of(kept).exists()):
        raise ProblemError(f"file {str(table)!r} is of no run; choose another --out, or pass --overwrite")
    if kept and (results := finished(kept, settings)) is not None:
        say(f"{kept} holds this run already; pass --overwrite to run it again")
        return results
    with Progress("problems", total) as progress:
        return run(progress=progress.advance, overwrite=overwrite)
