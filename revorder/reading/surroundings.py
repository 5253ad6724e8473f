"""Surroundings: the line, the sentence or the clause that a place of a text stands in."""

from __future__ import annotations

import re

NEAR = 100  # characters before a place that are searched first, since most clauses are short
REACH = 2000  # characters before and behind a place that are searched, so that time stays linear
SENTENCE_END = re.compile(r"[.!?](?!\S)|\n")
CLAUSE_END = re.compile(r"[.!?](?!\S)|[:;\n]")


def line_around(text: str, start: int, end: int) -> str:
    """Return the line that a place stands in, up to REACH characters before and behind it, so that time stays linear.

    >>> line_around("First.\\nAbout 10/3 = 3 left.\\nLast.", 13, 21)
    'About 10/3 = 3 left.'
    """
    first, last = max(0, start - REACH), end + REACH
    newline = text.find("\n", end, last)
    return text[max(first, text.rfind("\n", first, start) + 1) : newline if newline >= 0 else last]


def since(ends: re.Pattern[str], text: str, start: int) -> int:
    """Return the start of the clause or sentence of a place: the last of the `ends` before it, at most REACH before.

    >>> since(SENTENCE_END, "First. About 10/3 = 3.", 13)
    6
    """
    first = start
    for reach in (NEAR, REACH):
        first = max(0, start - reach)
        if found := [end.end() for end in ends.finditer(text, first, start)]:
            return found[-1]
    return first


def around(ends: re.Pattern[str], text: str, start: int, end: int) -> str:
    """Return the text between two of the `ends` that a place stands in, at most REACH characters before and behind it.

    >>> around(SENTENCE_END, "First. About 10/3 = 3 left. Last.", 13, 21)
    ' About 10/3 = 3 left'
    """
    last = ends.search(text, end, end + REACH)
    return text[since(ends, text, start) : last.start() if last else end + REACH]
