"""The error that bad input raises, and how its message quotes input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class ProblemError(ValueError):
    """Bad input: the message is one line with the input, what is wrong with it, and what to do."""


def quote(text: str) -> str:
    """Return `text` in quotes for a message, shortened to 60 characters."""
    return repr(shorten(text))


def shorten(text: str) -> str:
    """Return the text, or its beginning and end if it has more than 60 characters.

    >>> len(shorten("1" * 1000))
    60
    """
    return text if len(text) <= 60 else f"{text[:40]}…{text[-19:]}"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message; of a system error, the message without its number and path.

    >>> first_line(ValueError("no such file\\nsee the manual")), first_line(OSError(2, "No such file", "in.jsonl"))
    ('no such file', 'No such file')
    """
    return (getattr(error, "strerror", None) or str(error).strip()).partition("\n")[0]


@contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Raise ProblemError with the extra to install if the imports inside fail.

    Args:
        what: what needs the imported library, for the message.
        extra: the extra of this package that installs the library.

    >>> with needs("GGUF", "gguf"):
    ...     import no_such_library
    Traceback (most recent call last):
    revorder.errors.ProblemError: GGUF needs no_such_library; install: pip install 'revorder[gguf]'
    """
    try:
        yield
    except ImportError as error:
        raise ProblemError(f"{what} needs {error.name}; install: pip install 'revorder[{extra}]'") from None
