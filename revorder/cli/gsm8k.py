"""revorder gsm8k: score word problems that a model solves, or a file of solutions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from revorder.cli.common import Errors, Json, Out, RunAgain, Wide, emit, run_once, say, show_table
from revorder.cli.endpoint import Api, BaseUrl, Timeout, identity, open_endpoint
from revorder.errors import ProblemError
from revorder.files import write_whole
from revorder.model.checkpoint import INFO_FILE, CheckpointInfo, checkpoint

if TYPE_CHECKING:
    from revorder.evaluation.word_problems.scoring import Attempt
    from revorder.evaluation.word_problems.solving import Completer

SOLVE = "Solving with a model"


def command(
    model: Annotated[
        Optional[str], typer.Option("--model", "-m", help="A language model: a Hugging Face folder or name.")
    ] = None,
    solutions: Annotated[
        Optional[Path], typer.Option(help="Score this JSONL file, which has solutions beside the right ones.")
    ] = None,
    out: Out = None,
    overwrite: RunAgain = False,
    errors: Errors = False,
    wide: Wide = False,
    json_: Json = False,
    n: Annotated[
        Optional[int],
        typer.Option(
            "--n", "-n", min=1, help="The first problems of the test set.", show_default="all", rich_help_panel=SOLVE
        ),
    ] = None,
    data: Annotated[
        Optional[str],
        typer.Option(
            help="GSM8K's folder, a JSONL file, or a Hugging Face dataset; $REVORDER_DATA names the folder too.",
            rich_help_panel=SOLVE,
        ),
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Problems solved at once.", rich_help_panel=SOLVE)] = 64,
    device: Annotated[
        Optional[str],
        typer.Option(help="Such as cpu or cuda:1.", show_default="a GPU if available", rich_help_panel=SOLVE),
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The most tokens of a solution.", rich_help_panel=SOLVE)] = 512,
    base_url: BaseUrl = None,
    api: Api = "chat",
    timeout: Timeout = 60,
) -> None:
    """Score solutions of GSM8K's word problems: answers, equations by operator, and first errors.

    Give --model to solve the test set, or --solutions to score a file. The exit status is 1 if no solution states an
    answer.

    Examples:
      revorder gsm8k --model DIR --out results.jsonl --errors
      revorder gsm8k --solutions solutions.jsonl
    """
    if solutions and (model or out):
        raise ProblemError("--solutions scores a file that exists; drop --model and --out, or drop --solutions")
    if solutions:
        from revorder.evaluation.word_problems.scoring import read_solutions

        raise typer.Exit(print_scores(read_solutions(solutions), errors, wide, json_))
    if not model:
        raise ProblemError("gsm8k: no model; give --model, a Hugging Face folder or name, or --solutions with a file")
    from revorder.evaluation.word_problems.solving import (
        SUITE,
        attempts_of,
        hash_of_problems,
        load_problems,
        write_solutions,
    )

    problems = load_problems(data, n)
    if base_url is None:
        solver, written_by = open_solver(model, batch, device, max_tokens)
    else:
        solver, written_by = open_endpoint(model, base_url, max_tokens, api=api, timeout=timeout)
    settings = {"suite": SUITE, "n": len(problems), "problems": hash_of_problems(problems)} | written_by
    solve = partial(write_solutions, solver, problems, out, settings, max_tokens)
    results = run_once(out, settings, overwrite, len(problems), solve)
    raise typer.Exit(print_scores(attempts_of(results, model), errors, wide, json_, out and out.with_suffix(".md")))


def open_solver(model: str, batch: int, device: str | None, max_tokens: int) -> tuple[Completer, dict[str, Any]]:
    """Return the model, and the settings that its solutions depend on."""
    from revorder.inference.transformers_runtime import TransformersRuntime

    trained = (checkpoint(model) / INFO_FILE).exists()
    if trained and CheckpointInfo.load(checkpoint(model)).places:
        raise ProblemError(f"model {model!r} knows no text but equations; give --model a language model")
    method = None if trained else "plain"  # solutions have no method
    runtime = TransformersRuntime(model, method, batch=batch, device=device)
    return runtime, identity(model) | {"max_tokens": max_tokens}


def print_scores(attempts: Iterable[Attempt], errors: bool, wide: bool, json_: bool, out: Path | None = None) -> int:
    """Print the scores of each system, the first errors, and with `errors` a wrong solution of each cause.

    Also write them to `out` as Markdown. Returns 1 if no solution states an answer, else 0.
    """
    from revorder.evaluation.tables import markdown
    from revorder.evaluation.word_problems.scoring import (
        check_solutions,
        errors_table,
        errors_text,
        group_wrong,
        score_system,
        table,
        unanswered,
    )

    systems = check_solutions(attempts)
    scores = [score_system(system, solutions) for system, solutions in systems.items()]
    for line in filter(None, map(unanswered, scores)):
        say(line)
    silent = int(all(solution.final is None for solutions in systems.values() for solution in solutions))
    if out:
        texts = [f"````text\n{errors_text(solutions)}\n````" for solutions in systems.values()] if errors else []
        write_whole(out, "\n\n".join([markdown(*table(scores)), markdown(*errors_table(scores)), *texts]) + "\n")
    if json_:
        for score in scores:
            emit(asdict(score))
        for system, solutions in systems.items() if errors else ():
            for cause, wrong in group_wrong(solutions).items():
                examples = [solution.attempt._asdict() for solution in wrong[:3]]
                emit({"system": system, "cause": cause, "solutions": len(wrong), "examples": examples})
        return silent
    show_table(table(scores), table(scores, wide=False), wide=wide)
    show_table(errors_table(scores), wide=wide)
    for system, solutions in systems.items() if errors else ():
        print(f"\n{system}\n\n{errors_text(solutions)}")
    return silent
