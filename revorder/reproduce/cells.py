"""A cell of an experiment: one model, trained or fine-tuned, and what it writes of some tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from revorder.arithmetic.problem import Problem
from revorder.errors import ProblemError
from revorder.evaluation.runner import load_run, run
from revorder.evaluation.scores import Result, Score, score_tasks
from revorder.evaluation.suites import hash_of
from revorder.methods import find_method
from revorder.mixtures.mixture import Mixture
from revorder.model.checkpoint import CheckpointInfo
from revorder.processes import share, write_once
from revorder.reproduce.experiment import RunInfo, Say
from revorder.reproduce.trainers import Lengths, Trainer

Tasks = Mapping[str, list[Problem]]
Key = TypeVar("Key")
Cell = tuple[Mapping[str, Any], list[Result]]  # what was run, and its results
ASKED: dict[str, Any] = {"method": str, "form": str, "problems": str, "tokens": int}  # what a cell says of itself
TRAINED: dict[str, Any] = {"data": dict, "training": dict, "steps": int, "seconds": (int, float), "commit": str}
MODELS = "models"  # the folder of the checkpoints, which are not kept with the results
SOLUTIONS = "solutions"  # the folder of what models wrote of word problems


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
