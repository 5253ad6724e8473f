"""BIG-bench arithmetic: 15,023 problems of four operations and 1 to 5 digits, for evaluation only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from revorder.arithmetic.problem import Problem
from revorder.corpora.locate import find_folder, read_hub
from revorder.corpora.records import read_texts
from revorder.errors import ProblemError, quote

NAMES = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division"}
_WORDS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/"}
_ASKED = re.compile(r"What is ([0-9]+) (plus|minus|times|divided by) ([0-9]+)\?")


def read_question(text: str) -> Problem:
    """Return the problem of a question. Raises ProblemError if BIG-bench does not ask that way.

    >>> str(read_question("What is 697 times 205?"))
    '697*205'
    """
    match = _ASKED.search(text)
    if not match:
        raise ProblemError(f"question {quote(text)}: accepted: 'What is 697 times 205?'")
    return Problem(int(match[1]), _WORDS[match[2]], int(match[3]))


def load(
    data: str | None = None, ops: Iterable[str] = "+-*/", digits: Iterable[int] = range(1, 6)
) -> dict[str, list[Problem]]:
    """Return the problems of each task, by the task's name: `ADD 1D` to `DIV 5D`.

    Args:
        data: A folder of `<n>_digit_<operation>.jsonl` files, or the name of a Hugging Face dataset. By default the
            data are read from $REVORDER_DATA.
        ops: The operations, of `+-*/`.
        digits: The number of digits of the longer operand, 1 to 5.

    Raises:
        ProblemError: The data are missing, or a stated target is not the exact answer.
    """
    folder = folder_of(data)
    if folder is None and data is None:
        raise ProblemError(
            "BIG-bench data: not found in $REVORDER_DATA; give --data with a folder of "
            "<n>_digit_<operation>.jsonl files, or with a Hugging Face dataset such as tasksource/bigbench"
        )
    tasks: dict[str, list[Problem]] = {}
    rows = None if folder else read_hub(str(data), "arithmetic", hub_rows)
    for op in ops:
        for n in digits:
            if folder:
                pairs = list(read_texts(folder / f"{n}_digit_{NAMES[op]}.jsonl", "input", "target"))
            else:
                pairs = [row for row in rows or [] if in_task(row[0], op, n)]
            tasks[f"{NAMES[op][:3].upper()} {n}D"] = [read_row(*pair) for pair in pairs]
    return tasks


def folder_of(data: str | None) -> Path | None:
    """Return the folder of the problems, None if there is none: `data`, or by default one in $REVORDER_DATA."""
    return find_folder(data, "bigbench_arithmetic", f"1_digit_{NAMES['+']}.jsonl")


def read_row(question: str, target: str) -> Problem:
    """Return the problem of a question. Raises ProblemError if the stated target is not its exact answer."""
    problem = read_question(question)
    if target.strip() != problem.answer:
        raise ProblemError(f"question {quote(question)}: the stated target {target!r} is not {problem.answer}")
    return problem


def hub_rows(parts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (question, target) of each row in all splits of a Hugging Face dataset."""
    return [(row["inputs"], row["targets"][0]) for part in parts.values() for row in part]


def in_task(question: str, op: str, n: int) -> bool:
    """Whether a question belongs to the n-digit task of an operation: its longer operand has n digits.

    >>> in_task("What is 697 times 5?", "*", 3)
    True
    """
    try:
        problem = read_question(question)
    except ProblemError:
        return False
    return problem.op == op and problem.digits == n


def packed_fingerprints(data: str | None = None) -> bytes:
    """Return the content of `mixtures/bigbench.fingerprints`: 4 bytes for each problem of 3 to 5 digits, sorted.

    Raises the same ProblemErrors as `load`.
    """
    from array import array

    from revorder.mixtures.split import fingerprint

    problems = [problem for task in load(data, digits=range(3, 6)).values() for problem in task]
    return array("I", sorted({fingerprint(p.a, p.op, p.b) & 0xFFFFFFFF for p in problems})).tobytes()
