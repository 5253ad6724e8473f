"""A pretrained language model before and after: taught direct answers and RevOrder's traces on equal tokens, and what
that costs it in English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from revorder.evaluation.perplexity import LONGEST, language
from revorder.evaluation.runner import run as ask
from revorder.evaluation.scores import Score, together
from revorder.evaluation.suites import EXTRA, ONE_DIGIT, SEED, SMALL, Draw, columns, hash_of
from revorder.processes import share, write_once
from revorder.reproduce.cells import MODELS, refuse_other, scores_of, stored_cells
from revorder.reproduce.columns import by_op
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment, Say, texts_file
from revorder.reproduce.plan import Plan, Tasks
from revorder.reproduce.trainers import EQUATIONS, SMOLLM2, Finetuning
from revorder.training.finetune_recipe import FinetuneRecipe

BEFORE = "before"  # the cell of the model as downloaded
TEXTS = 4  # of English of each kind, for each problem of a column
REPLY = 64  # tokens of a reply, more if a problem is long
SHOWN = 5  # digits; the curves of shorter numbers are left out
CURVE = "The whole trace is the likeliest at every token, for 100 validation problems of each pair of lengths."
SHARE = 0.2  # of other text, in the cells that keep the model's language
UNDO, HALF = 0.3, 0.5  # of the change, and of other text, in the cells that bring it back
RANK = 64  # of the LoRA adapters
COLUMNS = [
    *(column for column in SMALL + EXTRA if column[1] in "+-"),
    *ONE_DIGIT,
    ("MUL 8D*1D", "*", 8, 1),
    ("MUL 16D*1D", "*", 16, 1),
]
PARTS = tuple(
    {"op": op, "a": [1, most], "b": 1 if op == "*" else [1, most], "weight": weight, "hard": 0.2}
    for most, share in ((5, 4), (16, 1))
    for op, weight in (("+", 3 * share), ("-", 4 * share), ("*", 3 * share))
)
LENGTHS = (("+", 16, 16), ("-", 16, 16), ("*", 16, 1))


@dataclass(frozen=True)
class Arm:
    """What a copy of the model is taught: a method's traces, for about `tokens` tokens or for `steps` steps.

    `share` of the examples are questions of GSM8K's training set; `recipe` changes the experiment's. If `start`
    names an arm, the training starts from that arm's model.
    """

    name: str
    method: str = "revorder"
    form: str = "compact"
    tokens: int = 0
    steps: int = 0
    share: float = 0
    recipe: Mapping[str, Any] | None = None
    start: str = ""


@dataclass(frozen=True)
class PretrainedSettings:
    """`arms`: what the copies are taught; `n`: problems a column; `only`: these columns, or all if empty."""

    training: Finetuning
    arms: tuple[Arm, ...]
    n: int
    only: tuple[str, ...] = ()

    def tasks(self) -> Tasks:
        """Return the problems, by column."""
        asked = [column for column in COLUMNS if not self.only or column[0] in self.only]
        return columns(asked, Draw("+-*", self.n, SEED))


def ask_before(settings: PretrainedSettings, folder: Path, say: Say) -> int:
    """Ask the model as downloaded; no training token is spent."""
    from revorder.inference.transformers_runtime import TransformersRuntime

    tasks = settings.tasks()
    out = texts_file(folder, BEFORE)
    about = {"cell": BEFORE, "method": "plain", "form": "plain", "tokens": 0, "problems": hash_of(tasks)}
    if out.exists():
        refuse_other(out, about)

    def write() -> None:
        say(f"{BEFORE}: {sum(map(len, tasks.values())):,} problems")
        model = settings.training.base(folder / MODELS)
        about["perplexity"] = language(model, TEXTS * settings.n, settings.training.questions)
        ask(TransformersRuntime(model, "plain"), tasks, out, about, REPLY)

    share({BEFORE: out}, lambda _: write_once(out, write), folder / MODELS, say)
    return 0


def plans(settings: PretrainedSettings) -> list[Plan]:
    """Plan a model for each arm."""
    tasks, found = settings.tasks(), list[Plan]()
    for arm in settings.arms:
        recipe = {
            **FinetuneRecipe.read(settings.training.recipe).model_dump(exclude_unset=True),
            "steps": arm.steps,
            **(arm.recipe or {}),
        }
        model = arm.start or settings.training.model
        training = replace(settings.training, model=model, recipe=recipe, tokens=arm.tokens, share=arm.share)
        data = {"name": arm.name, "method": arm.method, "form": arm.form, "size": EQUATIONS, "parts": list(PARTS)}
        found.append(Plan(training, data, LENGTHS, tasks, partial(measure, settings)))
    return found


def measure(settings: PretrainedSettings, model: Path) -> dict[str, Any]:
    """Return the perplexity of a model on English, to be stored with its texts."""
    return {"perplexity": language(model, TEXTS * settings.n, settings.training.questions)}


def render(settings: PretrainedSettings, folder: Path) -> list[Exhibit]:
    """Show the curve by tokens, exact match by column before and after, and arithmetic beside perplexity."""
    stored = stored_cells(folder, (BEFORE, *(arm.name for arm in settings.arms)))
    rows = {name: (what, scores_of(results)) for name, (what, results) in stored.items()}
    compared = {BEFORE, *(arm.name for arm in settings.arms if arm.tokens or arm.start)}
    seen = ", ".join(f"{name} {what['tokens']:,} tokens" for name, (what, _) in rows.items() if what["tokens"])
    note = (
        f"Percent exact (95% interval, one seed) of up to {settings.n} problems a column, held out from 3 digits on;"
        f" {settings.training.terms}{seen and f', on {seen}'}. {BEFORE}: the model as downloaded, asked in words by its"
        " chat template."
    )
    taught_alone = {arm.name for arm in settings.arms if arm.tokens}
    measured = {name: what["exact"] for name, (what, _) in rows.items() if name in taught_alone and "exact" in what}
    found: list[Exhibit] = [*curves(measured)]
    operations = by_op(list(settings.tasks()))
    for op, names in operations.items():
        body = []
        for name, (_, scores) in rows.items():
            if name in compared:
                some = [scores[task] for task in names]
                body.append([name, *(f"{score.percent:.0f}" for score in some), together(some).shown])
        found.append(Table(f"A pretrained model before and after, {op}", ["taught", *names, "all"], body, note))
        note = ""
    return [*found, cost_in_language(rows, operations, TEXTS * settings.n)]


def curves(measured: Mapping[str, Sequence[Mapping[str, float]]]) -> list[Chart]:
    """Return a chart for each operation: exact match from SHOWN digits on, by the tokens of each arm."""
    found = []
    for op in "+-*":
        series = [
            Series(f"{arm}, {column}", [(point["tokens"], point[column]) for point in points])
            for arm, points in measured.items()
            for column in points[0]
            if op in column and int(column.partition("D")[0]) >= SHOWN
        ]
        found.append(Chart(f"Exact match by tokens, {op}", "training tokens", "percent", series, CURVE))
    return [chart for chart in found if chart.series]


def cost_in_language(
    rows: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Score]]], operations: Mapping[str, list[str]], texts: int
) -> Table:
    """Return the table of each cell's arithmetic and perplexity."""
    body = []
    for name, (what, scores) in rows.items():
        shares = [together([scores[task] for task in names]).shown for names in operations.values()]
        perplexities = [f"{value:,.1f}" for value in what["perplexity"].values()]
        body.append([name, f"{what['tokens']:,}", *shares, *perplexities])
    header = ["taught", "tokens", *operations, "perplexity, GSM8K's questions", "perplexity, prose"]
    note = (
        f"Perplexity: of up to {texts} questions of GSM8K's test set, and paragraphs of Python's language reference,"
        f" {LONGEST} tokens at most."
    )
    if any("mixed" in name for name in rows):
        note += (
            f" full trains every weight, LoRA trains adapters of rank {RANK}. mixed: {SHARE:.0%} of the examples are"
            " questions of GSM8K's training set, added to as many equations as without them."
        )
    if any("restored" in name for name in rows):
        note += (
            f" restored: {UNDO:.0%} of the taught model's change is undone, then it is trained on as many questions of"
            " GSM8K's training set as equations."
        )
    return Table("What arithmetic costs in English", header, body, note)


def kept(steps: int) -> tuple[Arm, ...]:
    """Return the arms that show what keeps a model's language: full or LoRA, with other text or without."""
    lora = {"lora": RANK, "lr": (2e-3,)}
    longer = round(steps / (1 - SHARE))
    return (
        Arm("full", steps=steps),
        Arm("full mixed", steps=longer, share=SHARE),
        Arm("LoRA", steps=steps, recipe=lora),
        Arm("LoRA mixed", steps=longer, share=SHARE, recipe=lora),
    )


def restored(steps: int) -> tuple[Arm, ...]:
    """Return the arms that bring back the language of the taught models."""
    recipe = {"undo": UNDO}
    return (
        Arm("revorder restored", steps=steps, share=HALF, recipe=recipe, start="revorder"),
        Arm("plain restored", "plain", "plain", steps=steps, share=HALF, recipe=recipe, start="plain"),
    )


def taught(
    tokens: int, revorder: Mapping[str, Any] | None = None, plain: Mapping[str, Any] | None = None
) -> tuple[Arm, ...]:
    """Return the arms of both ways to write, on equal tokens; `revorder` and `plain` change their recipes."""
    return (
        Arm("revorder", tokens=tokens, recipe=revorder),
        Arm("plain", "plain", "plain", tokens=tokens, recipe=plain),
    )


TINY = Finetuning("tiny", {"batch": 2, "max_tokens": 64}, longest=64, tokenizer="bytes")
PRETRAINED = Experiment(
    "pretrained",
    "Section 5.1",
    "A pretrained model before and after",
    {
        "smoke": PretrainedSettings(TINY, (*taught(1), *kept(1)[3:], *restored(1)), 1, ("ADD 1D", "MUL 1D*1D")),
        # both runs end early, at 3.85M tokens, because the time for 8M ran out
        "cpu": PretrainedSettings(
            Finetuning(SMOLLM2, "smollm2", longest=128),
            (*taught(8_000_000, {"finish": (5030, 5450)}, {"finish": (7280, 7889)}), *kept(240), *restored(120)),
            100,
        ),
        "gpu": PretrainedSettings(
            Finetuning(SMOLLM2, "smollm2", longest=128),
            (*taught(100_000_000), *kept(8000), *restored(3000)),
            1000,
        ),
    },
    render,
    plans,
    ask_before,
    ("trl", "peft"),
)
