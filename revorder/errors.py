"""The one error that bad input raises, and how input is quoted in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class ProblemError(ValueError):
    """Bad input; the message is one line that names the input, what is wrong, and what is accepted."""


def quote(text: str) -> str:
    """Quote `text` for a message, shortened to 60 characters.

    >>> quote("12+x")
    "'12+x'"
    """
    return repr(shorten(text))


def shorten(text: str) -> str:
    """The text, or its beginning and end where it has more than 60 characters.

    >>> len(shorten("1" * 1000))
    60
    """
    return text if len(text) <= 60 else f"{text[:40]}…{text[-19:]}"


def first_line(error: BaseException) -> str:
    """The first line of an error's message, of a system's error without number and file, for a message of our own.

    >>> first_line(ValueError("no such file\\nsee the manual")), first_line(OSError(2, "No such file", "in.jsonl"))
    ('no such file', 'No such file')
    """
    return (getattr(error, "strerror", None) or str(error).strip()).partition("\n")[0]


@contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Where a library that `what` imports inside is missing, raise ProblemError naming the extra that installs it.

    >>> with needs("GGUF", "gguf"):
    ...     import no_such_library
    Traceback (most recent call last):
    revorder.errors.ProblemError: GGUF needs no_such_library; install: pip install 'revorder[gguf]'
    """
    try:
        yield
    except ImportError as error:
        raise ProblemError(f"{what} needs {error.name}; install: pip install 'revorder[{extra}]'") from None
