"""revorder csid: how many unwritten digits the hardest digit of a trace depends on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from revorder.arithmetic.expression import parse_problem
from revorder.cli.common import Form, Json, Method, Problems, each_problem, emit, show_table
from revorder.methods import find_method


def command(
    problems: Problems,
    method: Method = "plain",
    form: Form = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each written digit is computed from.")] = False,
    estimation: Annotated[bool, typer.Option("--estimation", help="Count quotient estimates too.")] = False,
    json_: Json = False,
) -> None:
    """Count the Sequential Intermediate Digits of an equation as a method writes it (section 3)."""
    from revorder.metrics import csid

    _, named = find_method(method, form)  # an unknown method gets one message, not one for each problem

    def work(text: str) -> None:
        problem = parse_problem(text.partition("=")[0])
        value = csid.csid(problem, method, form, estimation=estimation)
        n, m = sorted((len(str(problem.a)), len(str(problem.b))), reverse=True)
        worst = None if problem.remainder else csid.worst_case(problem.op, n, m, method, form)
        digits = csid.explain(problem, method, form) if explain else []
        if json_:
            item = {
                "problem": str(problem),
                "method": method,
                "form": named,
                "csid": value,
                "worst_case": worst,
            }
            emit(item | ({"digits": [asdict(digit) for digit in digits]} if explain else {}))
            return
        print(value)
        if explain:
            header = ["digit", "of", "place", "from", "SIDs (needed, not written)"]
            rows = [
                [
                    digit.char,
                    digit.of,
                    str(digit.place),
                    " ".join(digit.sources),
                    ", ".join(digit.sids) + (" (estimate)" if digit.estimated else ""),
                ]
                for digit in digits
            ]
            known = "" if worst is None else f", worst case {worst}"
            show_table((header, rows), title=f"{problem} by {method}: CSID {value}{known}")

    raise typer.Exit(each_problem(problems, work, json_))
