"""Figure 2: accuracy of 15-digit additions against CSID, by direct answers and by RevOrder, at several model sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revorder.arithmetic.problem import Problem
from revorder.evaluation.scores import Result, wilson
from revorder.metrics.csid import csid
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.split import in_split
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import EQUATIONS, TINYLLAMA, Finetuning, Lengths, Training

METHODS_COMPARED = ("plain", "revorder")
PARTS = (
    {"op": "+", "a": [1, 15], "b": [1, 15], "weight": 1},
    {"op": "+", "a": 15, "b": 15, "weight": 1},  # no hard cases: they would teach the long runs of carries
)
DRAWN = 50_000  # random sums per draw
MOST_NINES = 3  # places in a row; longer runs count as this many


@dataclass(frozen=True)
class Figure2Settings:
    """`trainings` are named by model size; each CSID from 0 to `most` has `n` sums of two `digits`-digit numbers."""

    trainings: tuple[tuple[str, Training | Finetuning], ...]
    n: int
    most: int = 10
    digits: int = 15


class Characters(Training):
    """A training with plain characters in place of place tokens: a model has to find the places itself."""

    def recipe(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """Return the recipe of one model."""
        recipe = super().recipe(data, max_digits)
        recipe["model"]["places"] = 0
        return recipe

    @property
    def terms(self) -> str:
        """The training in a few words."""
        return f"{super().terms}, plain characters"


def by_csid(n: int, most: int, digits: int) -> dict[str, list[Problem]]:
    """Return tasks `CSID 0` to `CSID <most>`, each of `n` random additions of the test split with that CSID.

    The CSID of a direct answer is the longest run of carries. Only one random sum in thousands has no carry, so these
    are built from pairs of digits that make none.

    >>> {task: [csid(p) for p in problems] for task, problems in by_csid(2, 2, 5).items()}
    {'CSID 0': [0, 0], 'CSID 1': [1, 1], 'CSID 2': [2, 2]}
    """
    import numpy as np

    rng = np.random.default_rng(0)
    none = np.array([(a, b) for a in range(10) for b in range(10 - a)])
    found: list[dict[str, Problem]] = [{} for _ in range(most + 1)]
    while any(len(problems) < n for problems in found):
        pairs = rng.integers(0, 10, (DRAWN, digits, 2))
        if len(found[0]) < n:
            pairs = np.concatenate([pairs, none[rng.integers(0, len(none), (DRAWN, digits))]])
        pairs = pairs[pairs[:, 0].all(1)]  # no leading zeros
        for row, wanted in zip(pairs, longest_carries(pairs.sum(2)), strict=True):
            if wanted <= most and len(found[wanted]) < n:
                a, b = (int("".join(map(str, operand))) for operand in row.T)
                if in_split(a, "+", b, "test"):
                    found[wanted][f"{a}+{b}"] = Problem(a, "+", b)
    return {f"CSID {wanted}": list(problems.values()) for wanted, problems in enumerate(found)}


def longest_carries(sums: Any) -> list[int]:
    """Return the longest run of carries in each row of digit sums, most significant first.

    >>> import numpy as np
    >>> longest_carries(np.array([[3, 9, 10], [3, 8, 10]]))
    [2, 1]
    """
    carry = run = best = sums[:, 0] * 0
    for column in sums.T[::-1]:
        carry = (column + carry > 9).astype(int)
        run = (run + 1) * carry
        best = best.clip(run)
    return best.tolist()


def nines_below(a: int, b: int) -> list[int]:
    """Return, for each digit of a sum, lowest first, how many places in a row right below it add to 9.

    A carry passes through such a place. Any other place decides alone whether the digit above gets a carry.

    >>> nines_below(5048, 4952)  # 8 + 2 carries through all places above it
    [0, 0, 1, 2, 3]
    """
    found, row = [], 0
    for place in range(len(str(a + b))):
        found.append(row)
        row = row + 1 if a // 10**place % 10 + b // 10**place % 10 == 9 else 0
    return found


def wrong_digits(results: Iterable[Result]) -> list[tuple[int, int]]:
    """Return (wrong digits, all digits) of sums for each value of `nines_below`, up to MOST_NINES."""
    found = [(0, 0)] * (MOST_NINES + 1)
    for result in results:
        a, b = map(int, result.problem.split("+"))
        digits = (result.answer or "")[::-1]
        for place, nines in enumerate(nines_below(a, b)):
            wrong, total = found[min(nines, MOST_NINES)]
            is_right = digits[place : place + 1] == result.expected[-1 - place]
            found[min(nines, MOST_NINES)] = (wrong + (not is_right), total + 1)
    return found


def cell_name(method: str, size: str) -> str:
    return f"{method}-{size}"


def plans(settings: Figure2Settings) -> list[Plan]:
    """Return a plan for each size and method."""
    tasks = by_csid(settings.n, settings.most, settings.digits)
    found: list[Plan] = []
    for size, training in settings.trainings:
        for method in METHODS_COMPARED:
            data = {"name": cell_name(method, size), "method": method, "size": EQUATIONS, "parts": list(PARTS)}
            found.append(Plan(training, data, [("+", 15, 15)], tasks))
    return found


def render(settings: Figure2Settings, folder: Path) -> list[Exhibit]:
    """Show accuracy against CSID for each model, and wrong digits by `nines_below`."""
    series, rows, nines = [], [], []
    header = ["model", *(str(i) for i in range(settings.most + 1))]
    names = [cell_name(method, size) for size, _ in settings.trainings for method in METHODS_COMPARED]
    for name, (_, results) in stored_cells(folder, names).items():
        scores = [scores_of(results)[f"CSID {i}"] for i in range(settings.most + 1)]
        points = [(float(i), score.percent) for i, score in enumerate(scores)]
        series.append(Series(name, points, [wilson(score.correct, score.total) for score in scores]))
        rows.append([name, *(f"{score.percent:.1f}" for score in scores)])
        nines.append([name, *(f"{100 * wrong / max(1, n):.2f} of {n:,}" for wrong, n in wrong_digits(results))])
    rows.append([f"% of the training sums {settings.digits}D+{settings.digits}D", *shares(settings)])
    pretrained = [size for size, training in settings.trainings if isinstance(training, Finetuning)]
    note = (
        f"Percent exact of {settings.n} random additions of two {settings.digits}-digit numbers of the test split for"
        " each CSID of the direct answer (the longest run of carries); bars: 95% intervals. The models: "
        + "; ".join(f"{size}: {training.terms}" for size, training in settings.trainings)
        + "; one seed."
        + "".join(f" {size} is pretrained; the others start from random weights." for size in pretrained)
    )
    return [
        Chart("Figure 2: accuracy against CSID", "CSID of the direct answer", "exact, percent", series, note),
        Table("Figure 2 in numbers", header, rows, note),
        Table(
            "Wrong digits by the places in a row right below them that add to 9",
            ["model", *map(str, range(MOST_NINES)), f"{MOST_NINES} or more"],
            nines,
            "Percent of the digits of the same sums. A carry passes through such places. CSID counts every place that"
            " carries, most of which carry by their own two digits.",
        ),
    ]


def shares(settings: Figure2Settings) -> list[str]:
    """Return the percentage of each CSID among the training sums of two `digits`-digit numbers, of 20,000 examples."""
    examples = sampler(Mixture.read({"name": "sums", "method": "plain", "parts": list(PARTS)})).examples(0, 0, 20_000)
    sums = (example.problem for example in examples)
    found = Counter(csid(p) for p in sums if len(str(p.a)) == len(str(p.b)) == settings.digits)
    return [f"{100 * found[i] / max(1, found.total()):.1f}" for i in range(settings.most + 1)]


FIGURE2 = Experiment(
    "figure2",
    "Figure 2",
    "Accuracy of direct addition against CSID",
    {
        "smoke": Figure2Settings((("small", Training(12, 2048, 120, 2, 64)),), 2, 2),
        "cpu": Figure2Settings(
            (
                ("0.2M", Training(4000, 2048, 80, 2, 64)),
                ("0.9M", Training(4000, 2048, 80, 3, 128)),
                ("3.4M", Training(4000, 2048, 80, 3, 256)),
            ),
            200,
        ),
        "gpu": Figure2Settings(
            (
                ("3.4M", Training(20_000, 16_384, 80, 3, 256)),
                ("114M", Training(20_000, 16_384, 80, 12, 768)),
                ("1.1B", Finetuning(TINYLLAMA, "tinyllama")),
            ),
            1000,
        ),
    },
    render,
    plans,
)
