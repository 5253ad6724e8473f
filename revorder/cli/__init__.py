"""The command line: one file a command, each a thin layer over the package's functions.

Exit status: 0 done, 1 something is wrong or not verified, 2 bad input or a failure (explained in one line on stderr).
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
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
    gsm8k,
    lm_eval_path,
    report,
    reproduce,
    rewrite,
    show,
    solve,
    train,
    verify,
)
from revorder.cli.common import Command, say
from revorder.errors import ProblemError, first_line
from revorder.provenance import __version__

os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # a name that can't be looked up gets one line of ours
INTERRUPTED, TERMINATED = 130, 143  # the exit statuses of programs that SIGINT and SIGTERM ended
PIPE_CLOSED = 141  # the exit status of a program that SIGPIPE ended

commands = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Exact arithmetic by language models: traces, judge, data, training and a small model that shows its work.",
)
GROUPS = {
    "Use": (solve, show, app),
    "Judge": (verify, check, audit, csid, cost),
    "Data": (data, rewrite),
    "Train": (train, finetune),
    "Evaluate": (eval, gsm8k, report),
    "Paper": (reproduce,),
    "Tools": (export, lm_eval_path),
}
PROBLEMS = (solve, show, csid, cost, eval)  # a problem may begin with a minus sign; it is not an option then
NAMES: list[str] = []
for group, modules in GROUPS.items():
    for module in modules:
        NAMES.append(module.__name__.rpartition(".")[2].replace("_", "-"))
        settings = {"ignore_unknown_options": module in PROBLEMS}
        commands.command(NAMES[-1], cls=Command, context_settings=settings, rich_help_panel=group)(module.command)


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


received: list[int] = []  # SIGINT or SIGTERM, once received


def interrupt(number: int, frame: object) -> None:
    received.append(number)
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; bad input, and output that can't be written, are one line on stderr, status 2.

    Like Ctrl-C, SIGTERM, which `timeout` and job schedulers send, leaves nothing half written; the status is 143.
    """
    received.clear()
    if threading.current_thread() is threading.main_thread():
        for number, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
            if signal.getsignal(number) is usual:
                signal.signal(number, interrupt)
    try:
        if sys.stdout is None:
            raise OSError("stdout is closed")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # the encoding may lack characters of a model's text
        status = run(arguments)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as end:  # typer exits if a pipe is closed, and with 0 from completion
        status = 0 if isinstance(end, SystemExit) and end.code == 0 else PIPE_CLOSED
        drop_output()
    except (KeyboardInterrupt, Exception) as error:
        if received or isinstance(error, KeyboardInterrupt):  # a library may have turned it into another error
            status = stopped()
        elif lacks_memory(error):
            status = 2
            say("memory is too little for this command; free some, or raise the limit (ulimit -v)")
        elif isinstance(error, OSError):
            status = 2
            say(f"{f'file {error.filename!r}' if error.filename else 'input or output'} failed: {first_line(error)}")
            drop_output()
        else:
            raise
    sys.exit(status)


def stopped() -> int:
    """Report that a signal ended the command, and return the exit status."""
    terminated = signal.SIGTERM in received
    say("terminated" if terminated else "interrupted")
    return TERMINATED if terminated else INTERRUPTED


def run(arguments: Sequence[str] | None) -> int:
    """Run a command, and return its exit status."""
    try:
        status = commands(arguments, standalone_mode=False) or 0
    except (ProblemError, TyperException) as error:
        status, message = 2, explain(error)
        if message:  # help has no message
            say(message)
    return stopped() if status == INTERRUPTED else status


def lacks_memory(error: BaseException) -> bool:
    """Whether an error, also a library's, means that memory could not be allocated.

    >>> lacks_memory(RuntimeError("mkl_malloc: failed to allocate memory")), lacks_memory(RuntimeError("no such layer"))
    (True, False)
    """
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(
        words in said
        for words in (
            "allocate memory",
            "failed to map segment",
            "bad_alloc",
            "out of memory",
            "can't start new thread",
        )
    )


def explain(error: Exception) -> str:
    """Return an error's message, with the value that typer leaves out: `--n '0' should be greater than or equal to
    1`."""
    message = getattr(error, "format_message", error.__str__)()
    _, colon, wrong = message.partition(": Input ")
    if colon and isinstance(error, typer.BadParameter) and hasattr(error.__cause__, "errors"):
        option = max(getattr(error.param, "opts", [""]), key=len)
        return f"{option} {error.__cause__.errors()[0]['input']!r} {wrong}"  # type: ignore[union-attr]
    if message.startswith("No such command") and "mean" not in message:
        return f"{message.removesuffix('.')}; accepted: {', '.join(NAMES)}"
    return message


def drop_output() -> None:
    """Drop output that stdout holds and can't write; otherwise Python tries again at its end, and complains."""
    with suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
