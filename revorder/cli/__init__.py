"""The command line: one file a command, each a thin layer over the package's functions.

Exit status: 0 done, 1 something is wrong or not verified, 2 bad input or a failure (one line on stderr says what).
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Annotated

import typer
from typer.exceptions import TyperException

from revorder.cli import (
    app,
    audit,
    check,
    cost,
    csid,
    data,
    eval,
    export,
    finetune,
    lm_eval_path,
    report,
    reproduce,
    rewrite,
    show,
    solve,
    train,
    verify,
)
from revorder.cli.common import say
from revorder.errors import ProblemError, first_line
from revorder.provenance import __version__

os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # a name that can't be looked up is told in one line, ours
PIPE_CLOSED = 141  # the exit status of a program that SIGPIPE ended

commands = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Exact arithmetic by language models: traces, judge, data, training and a small model that shows its work.",
)
PROBLEMS = (solve, show, csid, cost, eval)  # a problem may begin with a minus sign, and is no option then
OTHERS = (verify, check, report, reproduce, data, rewrite, train, finetune, export, app, audit, lm_eval_path)
NAMES = {module.__name__.rpartition(".")[2].replace("_", "-"): module for module in (*PROBLEMS, *OTHERS)}
for name, module in NAMES.items():
    commands.command(name, context_settings={"ignore_unknown_options": module in PROBLEMS})(module.command)


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"revorder {__version__}")
        raise typer.Exit


@commands.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=print_version, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; bad input, and output that can't be written, are one line on stderr, status 2.

    SIGTERM, which `timeout` and job schedulers send, is to it what Ctrl-C is: nothing half written is left, status 130.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if sys.stdout is None:
            raise OSError("stdout is closed")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # what a model wrote may not fit the encoding
        status = run(arguments)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as end:  # typer exits where a pipe is closed, and with 0 from completion
        status = 0 if isinstance(end, SystemExit) and end.code == 0 else PIPE_CLOSED
        drop_output()
    except OSError as error:
        status = 2
        say(f"{f'file {error.filename!r}' if error.filename else 'input or output'} failed: {first_line(error)}")
        drop_output()
    sys.exit(status)


def run(arguments: Sequence[str] | None) -> int:
    """Run a command; returns its exit status."""
    try:
        status = commands(arguments, standalone_mode=False) or 0
    except (ProblemError, TyperException) as error:
        status, message = 2, getattr(error, "format_message", error.__str__)()
        if message:  # there is none where help was printed
            say(with_input(message, sys.argv[1:] if arguments is None else arguments))
    if status == 130:
        say("interrupted")
    return status


def with_input(message: str, arguments: Sequence[str]) -> str:
    """A message with the value, or the commands, that typer leaves out.

    >>> with_input("Invalid value for '--n': Input should be a valid integer", ["eval", "table1", "--n", "abc"])
    "n 'abc': accepted: a valid integer"
    """
    if found := re.match(r"Invalid value for '--?([\w-]+)': Input should be (.*)", message, re.DOTALL):
        option, accepted = found.groups()
        given = [value for name, value in pairwise(arguments) if name.lstrip("-") == option]
        given += [text.partition("=")[2] for text in arguments if text.lstrip("-").startswith(f"{option}=")]
        if given:
            return f"{option} {given[-1]!r}: accepted: {accepted}"
    if message.startswith("No such command") and "mean" not in message:
        return f"{message.removesuffix('.')}; accepted: {', '.join(NAMES)}"
    return message


def drop_output() -> None:
    """Let go of what stdout still holds and can't write, or Python tries again as it ends, and says so."""
    with suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
