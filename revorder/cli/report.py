"""revorder report: the scores of eval's results, and the page of reproduce's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from revorder.cli.common import Errors, Json, Wide, emit, say, show_table, tell
from revorder.cli.gsm8k import print_scores
from revorder.errors import ProblemError
from revorder.files import read_text, write_whole

if TYPE_CHECKING:
    from revorder.evaluation.scores import Result


def command(
    file: Annotated[Path, typer.Argument(help="A JSONL file that eval wrote, or reproduce's folder.")],
    errors: Errors = False,
    wide: Wide = False,
    docs: Annotated[
        Optional[list[Path]],
        typer.Option(help="Also write a folder's results into these pages of the docs, or folders of pages."),
    ] = None,
    json_: Json = False,
) -> None:
    """Print the scores of a file of results beside the paper's Table 1; for a folder, write the page index.html.

    The exit status is 1 if a wrong answer was verified.
    """
    if file.is_dir():
        return print_page(file, docs or [], json_)
    if docs:
        raise ProblemError(f"docs {str(docs[0])!r} are filled from a folder of results; give reproduce's folder")
    from revorder.evaluation.runner import load_run
    from revorder.evaluation.word_problems.solving import SUITE, attempts_of

    what, results = load_run(file)
    if not results:
        raise ProblemError(f"results {str(file)!r}: none in it yet; give a file that eval wrote")
    if file.suffix == ".partial":
        say(f"{file} is of a run that is not finished")
    if results[0].task == SUITE:
        print_scores(attempts_of(results, str(what.get("model", file.stem))), errors, wide, json_)
        return None
    raise typer.Exit(print_report(results, errors, wide, json_))


def print_page(folder: Path, docs: Sequence[Path], json_: bool) -> None:
    """Write the page of a folder of results, and update the docs that state them."""
    from revorder.reproduce.page import fill_docs, pages_in, results_for, write_page

    page = folder / "index.html"
    texts = {path: read_text(path) for path in pages_in(docs)}
    for text in texts.values():
        results_for(text, folder)  # before anything is written
    write_page(folder, page)
    for path, text in texts.items():
        write_whole(path, fill_docs(text, folder, path.parent / "images"))
    for path in (page, *texts):
        tell(path, {"file": str(path)}, json_)


def print_report(results: Sequence[Result], errors: bool, wide: bool, json_: bool, out: Path | None = None) -> int:
    """Print the scores, and with `errors` the first wrong steps, and write them to `out` as Markdown.

    Returns 1 if a wrong answer was verified, else 0.
    """
    from revorder.evaluation.scores import group_errors, score_tasks
    from revorder.evaluation.tables import errors_table, markdown, summary, table

    scores = score_tasks(results)
    groups = group_errors(results) if errors else {}
    if out:
        parts = [markdown(*table(scores)), summary(scores), *([markdown(*errors_table(groups))] if groups else [])]
        write_whole(out, "\n\n".join(parts) + "\n")
    if json_:
        for score in scores:
            emit(asdict(score) | {"percent": score.percent, "interval": score.interval})
        for (op, kind), rows in groups.items():
            emit({"op": op, "first_wrong": kind, "problems": len(rows), "examples": [asdict(row) for row in rows[:3]]})
    else:
        show_table(table(scores), table(scores, wide=False), wide=wide)
        if errors:
            show_table(errors_table(groups), title=None if groups else "no errors")
        print(summary(scores))
    return int(any(score.false_passes for score in scores))
