"""The command line as tests use it: in this process, or as a user runs it."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from revorder.cli import main


@dataclass(frozen=True)
class Done:
    """What a command wrote, and its exit status."""

    stdout: str
    stderr: str
    returncode: int


@pytest.fixture
def revorder():
    """Run a command in this process, off a terminal."""

    def run(*arguments, stdin=""):
        with CliRunner().isolation(stdin, {"COLUMNS": "80"}) as (out, err, _):
            with pytest.raises(SystemExit) as end:
                main([str(argument) for argument in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            return Done(out.getvalue().decode(), err.getvalue().decode(), end.value.code)

    return run


@pytest.fixture
def process():
    """Run a command in a process of its own; its outputs are bytes where `stdin` is."""

    def run(*arguments, stdin="", **settings):
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120} | settings
        command = [sys.executable, "-m", "revorder", *map(str, arguments)]
        return subprocess.run(
            command, input=stdin, text=isinstance(stdin, str), env=os.environ, check=False, **settings
        )

    return run


@pytest.fixture
def refused(revorder):
    """Run a command that is refused; returns the one line that it says."""

    def run(*arguments, stdin=""):
        done = revorder(*arguments, stdin=stdin)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
        assert done.stderr.startswith("revorder: ")
        return done.stderr

    return run


@pytest.fixture
def terminal():
    """Run a command whose stderr is a terminal of `columns`, and stdout too where it goes to no file.

    Returns what the terminal got, colours aside, and the exit status. `code` runs before the command.
    """

    def run(*arguments, stdout=None, stdin="", code="", columns=80):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        program = f"from revorder.cli import main\n{code}\nmain({[str(argument) for argument in arguments]})"
        command = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=stdout or theirs,
            stderr=theirs,
            env={name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"},
        )
        os.close(theirs)
        feed = threading.Thread(target=command.communicate, args=(stdin.encode(),))
        feed.start()
        seen = b""
        try:
            while piece := os.read(ours, 4096):
                seen += piece
        except OSError:  # the terminal is closed
            pass
        feed.join()
        os.close(ours)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", seen.decode()), command.returncode

    return run
