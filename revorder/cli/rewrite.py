"""revorder rewrite: reverse the results in a corpus's equations, and restore them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from revorder.cli.common import Json, Overwrite, Progress, emit, say, show_table
from revorder.corpora.corpus import Report, rewrite_corpus
from revorder.corpora.rewriting import ALREADY, DIVISION, IDENTITY, REWRITTEN
from revorder.errors import ProblemError
from revorder.reading.numbers import NOTATIONS


def command(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A corpus: JSONL, or Parquet (.parquet).")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The converted corpus, of the same kind.")],
    back: Annotated[
        bool,
        typer.Option("--back", help="Restore a converted corpus; needs only its --field."),
    ] = False,
    field: Annotated[str, typer.Option(help="The field, or column, whose text is converted.")] = "answer",
    notation: Annotated[str, typer.Option(help=f"One of {', '.join(NOTATIONS)}.")] = NOTATIONS[0],
    decompose: Annotated[
        bool, typer.Option("--decompose", help="Write * and / of several digits step by step.")
    ] = False,
    prose: Annotated[bool, typer.Option("--prose", help="Also rewrite plain equations, such as 48 + 24 = 72.")] = False,
    overwrite: Overwrite = False,
    json_: Json = False,
) -> None:
    """Rewrite the equations in a corpus's texts so that + - * have reversed results, and print counts.

    <<48+24=72>> becomes <<48+24=r|27=72>>; wrong equations stay unchanged. A line that can't be read goes to
    OUT.rejects.jsonl, and the exit status is 1 then.
    """
    if back and (decompose or prose or notation != NOTATIONS[0]):
        option = "--decompose" if decompose else "--prose" if prose else "--notation"
        raise ProblemError(f"{option}: the way back needs none; give --back with --field alone")
    with Progress("texts") as progress:
        report = rewrite_corpus(source, out, field, notation, decompose, prose, back, overwrite, progress.advance)
    if json_:
        emit(report.as_json())
    else:
        print_counts(report, out, back)
    if report.rejected:
        say(f"lines that can't be read: {report.rejected}, kept in {out}.rejects.jsonl")
    raise typer.Exit(1 if report.rejected else 0)


def print_counts(report: Report, out: Path, back: bool) -> None:
    """Print the number of texts, and the outcomes of their equations."""
    if back:
        print(
            f"{report.texts:,} texts in {out}, {report.equations.total():,} equations in {report.changed:,} taken back"
        )
        return
    print(f"{report.texts:,} texts in {out}, {report.changed:,} of them rewritten")
    total = report.with_operator
    rows: list[list[str]] = []
    for kind, count in report.equations.most_common():
        changed, same = kind in (REWRITTEN, ALREADY), kind in (DIVISION, IDENTITY)
        what = kind if changed else f"{'the same in both' if same else 'left'}: {kind}"
        rows.append([what, f"{count:,}", "-" if kind == IDENTITY else f"{100 * count / total:.2f}"])
    if rows:
        show_table((["what came of them", "equations", "% of those with an operator"], rows))
    print(
        f"{report.unconverted:,} of {total:,} equations with an operator left as they are, {report.wrong:,} of them"
        " wrong"
    )
