"""Figure 6: the composition of our training mixtures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from revorder.metrics.token_cost import characters
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.reproduce import table1, table2
from revorder.reproduce.ablation import RECIPE
from revorder.reproduce.exhibits import Exhibit, Table
from revorder.reproduce.experiment import Experiment
from revorder.training.recipe import Recipe

MIXTURES: dict[str, Callable[[], Mixture]] = {
    "paper (appendix B's problems, our shares)": lambda: Mixture.read("paper"),
    f"of the recipe {RECIPE}": lambda: Recipe.read(RECIPE).data,
    "of our Table 1": lambda: Mixture.read(table1.mixture("revorder")),
    "of our Table 2": lambda: Mixture.read(table2.mixture("revorder", 40_000, 0)),
}


@dataclass(frozen=True)
class Figure6Settings:
    """The first `n` examples of each mixture are counted."""

    n: int
    mixtures: tuple[str, ...] = tuple(MIXTURES)


def render(settings: Figure6Settings, folder: Path) -> list[Exhibit]:
    """Show each operation's share of equations and tokens, in a table for each mixture."""
    found: list[Exhibit] = []
    for name in settings.mixtures:
        mixture = MIXTURES[name]()
        equations, tokens, rollbacks = Counter[str](), Counter[str](), Counter[str]()
        for example in sampler(mixture).examples(0, 0, settings.n):
            op = example.problem.op
            equations[op] += 1
            tokens[op] += characters(example.text)
            rollbacks[op] += bool(example.rollback)
        rows = [
            [
                op,
                f"{100 * equations[op] / settings.n:.1f}",
                f"{100 * tokens[op] / tokens.total():.1f}",
                f"{tokens[op] / equations[op]:.0f}",
                f"{100 * rollbacks[op] / equations[op]:.0f}",
            ]
            for op in equations
        ]
        rows.sort()
        note = f"The first {settings.n:,} of {mixture.size:,} equations, method {mixture.method}."
        header = ["operation", "% of equations", "% of tokens", "tokens an equation", "% with a rollback"]
        found.append(Table(f"Figure 6: mixture {name}", header, rows, note))
    return found


FIGURE6 = Experiment(
    "figure6",
    "Figure 6",
    "What the mixtures are made of",
    {"smoke": Figure6Settings(500), "cpu": Figure6Settings(20_000), "gpu": Figure6Settings(20_000)},
    render,
)
