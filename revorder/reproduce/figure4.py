"""Figure 4: accuracy of long division against the share of rollbacks in training, and how often models roll back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from revorder.arithmetic.problem import Problem
from revorder.evaluation.scores import Result, wilson
from revorder.evaluation.suites import SEED
from revorder.judge import MISSED, NEEDLESS
from revorder.mixtures.sampling import held_out
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import fewer
from revorder.reproduce.exhibits import Chart, Exhibit, Sample, Series, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import EQUATIONS, TINYLLAMA, Finetuning, Training

RATIOS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
PAPER = Series("RevOrder-1B, 12D/6D (paper)", ((0.0, 84.0), (0.4, 99.0)))  # the only points that its text states


@dataclass(frozen=True)
class Figure4Settings:
    """`ratios` are shares of divisions with a rollback; columns of `n` problems go up to twice `digits` by `digits`."""

    training: Training | Finetuning
    n: int
    ratios: tuple[float, ...] = RATIOS
    digits: int = 6
    method: str = "lean"

    @property
    def columns(self) -> list[tuple[int, int]]:
        """The digits of dividend and divisor in each column."""
        return [(2 * digits, digits) for digits in range(1, self.digits + 1)]

    @property
    def tasks(self) -> dict[str, list[Problem]]:
        """The problems of each column."""
        return {task(a, b): held_out("/", a, b, self.n, SEED) for a, b in self.columns}

    @property
    def parts(self) -> list[dict[str, object]]:
        """The training divisions: three quarters of all lengths, a quarter of the longest."""
        a, b = 2 * self.digits, self.digits
        return [
            {"op": "/", "a": [1, a], "b": [1, b], "weight": 3, "remainder": 0.5, "hard": 0.2},
            {"op": "/", "a": [a * 3 // 4, a], "b": [max(1, b * 2 // 3), b], "weight": 1, "remainder": 0.5},
        ]


def task(a: int, b: int) -> str:
    return f"DIV {a}D/{b}D"


def cell_name(ratio: float) -> str:
    return f"ratio-{ratio:.1f}"


def plans(settings: Figure4Settings) -> list[Plan]:
    """Return a plan for each ratio."""
    found: list[Plan] = []
    tasks = settings.tasks
    for ratio in settings.ratios:
        data = {
            "name": cell_name(ratio),
            "method": settings.method,
            "size": EQUATIONS,
            "rollback": ratio,
            "parts": settings.parts,
        }
        found.append(Plan(settings.training, data, [("/", *settings.columns[-1])], tasks))
    return found


def render(settings: Figure4Settings, folder: Path) -> list[Exhibit]:
    """Show (a) accuracy against the ratio, (b) rollbacks against digits, and right digits that were taken back."""
    stored = stored_cells(folder, settings.ratios, cell_name)
    read = {ratio: results for ratio, (_, results) in stored.items()}
    scored = [(ratio, scores_of(results)) for ratio, results in read.items()]
    names = [task(a, b) for a, b in settings.columns]
    longest = names[-1]
    points = [(ratio, scores[longest].percent) for ratio, scores in scored]
    intervals = [wilson(scores[longest].correct, scores[longest].total) for _, scores in scored]
    shares = [
        Series(
            f"ratio {ratio:g}",
            [(float(a + b), 100 * share_rolled(read[ratio], task(a, b))) for a, b in settings.columns],
        )
        for ratio, scores in scored
    ]
    rows = []
    for ratio, scores in scored:
        rightly = sum(score.correct_rollbacks for score in scores.values())
        kept = sum(map(keeps_wrong_digit, read[ratio]))
        needless = sum(result.reason.startswith(NEEDLESS) for result in read[ratio])
        percents = [f"{scores[name].percent:.1f}" for name in names]
        rows.append([f"{ratio:g}", *percents, str(rightly), str(kept), str(needless)])
    note = (
        f"Up to {settings.n} exact divisions of the test split a column ({fewer(settings.tasks, settings.n)});"
        f" {settings.training.terms}, one seed; method {settings.method}. The ratio is the share of training divisions"
        " that write one digit wrong, by one, and take it back. The wrong digit is not learned, so the rollbacks"
        " counted here are of a model's own errors."
    )
    return [
        Chart(
            f"Figure 4a: {longest} against the rollback ratio",
            "rollback ratio in training",
            "exact, percent",
            [Series("ours", points, intervals), PAPER],
            note,
            dashed=[PAPER.name],
        ),
        Chart(
            "Figure 4b: wrong digits taken back while computing, against digits",
            "digits of dividend and divisor together",
            "divisions in which a wrong digit was taken back, percent",
            shares,
            note,
        ),
        *missed_rollback(read),
        Table(
            "Figure 4 in numbers",
            ["ratio", *names, "wrong digits taken back", "wrong digits kept", "right digits taken back"],
            rows,
            f"{note} Digits count up to the first error of a text.",
        ),
        Table(
            "Figure 4b in numbers",
            ["ratio", *names],
            [[series.name.partition(" ")[2], *(f"{y:.1f}" for _, y in series.points)] for series in shares],
            "Percent of the divisions in which a wrong digit was taken back.",
        ),
    ]


def share_rolled(results: Sequence[Result], task: str) -> float:
    """Return the share of a task's divisions in which a wrong digit was taken back."""
    some = [result for result in results if result.task == task]
    return sum(result.correct_rollbacks > 0 for result in some) / len(some)


def keeps_wrong_digit(result: Result) -> bool:
    """Whether the first error is a wrong quotient digit that stays: `W`, or the sign that calls for it, is missing.

    >>> from revorder.evaluation.runner import judge_text
    >>> text = "948/12=8R-(12*80)(r|069)(r|21)"
    >>> keeps_wrong_digit(judge_text("", Problem(948, "/", 12), text, "revorder", "compact"))
    True
    """
    wanted = result.reason.partition(", found ")[0]
    return wanted.startswith(MISSED) or ("sign in the difference" in wanted and "-r|" in wanted)


def missed_rollback(read: Mapping[float, Sequence[Result]]) -> list[Sample]:
    """Return Figure 3 from a real error: a long division that kept a wrong digit, and the judge's verdict.

    The model is the one with such an error whose ratio, above 0, is closest to a half.
    """
    for ratio in sorted(filter(None, read), key=lambda ratio: abs(ratio - 0.5)):
        for result in reversed(read[ratio]):
            if keeps_wrong_digit(result):
                text = f"{result.text}\n\nstep {(result.step or 0) + 1}: {result.reason}\ncorrect: {result.expected}"
                return [
                    Sample(
                        "Figure 3: an error in division", text, f"By the model of ratio {ratio:g}, in {result.task}."
                    )
                ]
    return []


FIGURE4 = Experiment(
    "figure4",
    "Figure 4",
    "Rollbacks in division",
    {
        "smoke": Figure4Settings(Training(12, 2048, 120, 2, 64), 2, (0.0, 1.0), 2),
        "cpu": Figure4Settings(Training(2500), 500, digits=4),
        "gpu": Figure4Settings(Finetuning(TINYLLAMA, "tinyllama"), 1000, method="revorder"),
    },
    render,
    plans,
)
