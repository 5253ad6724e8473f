"""Tables and plots from results: scores with intervals, beside the paper's rows where it has them."""

from __future__ import annotations

from collections.abc import Iterable

from .evals import Score

# Table 1 of the paper, percent exact match; None where it has no number
_OPS = ("ADD", "SUB", "MUL", "DIV")
_COLUMNS = {
    "ADD": ("1D", "2D", "3D", "4D", "5D", "8D+8D", "16D+8D", "16D+16D"),
    "SUB": ("1D", "2D", "3D", "4D", "5D", "8D-8D", "16D-8D", "16D-16D"),
    "MUL": ("1D", "2D", "3D", "4D", "5D", "16D*1D", "8D*4D", "6D*6D"),
    "DIV": ("1D", "2D", "3D", "4D", "5D", "16D/1D", "6D/3D", "12D/6D"),
}
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
        f"{op} {column}": value
        for op, values in zip(_OPS, rows, strict=True)
        for column, value in zip(_COLUMNS[op], values, strict=True)
    }
    for model, rows in _ROWS.items()
}


def table(scores: Iterable[Score], paper: bool = True) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a score table, percent with the Wilson 95% interval, the paper's rows beside.

    >>> table([Score("ADD 5D", 1000, 1000, 1000, 0, 0)])[1][0][:5]
    ['ADD 5D', '1000', '100.0', '99.62-100.00', '1000']
    """
    header = ["task", "problems", "right %", "95% interval", "verified", "rollbacks", *(PAPER if paper else ())]
    rows = []
    for score in scores:
        low, high = score.interval
        row = [
            score.task,
            str(score.total),
            f"{score.percent:.1f}" if score.right in (0, score.total) else f"{score.percent:.2f}",
            f"{low:.2f}-{high:.2f}",
            str(score.verified),
            str(score.rollbacks),
        ]
        if paper:
            row += ["-" if (value := PAPER[model].get(score.task)) is None else f"{value:g}" for model in PAPER]
        rows.append(row)
    return header, rows


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table as Markdown.

    >>> print(markdown(["task", "right"], [["ADD 1D", "100.0"]]))
    | task | right |
    |---|---|
    | ADD 1D | 100.0 |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("|" + "|".join(row) + "|" if row[0] == "---" else "| " + " | ".join(row) + " |" for row in lines)
