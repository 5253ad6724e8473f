"""Table 3 and Figure 9: language models fine-tuned on GSM8K, unchanged and with equations in two notations.

`corpora.gsm8k.load` finds GSM8K. The model is in a folder of its name, or else on the Hub.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from revorder.arithmetic.expression import Expression
from revorder.corpora import enhancement, gsm8k
from revorder.corpora.corpus import rewrite_corpus
from revorder.corpora.gsm8k import WordProblem
from revorder.errors import ProblemError
from revorder.evaluation.runner import RunSettings, load_run
from revorder.evaluation.word_problems.equations import Checked
from revorder.evaluation.word_problems.scoring import (
    CheckedSolution,
    check_solution,
    errors_table,
    errors_text,
    once_each,
    percent_of,
    score_system,
    table,
)
from revorder.evaluation.word_problems.solving import (
    MAX_TOKENS,
    attempts_of,
    hash_of_problems,
    load_problems,
    write_solutions,
)
from revorder.files import digest, make_folder, write_whole
from revorder.model.checkpoint import INFO_FILE, CheckpointInfo
from revorder.processes import is_first_process, share, wait_for_first, write_once
from revorder.reading.numbers import NOTATIONS
from revorder.reproduce.cells import MODELS, SOLUTIONS, made_by, refuse_other
from revorder.reproduce.exhibits import Exhibit, Sample, Table
from revorder.reproduce.experiment import Experiment, Say, texts_file
from revorder.reproduce.pretrained import LENGTHS, PRETRAINED
from revorder.reproduce.trainers import SMOLLM2, tiny_model
from revorder.training.finetune_data import ENHANCEMENT_SIZE
from revorder.training.finetune_recipe import FinetuneRecipe

TEXTS = {"original": "", "reversed": NOTATIONS[0], "enclosed": NOTATIONS[1]}  # the notation of each
FIGURE9 = "reversed"  # the text of the arm whose wrong solutions are shown
LEARNED = CheckpointInfo("revorder", "compact", LENGTHS)  # what the models were taught
OTHERS = "others"  # equations that the taught models had not learned to solve
RECIPE = "llama2-7b"  # of appendix C: batches of 32, 5e-5, warmup 0.08, 3 epochs


class Arm(NamedTuple):
    """A model to fine-tune on a text; `taught`: it starts from one that has learned arithmetic."""

    text: str
    taught: bool

    @property
    def name(self) -> str:
        return "taught " * self.taught + self.text

    @property
    def start(self) -> str:
        """The taught model's name: for the original text one that has learned direct answers."""
        return f"{'revorder' if TEXTS[self.text] else 'plain'} restored" * self.taught


@dataclass(frozen=True)
class Table3Settings:
    """`examples` and `n` limit the problems of the training and the test set; None takes all.

    `enhancement` samples begin each epoch of the rewritten texts. `recipe` changes RECIPE. `max_tokens` limits a
    solution. With `taught` further arms start from models that have learned arithmetic, those of the experiment
    `pretrained` in the same folder of results. If `tokenizer` is `bytes`, a tiny random Llama replaces `model`. `data`
    is the argument of `corpora.gsm8k.load`.
    """

    examples: int | None = None
    n: int | None = None
    enhancement: int = ENHANCEMENT_SIZE
    recipe: dict[str, Any] = field(default_factory=dict)
    max_tokens: int = MAX_TOKENS
    model: str = SMOLLM2
    taught: bool = False
    tokenizer: Literal["", "bytes"] = ""
    data: str | None = None

    @property
    def arms(self) -> list[Arm]:
        """A model to fine-tune for each text, and for each model that it starts from."""
        return [Arm(text, taught) for taught in (False, True)[: 1 + self.taught] for text in TEXTS]


def collect(settings: Table3Settings, folder: Path, say: Say) -> int:
    """Fine-tune each arm, let it solve the test set, and return the training tokens of all arms.

    Raises KeyboardInterrupt if training is interrupted; its state is saved.
    """
    from revorder.inference.transformers_runtime import TransformersRuntime
    from revorder.training.finetune import finetune

    problems = load_problems(settings.data, settings.n)
    recipe = recipe_of(settings)
    make_folder(folder / SOLUTIONS)
    data = write_data(settings, folder / MODELS / "data")
    arms = {arm.name: arm for arm in settings.arms}
    out = {name: texts_file(folder / SOLUTIONS, name) for name in arms}
    terms = {
        name: {
            "arm": name,
            "recipe": recipe.terms(),
            "problems": hash_of_problems(problems),
            "data": [digest(Path(path)) for path in data[arm.text]],
        }
        for name, arm in arms.items()
    }
    for name, path in out.items():
        if path.exists():
            refuse_other(path, terms[name])

    def run_arm(name: str) -> None:
        model = folder / MODELS / name
        say(f"{name}: fine-tuning")
        if finetune(start_of(settings, folder, arms[name]), data[arms[name].text], model, recipe) is None:
            raise KeyboardInterrupt

        def write() -> None:
            say(f"{name}: {len(problems):,} problems")
            kept = terms[name] | made_by(model)
            write_solutions(TransformersRuntime(model), problems, out[name], kept, settings.max_tokens)

        write_once(out[name], write)

    share(out, run_arm, folder / MODELS, say)
    return sum(load_run(path)[0]["tokens"] for path in out.values())


def start_of(settings: Table3Settings, folder: Path, arm: Arm) -> str | Path:
    """Return the model that an arm starts from; raises ProblemError if it is to be taught first."""
    if arm.taught:
        model = folder.parent / PRETRAINED.name / MODELS / arm.start
        if not (model / INFO_FILE).exists():
            raise ProblemError(
                f"model {str(model)!r} is missing; first run {PRETRAINED.name!r} with the same --preset and --out"
            )
        return model
    return tiny_model(folder / MODELS / "base") if settings.tokenizer else settings.model


def recipe_of(settings: Table3Settings) -> FinetuneRecipe:
    base = FinetuneRecipe.read(RECIPE).model_dump(exclude_unset=True)
    return FinetuneRecipe.read(base | {"name": "table3"} | settings.recipe)


def write_data(settings: Table3Settings, folder: Path) -> dict[str, list[str]]:
    """Return the training files of each text, in order; the first of several processes writes them."""
    make_folder(folder)
    original, *rewritten = TEXTS
    files = {original: [folder / f"{original}.jsonl"]}
    files |= {text: [folder / f"enhancement_{text}.jsonl", folder / f"{text}.jsonl"] for text in rewritten}
    wait_for_first(lambda: all(path.exists() for paths in files.values() for path in paths))
    if is_first_process():
        write_rows(files[original][0], islice(gsm8k.load(settings.data), settings.examples))
        for text in rewritten:
            samples, converted = files[text]
            rewrite_corpus(files[original][0], converted, notation=TEXTS[text], overwrite=True)
            write_rows(samples, enhancement.examples(0, 0, settings.enhancement, TEXTS[text]))
    return {text: [str(path) for path in paths] for text, paths in files.items()}


def write_rows(path: Path, rows: Iterable[WordProblem]) -> None:
    write_whole(path, "".join(json.dumps(row._asdict()) + "\n" for row in rows))


def read_arm(settings: Table3Settings, folder: Path, arm: Arm) -> tuple[RunSettings, list[CheckedSolution]]:
    """Return an arm's run and its scored solutions; raises ProblemError if its recipe has changed."""
    path = texts_file(folder / SOLUTIONS, arm.name)
    refuse_other(path, {"arm": arm.name, "recipe": recipe_of(settings).terms()})
    what = f"in {TEXTS[arm.text]}" if TEXTS[arm.text] else "original text"
    name = "tiny random Llama" if settings.tokenizer else settings.model.rpartition("/")[2]
    run, results = load_run(path)
    return run, [
        check_solution(attempt) for attempt in attempts_of(results, f"{name}{', taught' * arm.taught}, {what}")
    ]


def render(settings: Table3Settings, folder: Path) -> list[Exhibit]:
    """Show Table 3, the errors by cause, and a wrong solution in `r|` for each cause (Figure 9)."""
    arms = {arm.name: read_arm(settings, folder, arm) for arm in settings.arms}
    scores = [score_system(solutions[0].attempt.system, solutions) for _, solutions in arms.values()]
    count = "all" if settings.examples is None else f"the first {settings.examples:,}"
    taught = (
        " taught: the model had learned arithmetic and got its English back (restored in the experiment `pretrained`);"
        " direct answers for the original text, RevOrder's traces for the others."
    )
    note = (
        f"Percent right (95% interval) of the first {scores[0].total:,} test problems and of the equations in their "
        f"solutions. Trained on {count} training problems; the rewritten texts have {settings.enhancement:,} samples "
        "of enhancement data first in each epoch: "
        + ", ".join(f"{arm} {run['steps']:,} steps, {run['tokens']:,} tokens" for arm, (run, _) in arms.items())
        + "."
        + taught * settings.taught
    )
    shown = arms[Arm(FIGURE9, settings.taught).name][1]
    causes = "Wrong equations, and wrong solutions by their first error."
    return [
        Table("Table 3: GSM8K", *table(scores), note),
        Table("What went wrong", *errors_table(scores), causes),
        *[by_learned([solutions for _, solutions in arms.values()])] * settings.taught,
        Sample(f"Figure 9: {shown[0].attempt.system}", errors_text(shown)),
    ]


def by_learned(arms: Iterable[list[CheckedSolution]]) -> Table:
    """Return each arm's right equations, of those that the taught models learned to solve and of the others."""
    rows = []
    for solutions in arms:
        counts = {op: [0, 0] for op in (*dict.fromkeys(op for op, _, _ in LENGTHS), OTHERS)}
        for equation in once_each(solutions):
            counts[learned_operator(equation)][equation.right] += 1
        shares = [percent_of(right, wrong + right) for wrong, right in counts.values()]
        rows.append([solutions[0].attempt.system, *shares])
    note = (
        "Percent of equations right (95% interval). +, - and *: one operation as the taught models learned it, on whole"
        " numbers to 16 digits, with a factor of one digit. others: longer factors, quotients, decimals, several"
        " operators."
    )
    return Table("What was learned and what was not", ["system", *counts], rows, note)


def learned_operator(equation: Checked) -> str:
    """Return the operator of an equation that the taught models learned to solve; OTHERS for any other equation.

    >>> [learned_operator(Checked(text, "*", True, "")) for text in ("12*3=r|63=36", "12*13=156", "1.5*2=3", "2*")]
    ['*', 'others', 'others', 'others']
    """
    try:
        problem = Expression.parse(equation.text.partition("=")[0]).problem()
    except ProblemError:
        return OTHERS
    return problem.op if LEARNED.covers(problem) else OTHERS


TABLE3 = Experiment(
    "table3",
    "Table 3 and Figure 9",
    "GSM8K with rewritten equations",
    {
        "smoke": Table3Settings(
            examples=8,
            n=4,
            enhancement=8,
            recipe={"steps": 1, "batch": 2, "max_tokens": 1024},
            max_tokens=16,
            taught=True,
            tokenizer="bytes",
        ),
        # a third of the data
        "cpu": Table3Settings(2500, 256, 670, {"checkpointing": False, "save_every": 25}, max_tokens=320, taught=True),
        "gpu": Table3Settings(taught=True),
    },
    render,
    collect=collect,
    needs=("torch", "transformers", "accelerate", "trl", "peft", "datasets"),
)
