"""A pretrained language model before and after learning direct answers or RevOrder's traces, on equal tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from revorder.evaluation.runner import finished
from revorder.evaluation.runner import run as ask
from revorder.evaluation.scores import together
from revorder.evaluation.suites import hash_of
from revorder.processes import share, write_once
from revorder.reproduce.cells import MODELS, scores_of, stored_cells
from revorder.reproduce.columns import by_op, table1_columns
from revorder.reproduce.exhibits import Exhibit, Table
from revorder.reproduce.experiment import Experiment, Say, texts_file
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import EQUATIONS, SMOLLM2, Finetuning

ARMS = (("plain", "plain"), ("revorder", "compact"))
BEFORE = "before"  # the cell of the pretrained model
REPLY = 64  # tokens of a reply at most, more for long problems
TAUGHT = ("ADD", "SUB", "MUL 1D", "MUL 16D*1D")  # beginnings of the names of the columns that the mixture covers
PARTS = tuple(
    {"op": op, "a": [1, most], "b": 1 if op == "*" else [1, most], "weight": weight, "hard": 0.2}
    for most, share in ((5, 4), (16, 1))
    for op, weight in (("+", 3 * share), ("-", 4 * share), ("*", 3 * share))
)
LENGTHS = (("+", 16, 16), ("-", 16, 16), ("*", 16, 1))


@dataclass(frozen=True)
class PretrainedSettings:
    """A column has `n` problems; `only` selects columns, all that are taught if empty."""

    training: Finetuning
    n: int
    only: tuple[str, ...] = ()

    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns to ask."""
        return self.only or tuple(name for name in table1_columns(1) if name.startswith(TAUGHT))


def ask_before(settings: PretrainedSettings, folder: Path, say: Say) -> int:
    """Ask the pretrained model; returns 0, the training tokens spent."""
    from revorder.inference.transformers_runtime import TransformersRuntime

    tasks = table1_columns(settings.n, only=settings.columns())
    out = texts_file(folder, BEFORE)
    about = {"cell": BEFORE, "method": "plain", "form": "plain", "tokens": 0, "problems": hash_of(tasks)}
    if out.exists():
        finished(out, about)

    def write() -> None:
        say(f"{BEFORE}: {sum(map(len, tasks.values())):,} problems")
        ask(TransformersRuntime(settings.training.base(folder / MODELS), "plain"), tasks, out, about, REPLY)

    share({BEFORE: out}, lambda _: write_once(out, write), folder / MODELS, say)
    return 0


def plans(settings: PretrainedSettings) -> list[Plan]:
    """Return a plan for each notation."""
    tasks = table1_columns(settings.n, only=settings.columns())
    found: list[Plan] = []
    for method, form in ARMS:
        data = {"name": method, "method": method, "form": form, "size": EQUATIONS, "parts": list(PARTS)}
        found.append(Plan(settings.training, data, LENGTHS, tasks))
    return found


def render(settings: PretrainedSettings, folder: Path) -> list[Exhibit]:
    """Show exact match before, after direct answers and after traces, in a table for each operation."""
    stored = stored_cells(folder, (BEFORE, *(method for method, _ in ARMS)))
    rows = {name: (what, scores_of(results)) for name, (what, results) in stored.items()}
    seen = ", ".join(f"{name} {what['tokens']:,} tokens" for name, (what, _) in rows.items() if what["tokens"])
    note = (
        f"Percent exact (95% interval, one seed) of {settings.n} problems a column, held out from 3 digits on;"
        f" {settings.training.terms}{seen and f', on {seen}'}. {BEFORE}: the model as downloaded, asked in words by its"
        " chat template."
    )
    found: list[Exhibit] = []
    for op, names in by_op(list(settings.columns())).items():
        body = []
        for name, (_, scores) in rows.items():
            some = [scores[task] for task in names]
            body.append([name, *(f"{score.percent:.0f}" for score in some), together(some).shown])
        found.append(Table(f"A pretrained model before and after, {op}", ["taught", *names, "all"], body, note))
        note = ""
    return found


PRETRAINED = Experiment(
    "pretrained",
    "Section 5.1",
    "A pretrained model before and after",
    {
        "smoke": PretrainedSettings(
            Finetuning("tiny", {"batch": 2, "max_tokens": 64}, longest=64, tokens=1, tokenizer="bytes"),
            1,
            ("ADD 1D", "MUL 1D"),
        ),
        "cpu": PretrainedSettings(Finetuning(SMOLLM2, "smollm2", longest=128, tokens=500_000), 100),
        "gpu": PretrainedSettings(Finetuning(SMOLLM2, "smollm2", longest=128, tokens=100_000_000), 1000),
    },
    render,
    plans,
    ask_before,
    ("trl",),
)
