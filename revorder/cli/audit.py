"""revorder audit: which stored answers of arithmetic questions are wrong, and why."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.arithmetic.numbers import decimal_text
from revorder.cli.common import Json, Overwrite, Progress, emit
from revorder.corpora.records import read_jsonl, read_lines, read_records
from revorder.errors import ProblemError, shorten
from revorder.evaluation.audit import OUTCOMES, RIGHT, UNREAD, WRONG, Finding, audit
from revorder.files import refuse_existing, same_file, writing, written_whole

DECIMALS = 12  # of a fraction, that are shown


def command(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Questions and answers: JSONL, Parquet (.parquet), or - for stdin.")
    ],
    question: Annotated[str, typer.Option(help="The field, or column, of the question.")] = "question",
    answer: Annotated[str, typer.Option(help="The field, or column, of the answer.")] = "answer",
    out: Annotated[
        Optional[Path],
        typer.Option(
            help="Write all but the right answers to this JSONL file, each with its `outcome`; print only counts."
        ),
    ] = None,
    overwrite: Overwrite = False,
    json_: Json = False,
) -> None:
    """Compare stored answers with exact ones, and report which are wrong and why.

    Questions of more than one expression and the words that ask for it are left alone. The exit status is 1 if an
    answer is wrong, or can't be read.
    """
    if source == "-" and sys.stdin is None:
        raise ProblemError("stdin is closed; give it JSONL, one record a line")
    if out and same_file(0 if source == "-" else Path(source), out):  # 0: stdin
        raise ProblemError(f"out {str(out)!r} is the file to read; choose a new one")
    if out:
        refuse_existing(out, overwrite)
    records = (
        read_jsonl(read_lines(sys.stdin.buffer)) if source == "-" else read_records(Path(source), (question, answer))
    )
    outcomes: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    with ExitStack() as stack:
        file = None
        if out:
            stack.enter_context(writing(out))
            file = stack.enter_context(stack.enter_context(written_whole(out)).open("w", encoding="utf-8"))
        progress = stack.enter_context(Progress("records", quiet=not out and sys.stdout.isatty()))
        for line, finding in audit(records, question, answer, f"file {source!r}"):
            progress.advance()
            outcomes[finding.outcome] += 1
            if finding.outcome == WRONG:
                causes[finding.cause] += 1
            row = {"file": source, "line": line, **finding._asdict()}
            if out and file:
                if finding.outcome != RIGHT:
                    file.write(json.dumps(row) + "\n")
            elif finding.outcome not in (WRONG, UNREAD):
                continue
            elif json_:
                emit(row)
            else:
                print(f"{source}:{line}: {described(finding)}")
    counts = {outcome: outcomes[outcome] for outcome in OUTCOMES}
    if json_:
        emit({"counts": counts, "causes": dict(causes.most_common())})
    else:
        print(", ".join(f"{count:,} {outcome}" for outcome, count in counts.items()))
        for cause, count in causes.most_common():
            print(f"  {count:,} {cause}")
    raise typer.Exit(1 if outcomes[WRONG] or outcomes[UNREAD] else 0)


def described(finding: Finding) -> str:
    """Return a finding in words.

    >>> described(Finding(WRONG, "2+2", "4", "5", "one digit"))
    '2+2 is 4, not 5: one digit'
    >>> described(Finding(WRONG, "10/3", "10/3", "3.34", "no known cause"))
    '10/3 is 10/3 (3.333333333333…), not 3.34: no known cause'
    """
    if finding.outcome == UNREAD:
        return f"unread: {finding.cause}"
    asked, expected, found = map(shorten, (finding.asked, finding.expected, finding.found))
    if "/" in expected:
        expected += f" ({decimal_text(round(Fraction(finding.expected) * 10**DECIMALS), DECIMALS)}…)"
    return f"{asked} is {expected}, not {found}: {finding.cause}"
