"""revorder solve: answers, every step judged."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Optional

import typer

from revorder.cli.common import Json, Line, Model, Problems, Progress, emit, read_batches, say
from revorder.errors import quote
from revorder.inference.solver import BATCH, Solution, solve_many

DELAY = 0.5  # seconds before a bar is shown
KINDS = {"tool": "by Python's integers", "repaired": "repaired by Python's integers"}  # of what a step's `by` says


def command(
    problems: Problems,
    model: Model = None,
    max_digits: Annotated[
        Optional[int], typer.Option(min=0, help="Operands with more digits go to Python's integers.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Show the work as the model writes it.")] = False,
    model_only: Annotated[
        bool, typer.Option("--model-only", help="What the model says, marked where it is not verified; no repair.")
    ] = False,
    json_: Json = False,
) -> None:
    """Solve expressions with the model, every step judged: one answer a line on stdout.

    What the model gets wrong is computed by Python's integers, and a line on stderr says so.
    Exit status: 0 all verified, 1 something not verified (--model-only), 2 bad input.
    """
    streamed = show and not json_
    write = (lambda piece: print(piece, end="", flush=True)) if streamed else None
    status, notes = 0, Notes()
    with Progress("problems", quiet=show or sys.stdout.isatty(), delay=DELAY) as progress:
        for batch in read_batches(problems):
            texts = [line.text for line in batch if not line.blank]
            solutions = solve_many(texts, model, max_digits, write, 1 if streamed else BATCH, model_only)
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
    """The operations that are not the model's own work, or not verified, summed up by kind."""

    total: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[str, str]] = field(default_factory=dict)  # the line of the first one, and why

    def add(self, line: Line, solution: Solution) -> None:
        """Count the operations of a solution."""
        self.total += len(solution.steps)
        for step in solution.steps:
            if step.by != "model" or not step.verified:
                kind = KINDS.get(step.by, "not verified")
                self.counts[kind] += 1
                self.first.setdefault(kind, (line.name, f"{quote(str(step.problem))}: {step.reason}"))

    def lines(self) -> Iterator[str]:
        """A line a kind: which operation it is and why, or how many they are, and the first of them."""
        for kind, count in self.counts.items():
            line, why = self.first[kind]
            if count == 1:
                yield f"{line}{kind}: {why}"
            else:
                yield f"{count:,} of {self.total:,} operations {kind}; first: {line}{why}"


def as_item(solution: Solution) -> dict[str, Any]:
    """A solution as --json writes it."""
    item = {
        name: getattr(solution, name) for name in ("problem", "answer", "trace", "verified", "by", "reason", "error")
    }
    return item | {"steps": [{**asdict(step), "problem": str(step.problem)} for step in solution.steps]}
