"""Figure 5: extra tokens of products and quotients against digits, by method."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from revorder.methods import full_name
from revorder.metrics.token_cost import bare_cost, extra
from revorder.reproduce.columns import digits_named, problems_by_digits, table1_columns
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment

WRITTEN = (
    ("revorder", "expanded"),
    ("revorder", "compact"),
    ("lean", "lean"),
    ("goat", "goat"),
    ("scratchpad", "scratchpad"),
    ("authors", "authors"),
)
COLUMNS = (("revorder", "compact"), ("revorder", "expanded"), ("lean", "lean"), ("goat", "goat"), ("plain", "plain"))


@dataclass(frozen=True)
class Figure5Settings:
    """Each number of digits d up to `most` has `n` problems: products of d by d digits, quotients of 2d by d."""

    n: int
    most: int


def render(settings: Figure5Settings, folder: Path) -> list[Exhibit]:
    """Show a chart and a table for each operation, and the tokens by column."""
    found: list[Exhibit] = []
    for op, name in (("*", "products"), ("/", "quotients")):
        columns = [(n, problems_by_digits(op, n, settings.n)) for n in range(1, settings.most + 1)]
        means = {
            full_name(method, form): [
                (float(n), sum(extra(problem, method, form) for problem in drawn) / len(drawn)) for n, drawn in columns
            ]
            for method, form in WRITTEN
        }
        note = (
            f"Mean over up to {settings.n} problems: tokens beyond question and answer. A character is a token, and so"
            " is `r|`; a rule restores the answer (section 5.4.2)."
        )
        series = [Series(method, points) for method, points in means.items()]
        title = f"Figure 5: extra tokens of {name}"
        found.append(Chart(title, "digits n", "extra tokens", series, note, log_y=True))
        header = ["method", *(digits_named(op, n) for n, _ in columns)]
        found.append(
            Table(f"{title}, in numbers", header, [[m, *(f"{y:.0f}" for _, y in p)] for m, p in means.items()], note)
        )
    return [*found, by_column(settings.n)]


def by_column(n: int) -> Table:
    """Return the mean tokens of traces by column of products and quotients, and lean's share of compact's."""
    rows = []
    for task, drawn in table1_columns(n).items():
        if task.startswith(("MUL", "DIV")):
            means = [sum(bare_cost(problem, *how) for problem in drawn) / len(drawn) for how in COLUMNS]
            rows.append([task, *(f"{mean:.1f}" for mean in means), f"{100 * means[2] / means[0]:.0f}%"])
    header = ["column", *(full_name(*how) for how in COLUMNS), "lean : compact"]
    note = (
        f"Mean over up to {n} problems: all tokens of a trace with its question; if the method allows, a rule restores"
        " the answer."
    )
    return Table("Tokens by column of Table 1", header, rows, note)


FIGURE5 = Experiment(
    "figure5",
    "Figure 5",
    "Extra tokens by method",
    {"smoke": Figure5Settings(2, 3), "cpu": Figure5Settings(100, 8), "gpu": Figure5Settings(100, 8)},
    render,
)
