"""The frontier of tokens against CSID: blocks of 1, 2 and 3 digits beside other notations, and models of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import fmean

from revorder.evaluation.scores import together
from revorder.methods import METHODS, full_name
from revorder.metrics.csid import csid
from revorder.metrics.token_cost import bare_cost
from revorder.mixtures.mixture import Mixture
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import by_op, fits, table1_columns
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import EQUATIONS, TINYLLAMA, Finetuning, Training, equations_seen, mean_tokens

FAMILY = "blocks"
OTHERS = (("plain", "plain"), ("goat", "goat"), ("revorder", "compact"), ("revorder", "expanded"), ("lean", "lean"))
LONGEST = ("MUL 6D*6D", "MUL 8D*4D", "DIV 12D/6D")  # costs include these even if models are not asked them
COLUMNS = ("MUL 3D", "MUL 5D", "DIV 6D/3D", *LONGEST)
FULL = (
    {"op": "*", "a": [1, 8], "b": 1, "weight": 1, "hard": 0.15},
    {"op": "*", "a": [1, 8], "b": [1, 6], "weight": 3, "hard": 0.2},
    {"op": "*", "a": 6, "b": 6, "weight": 1, "hard": 0.1},
    {"op": "/", "a": [1, 12], "b": [1, 6], "weight": 5, "remainder": 0.5, "hard": 0.2},
)
SHORT = (  # for three columns and models of a million parameters
    {"op": "*", "a": [1, 5], "b": [1, 5], "weight": 1, "hard": 0.2},
    {"op": "/", "a": [1, 6], "b": [1, 3], "weight": 1, "remainder": 0.5, "hard": 0.2},
)
LENGTHS = (("*", 8, 6), ("/", 12, 6))
NAMES = {"MUL": "products", "DIV": "quotients"}


@dataclass(frozen=True)
class FrontierSettings:
    """`trainings` are named by model size; a column has `n` problems for models, and `texts` for costs."""

    trainings: tuple[tuple[str, Training | Finetuning], ...]
    n: int
    texts: int
    forms: tuple[str, ...] = METHODS[FAMILY].forms
    columns: tuple[str, ...] = COLUMNS
    parts: tuple[Mapping[str, object], ...] = FULL


def cell_name(form: str, size: str) -> str:
    return f"{FAMILY}-{form}-{size}"


def plans(settings: FrontierSettings) -> list[Plan]:
    """Return a plan for each size and form."""
    tasks = table1_columns(settings.n, only=settings.columns)
    found: list[Plan] = []
    for size, training in settings.trainings:
        for form in settings.forms:
            data = {
                "name": cell_name(form, size),
                "method": FAMILY,
                "form": form,
                "size": EQUATIONS,
                "estimate_digits": int(form) + 1,  # so an estimated block is too high by at most 1
                "parts": list(settings.parts),
            }
            found.append(Plan(training, data, LENGTHS, tasks))
    return found


def render(settings: FrontierSettings, folder: Path) -> list[Exhibit]:
    """Show the cost of each notation in tokens and CSID, and the accuracy of models that write blocks."""
    return [*costs(settings.texts, settings.columns, settings.forms), *accuracy(settings, folder)]


@cache
def costs(texts: int, columns: tuple[str, ...], forms: tuple[str, ...]) -> tuple[Exhibit, ...]:
    """Return a chart of mean tokens against mean CSID for each column, and a table."""
    tasks = table1_columns(texts, only=tuple(dict.fromkeys([*columns, *LONGEST])))
    notations = [*OTHERS, *((FAMILY, form) for form in forms)]
    rows: list[list[str]] = []
    note = (
        f"Mean over {texts} problems a column: tokens of the whole text, and CSID. A character is a token, and so is"
        " `r|`; if the method allows, a rule restores the answer. CSID leaves out the estimates of quotient digits,"
        " and no digit is taken back. For blocks it counts the partial products, carries, products and differences"
        " that a digit needs and that are not written."
    )
    found: list[Exhibit] = []
    for task, problems in tasks.items():
        points, row = [], [task]
        for how in notations:
            counts = [csid(problem, *how) for problem in problems]
            points.append((fmean(counts), fmean([bare_cost(problem, *how) for problem in problems])))
            row.append(f"{points[-1][1]:.1f} ({points[-1][0]:.1f}, {max(counts)})")
        rows.append(row)
        family = Series(FAMILY, points[len(OTHERS) :])
        others = [Series(full_name(*how), [point]) for how, point in zip(OTHERS, points, strict=False)]
        title = f"Tokens against CSID, {task}"
        found.append(Chart(title, "mean CSID", "mean tokens", [family, *others], note, log_x=True, log_y=True))
    header = ["column", *(full_name(*how) for how in notations)]
    return (*found, Table("Tokens (mean CSID, greatest) by notation", header, rows, note))


def accuracy(settings: FrontierSettings, folder: Path) -> list[Exhibit]:
    """Return a chart of accuracy against mean CSID by operation and size, and a table of all columns."""
    tasks = table1_columns(settings.n, only=settings.columns)
    ops = by_op(list(tasks))
    levels = {
        (op, form): fmean([csid(problem, FAMILY, form) for name in names for problem in tasks[name]])
        for op, names in ops.items()
        for form in settings.forms
    }
    series, rows = [], []
    for size, _ in settings.trainings:
        read = stored_cells(folder, settings.forms, partial(cell_name, size=size))
        scores = {form: scores_of(results) for form, (_, results) in read.items()}
        for op, names in ops.items() if read else ():
            sums = [together(found[name] for name in names) for found in scores.values()]
            points = [(levels[op, form], score.percent) for form, score in zip(read, sums, strict=True)]
            series.append(Series(f"{NAMES[op]}, {size}", points, [score.interval for score in sums]))
        for form, (what, _) in read.items():
            tokens = mean_tokens(Mixture.read(what["data"]), what["training"]["longest"])
            columns = [
                f"{scores[form][name].percent:.1f}"
                + ("" if fits(problems, FAMILY, form, what["training"]["longest"]) else " (long)")
                for name, problems in tasks.items()
            ]
            rows.append([size, form, f"{tokens:.0f}", f"{equations_seen(what, tokens):,.0f}", *columns])
    pretrained = "".join(
        f"; {size} is pretrained and sees the same equations"
        for size, training in settings.trainings
        if isinstance(training, Finetuning)
    )
    note = (
        f"Percent exact of {settings.n} held-out problems a column, exact division. Every model was trained from random"
        f" weights on the same number of tokens, so a shorter notation saw more equations{pretrained}. Bars: 95%"
        " intervals."
        + (
            " (long): most of these texts are longer than any that the model was shown."
            if "(long)" in str(rows)
            else ""
        )
    )
    header = ["model", "digits at a time", "tokens an equation", "equations", *tasks]
    return [
        Chart("Accuracy along the frontier", "mean CSID", "exact, percent", series, note, log_x=True),
        Table("Accuracy along the frontier, in numbers", header, rows, note),
    ]


FRONTIER = Experiment(
    "frontier",
    "Future work",
    "The frontier of tokens against CSID",
    {
        "smoke": FrontierSettings(
            (("tiny", Training(12, 2048, 120, 1, 64)), ("small", Training(12, 2048, 120, 2, 64))),
            2,
            3,
            ("1", "3"),
            ("MUL 3D", "DIV 6D/3D"),
        ),
        "cpu": FrontierSettings(
            (
                ("0.3M", Training(2500, longest=320, layers=3, width=64)),
                ("1.2M", Training(2500, longest=320)),
            ),
            200,
            200,
            columns=("MUL 3D", "MUL 5D", "DIV 6D/3D"),
            parts=SHORT,
        ),
        "gpu": FrontierSettings(
            (("114M", Training(20_000, 16_384, 320, 12, 768)), ("1.1B", Finetuning(TINYLLAMA, "tinyllama"))), 1000, 1000
        ),
    },
    render,
    plans,
)
