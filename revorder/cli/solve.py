"""revorder solve: answers, with every step judged."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Optional

import typer

from revorder.arithmetic.reduction import DECIMALS, MAX_DECIMALS
from revorder.cli.common import Json, Line, Model, Problems, Progress, emit, read_batches, say
from revorder.errors import quote
from revorder.inference.solver import BATCH, HOW, Solution, solve_many

DELAY = 0.5  # seconds before a bar is shown


def command(
    problems: Problems,
    model: Model = None,
    max_digits: Annotated[
        Optional[int], typer.Option(min=0, help="Operands with more digits go to Python's integers.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Show the work as the model writes it.")] = False,
    model_only: Annotated[
        bool, typer.Option("--model-only", help="Print the model's answers, marked if not verified; no repair.")
    ] = False,
    decimals: Annotated[
        Optional[int],
        typer.Option(
            min=0,
            max=MAX_DECIMALS,
            help=(
                f"Digits after the point; a longer quotient is rounded, a "
                f"half away from zero. Default: {DECIMALS} with a point, a percent or `//`, else a remainder."
            ),
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Solve expressions with the model, every step judged, and print one answer a line.

    Numbers are read as people write them: 1,234.5, .5, $3, 10%. 10% is always the number 0.1: 200+10% is 200.1.
    Python's integers replace the model's errors, and a line on stderr says so.
    Exit status: 0 all verified, 1 something not verified (--model-only), 2 bad input.
    """
    streamed = show and not json_
    write = (lambda piece: print(piece, end="", flush=True)) if streamed else None
    status, notes = 0, Notes()
    with Progress("problems", quiet=show or sys.stdout.isatty(), delay=DELAY) as progress:
        for batch in read_batches(problems):
            texts = [line.text for line in batch if not line.blank]
            solutions = solve_many(texts, model, max_digits, write, 1 if streamed else BATCH, model_only, decimals)
            for line in batch:
                if line.blank:
                    print()
                    continue
                solution = next(solutions)
                status = max(status, 2 if solution.error else 0 if solution.verified else 1)
                if json_:
                    emit(as_item(solution))
                elif solution.error:
                    print("error")
                elif solution.verified:
                    print(solution.answer)
                else:
                    print("not verified" + (f": {solution.answer}" if solution.answer else ""))
                if solution.error:
                    progress.say(f"{line.name}{solution.error}")
                notes.add(line, solution)
                progress.advance()
            sys.stdout.flush()
    for note in notes.lines():
        say(note)
    raise typer.Exit(status)


@dataclass(slots=True)
class Notes:
    """Notes, by kind, on operations that are not the model's own or not verified, and on rounded answers."""

    totals: Counter[str] = field(default_factory=Counter)  # of operations, and of answers
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    first: dict[tuple[str, str], tuple[str, str]] = field(
        default_factory=dict
    )  # the line of the first one, and the reason

    def add(self, line: Line, solution: Solution) -> None:
        """Count the operations of a solution, and its answer."""
        self.totals.update(operations=len(solution.steps), answers=1)
        for step in solution.steps:
            if step.by != "model" or not step.verified:
                why = f"{quote(str(step.problem))}: {step.reason}"
                self.note("operations", HOW.get(step.by, "not verified"), line, why)
        if solution.rounded:
            decimals = DECIMALS if solution.decimals is None else solution.decimals
            self.note("answers", f"rounded to {decimals} decimals", line, quote(line.text))

    def note(self, what: str, kind: str, line: Line, why: str) -> None:
        """Count one of a kind."""
        self.counts[what, kind] += 1
        self.first.setdefault((what, kind), (line.name, why))

    def lines(self) -> Iterator[str]:
        """Return a line for each kind: the one operation and the reason, or their number and the first one."""
        for (what, kind), count in self.counts.items():
            line, why = self.first[what, kind]
            many = f"{count:,} of {self.totals[what]:,} {what} {kind}; first: {line}{why}"
            yield f"{line}{kind}: {why}" if count == 1 else many


def as_item(solution: Solution) -> dict[str, Any]:
    """Return a solution as --json writes it."""
    steps = [{**asdict(step), "problem": str(step.problem)} for step in solution.steps]
    return asdict(solution) | {"steps": steps}
