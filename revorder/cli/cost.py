"""revorder cost: the tokens of a problem's trace by every method."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Optional

import typer

from revorder.arithmetic.expression import parse_problem
from revorder.cli.common import Json, Problems, each_problem, emit, show_table
from revorder.errors import ProblemError
from revorder.methods import METHODS
from revorder.model.checkpoint import checkpoint


def command(
    problems: Problems,
    tokenizer: Annotated[
        Optional[str],
        typer.Option(help="A Hugging Face tokenizer, by folder or name; by default, characters."),
    ] = None,
    json_: Json = False,
) -> None:
    """Count the tokens of a problem's trace by every method, and those beyond the plain equation (section 5.4.2)."""
    from revorder.metrics.token_cost import cost, counter, extra

    count = counter(tokenizer and str(checkpoint(tokenizer)))

    def work(text: str) -> None:
        problem = parse_problem(text)
        rows: list[dict[str, Any]] = []
        for name, form in METHODS.all_forms():
            row = {"problem": str(problem), "method": name, "form": form, "tokens": None, "extra": None}
            with suppress(ProblemError):  # a method may refuse a problem that is too long for it
                row |= {"tokens": cost(problem, name, form, count), "extra": extra(problem, name, form, count)}
            rows.append(row)
        if json_:
            for row in rows:
                emit(row)
        else:
            cells = [["-" if cell is None else str(cell) for cell in list(row.values())[1:]] for row in rows]
            show_table((["method", "form", "tokens", "extra"], cells), title=str(problem))

    raise typer.Exit(each_problem(problems, work, json_))
