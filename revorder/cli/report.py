"""revorder report: the scores of results that eval wrote."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from revorder.cli.common import Json, Wide, emit, show_table
from revorder.files import write_whole

if TYPE_CHECKING:
    from revorder.evaluation.scores import Result

Errors = Annotated[bool, typer.Option("--errors", help="Group what is wrong by the first wrong step.")]


def command(
    file: Annotated[Path, typer.Argument(help="A JSONL file that eval wrote.")],
    errors: Errors = False,
    wide: Wide = False,
    json_: Json = False,
) -> None:
    """Print the scores of a file of results, beside the paper's Table 1.

    Exit status 1 where a wrong answer was verified.
    """
    from revorder.evaluation.runner import load

    raise typer.Exit(print_report(load(file), errors, wide, json_))


def print_report(results: Sequence[Result], errors: bool, wide: bool, json_: bool) -> int:
    """Print the scores, and with `errors` what went wrong first; returns 1 where a wrong answer was verified, else 0."""
    from revorder.evaluation.scores import group_errors, score_tasks
    from revorder.evaluation.tables import errors_table, summary, table

    scores = score_tasks(results)
    groups = group_errors(results) if errors else {}
    if json_:
        for score in scores:
            emit(asdict(score) | {"percent": score.percent, "interval": score.interval})
        for (op, kind), rows in groups.items():
            emit({"op": op, "first_wrong": kind, "problems": len(rows), "examples": [asdict(row) for row in rows[:3]]})
    else:
        show_table(*table(scores, wide or not sys.stdout.isatty()), wide=wide)
        if errors:
            show_table(*errors_table(groups), title=None if groups else "no errors")
        print(summary(scores))
    return int(any(score.false_passes for score in scores))


def write_report(out: Path, results: Sequence[Result], errors: bool) -> None:
    """Write the same as Markdown."""
    from revorder.evaluation.scores import group_errors, score_tasks
    from revorder.evaluation.tables import errors_table, markdown, summary, table

    scores = score_tasks(results)
    groups = group_errors(results) if errors else {}
    parts = [markdown(*table(scores)), summary(scores), *([markdown(*errors_table(groups))] if groups else [])]
    write_whole(out, "\n\n".join(parts) + "\n")
