"""What `revorder eval gsm8k` does: word problems solved by a model, or read from a file of solutions, and scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from revorder.cli.common import emit, run_once, show_table
from revorder.files import write_whole

if TYPE_CHECKING:
    from revorder.corpora.gsm8k import WordProblem
    from revorder.evaluation.word_problems.scoring import Attempt
    from revorder.evaluation.word_problems.solving import Completer


def score_file(path: Path, errors: bool, wide: bool, json_: bool) -> None:
    """Print the scores of a file of solutions, and what went wrong first."""
    from revorder.evaluation.word_problems.scoring import read_solutions

    print_scores(read_solutions(path), errors, wide, json_)


def solve_problems(
    writer: Completer,
    problems: Sequence[WordProblem],
    written_by: Mapping[str, Any],
    out: Path | None,
    overwrite: bool,
    errors: bool,
    wide: bool,
    json_: bool,
) -> None:
    """Let a model solve problems, in at most `max_tokens` of `written_by` each, and print as `score_file` does."""
    from revorder.evaluation.suites import hash_of
    from revorder.evaluation.word_problems.solving import SUITE, attempts_of, write_solutions

    settings = {"suite": SUITE, "n": len(problems), "problems": hash_of({SUITE: problems})} | dict(written_by)
    solve = partial(write_solutions, writer, problems, out, settings, written_by["max_tokens"])
    results = run_once(out, settings, overwrite, len(problems), solve)
    attempts = attempts_of(results, str(written_by["model"]))
    print_scores(attempts, errors, wide, json_, out and out.with_suffix(".md"))


def print_scores(attempts: Iterable[Attempt], errors: bool, wide: bool, json_: bool, out: Path | None = None) -> None:
    """Print the scores of each system, what went wrong first, and with `errors` a wrong solution of each cause.

    They are written to `out` as Markdown.
    """
    from revorder.evaluation.tables import markdown
    from revorder.evaluation.word_problems.scoring import (
        check_solutions,
        errors_table,
        errors_text,
        group_wrong,
        score_system,
        table,
    )

    systems = check_solutions(attempts)
    scores = [score_system(system, solutions) for system, solutions in systems.items()]
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
        return
    show_table(table(scores), table(scores, wide=False), wide=wide)
    show_table(errors_table(scores), wide=wide)
    for system, solutions in systems.items() if errors else ():
        print(f"\n{system}\n\n{errors_text(solutions)}")
