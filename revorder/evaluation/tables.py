"""Tables of results: scores with intervals, beside the paper's rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from revorder.evaluation.scores import Result, Score, together
from revorder.evaluation.suites import EXTRA, SMALL

# Table 1 of the paper, percent exact match; None if it has no number
_OPS = ("ADD", "SUB", "MUL", "DIV")
_COLUMNS = list(dict.fromkeys(column[0] for column in SMALL + EXTRA))
_ROWS: dict[str, tuple[tuple[float | None, ...], ...]] = {
    "GPT-4": (
        (100, 100, 99.6, 98.8, 94.1, 92.1, 9.4, 94.1),
        (100, 100, 99.2, 98.9, 92.4, 70.5, 10.6, 59.6),
        (100, 99.4, 30.3, 5.3, 0.0, 61.5, 0.0, 0.0),
        (100, 100, 94.5, 90.9, 53.4, 54, 6.4, 0.0),
    ),
    "GOAT-7B": (
        (100, 100, 99.4, 98.3, 98.1, 97.8, 97.1, 97.6),
        (100, 100, 99.7, 98.6, 98.4, 96.8, 95.8, 96.3),
        (100, 100, 97.8, 96.9, 96.7, 99.7, 88.1, 96.8),
        (100, 100, 99.5, 99, 96.5, 99, 94.1, 89.3),
    ),
    "MathGLM-2B": (
        (100, 100, 100, 100, 99.4, None, None, None),
        (100, 100, 99.9, 99.8, 98.9, None, None, None),
        (100, 99.9, 98.3, 94.9, 89.9, None, None, None),
        (100, 100, 99.4, 100, 94.9, None, None, None),
    ),
    "RevOrder-1B": (
        (100, 100, 100, 100, 100, 100, 100, 100),
        (100, 100, 100, 100, 100, 100, 100, 100),
        (100, 100, 100, 100, 100, 100, 100, 100),
        (100, 100, 100, 100, 100, 99.2, 100, 99.4),
    ),
}
PAPER: dict[str, dict[str, float | None]] = {
    model: {
        column: value
        for op, values in zip(_OPS, rows, strict=True)
        for column, value in zip([name for name in _COLUMNS if name.startswith(op)], values, strict=True)
    }
    for model, rows in _ROWS.items()
}


def table(scores: Iterable[Score], wide: bool = True) -> tuple[list[str], list[list[str]]]:
    """Return the header and rows of a score table: percent with the Wilson 95% interval, and the paper's numbers.

    `rollbacks` counts quotient digits taken back, `correct rollbacks` the wrong ones among them, `correct after any`
    the correct answers of problems with a rollback. Without `wide` it fits 80 columns: of the paper's rows it has only
    RevOrder-1B.

    >>> table([Score("ADD 5D", 1000, 1000, 1000)], wide=False)[1]
    [['ADD 5D', '1000', '100.0', '99.62-100.00', '1000', '100']]
    """
    scores = list(scores)
    models = list(PAPER) if wide else ["RevOrder-1B"]
    if not wide and not any(score.task in PAPER[model] for score in scores for model in models):
        models = []
    header = ["task", "n", "correct %", "95% interval", "verified"]
    header += (["rollbacks", "correct rollbacks", "correct after any"] if wide else []) + models
    rows = []
    for score in scores:
        low, high = score.interval
        row = [
            score.task,
            str(score.total),
            f"{score.percent:.1f}" if score.correct in (0, score.total) else f"{score.percent:.2f}",
            f"{low:.2f}-{high:.2f}",
            str(score.verified),
        ]
        if wide:
            row += [str(score.rollbacks), str(score.correct_rollbacks), f"{score.rolled_correct} of {score.rolled}"]
        row += ["-" if (value := PAPER[model].get(score.task)) is None else f"{value:g}" for model in models]
        rows.append(row)
    return header, rows


def summary(scores: Iterable[Score]) -> str:
    """Return one line on all tasks: how many have no error, and how many wrong answers were verified.

    >>> summary([Score("ADD 5D", 1000, 1000, 1000), Score("SUB 5D", 1000, 999, 999)])
    '1 of 2 tasks without an error, 1,999 of 2,000 problems correct, 0 wrong answers verified'
    """
    rows = list(scores)
    clean, all_ = sum(score.is_clean for score in rows), together(rows)
    return (
        f"{clean} of {len(rows)} tasks without an error, {all_.correct:,} of {all_.total:,} problems correct, "
        f"{all_.false_passes} wrong answers verified"
    )


def errors_table(groups: Mapping[tuple[str, str], list[Result]]) -> tuple[list[str], list[list[str]]]:
    """Return the header and rows of the first wrong steps, from `scores.group_errors`; `steps` are 0-based.

    >>> errors_table({})[1]
    []
    """
    header = ["op", "first wrong step", "problems", "% of errors", "steps", "example"]
    rows = []
    total = sum(map(len, groups.values()))
    for (op, kind), results in groups.items():
        steps = sorted(result.step or 0 for result in results)
        where = str(steps[0]) if steps[0] == steps[-1] else f"{steps[0]}-{steps[-1]}"
        share = f"{100 * len(results) / total:.0f}"
        rows.append([op, kind, str(len(results)), share, where, f"{results[0].text}: {results[0].reason}"])
    return header, rows


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Return a table as Markdown, escaped so that no cell breaks its row.

    >>> print(markdown(["task", "correct %"], [["ADD 1D", "100.0"]]))
    | task | correct % |
    |---|---|
    | ADD 1D | 100.0 |
    """
    lines = [[" ".join(cell.split()).replace("|", r"\|") for cell in row] for row in (header, *rows)]
    first, *others = [f"| {' | '.join(row)} |" for row in lines]
    return "\n".join([first, "|" + "---|" * len(header), *others])
