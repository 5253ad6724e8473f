"""revorder show: the trace of a problem."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Form, Json, Method, Overwrite, Problems, each_problem, emit
from revorder.errors import ProblemError, quote
from revorder.files import refuse_existing, writable, write_whole
from revorder.methods import find_method, trace


def command(
    problems: Problems,
    method: Method = "revorder",
    form: Form = None,
    rollback: Annotated[
        Optional[list[str]], typer.Option(metavar="PLACE:DIGIT", help="Write a wrong quotient digit and take it back.")
    ] = None,
    answer: Annotated[Optional[bool], typer.Option("--answer/--no-answer", help="End with the forward answer.")] = None,
    html: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="Also write a page that shows what each digit is computed from."),
    ] = None,
    overwrite: Overwrite = False,
    json_: Json = False,
) -> None:
    """Write the trace of a problem with a method.

    Traces of several lines have a blank line between them.
    """
    from revorder.rendering.trace_html import page, picture

    plan = read_rollback(rollback or [])
    if html:
        writable(html)  # before any trace is shown
        refuse_existing(html, overwrite)
    pictures: list[str] = []
    several = find_method(method, form)[0].multiline
    before = ""

    def work(text: str) -> None:
        nonlocal before
        made = trace(text, method, form, plan, answer)
        if html:
            pictures.append(picture(made.text, method, made.form))
        if json_:
            emit(
                {
                    "problem": str(made.problem),
                    "method": method,
                    "form": made.form,
                    "text": made.text,
                    "answer": made.answer,
                    "steps": [step.text for step in made.steps],
                }
            )
            return
        if before and (several or "\n" in before + made.text):
            print()
        print(made.text)
        before = made.text

    status = each_problem(problems, work, json_)
    if html:
        write_whole(html, page(pictures, f"Traces by {method}"))
    raise typer.Exit(status)


def read_rollback(items: list[str]) -> dict[int, list[int]]:
    """Return PLACE:DIGIT items as {place: digits}; raises ProblemError for another item.

    >>> read_rollback(["0:8", "0:9", "-1:4"])
    {0: [8, 9], -1: [4]}
    """
    plan: dict[int, list[int]] = {}
    for item in items:
        place, colon, digit = item.partition(":")
        if not (colon and re.fullmatch("-?[0-9]{1,4}", place) and re.fullmatch("[0-9]{1,3}", digit)):
            raise ProblemError(
                f"rollback {quote(item)}: accepted: PLACE:DIGIT, such as 0:8 (0 is the quotient's first digit)"
            )
        plan.setdefault(int(place), []).append(int(digit))
    return plan
