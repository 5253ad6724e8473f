"""Cells: one trained or fine-tuned model each, with the texts that the model writes for some tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from revorder.errors import ProblemError
from revorder.evaluation.runner import load_run, run
from revorder.evaluation.scores import Result, Score, score_tasks
from revorder.evaluation.suites import hash_of
from revorder.methods import find_method
from revorder.mixtures.mixture import Mixture
from revorder.model.checkpoint import CheckpointInfo
from revorder.processes import share, write_once
from revorder.reproduce.experiment import RunInfo, Say, texts_file, texts_in
from revorder.reproduce.plan import Plan

Key = TypeVar("Key")
Cell = tuple[Mapping[str, Any], list[Result]]  # the run's settings, and its results
ASKED: dict[str, Any] = {"method": str, "form": str, "problems": str, "tokens": int}  # settings that every cell stores
TRAINED: dict[str, Any] = {"data": dict, "training": dict, "steps": int, "seconds": (int, float), "commit": str}
MODELS = "models"  # the folder of the checkpoints, which git ignores
SOLUTIONS = "solutions"  # the folder of solutions to word problems


def run_cells(plans: Iterable[Plan], folder: Path, say: Say) -> int:
    """Train a model for each plan, write its texts to folder/<its name>.jsonl.gz, and return the training tokens.

    Existing texts are kept, and interrupted trainings resume. Several processes share the cells.
    Raises KeyboardInterrupt if a training was interrupted (its state is saved), and ProblemError if existing texts come
    from another training, other data or other problems.
    """
    named = {plan.name: plan for plan in plans}
    out = {name: texts_file(folder, name) for name in named}
    for name, plan in named.items():
        if out[name].exists():
            refuse_other(out[name], plan.terms)
    share(out, lambda name: run_cell(named[name], folder, say), folder / MODELS, say)
    return sum(read_cell(folder, name)[0]["tokens"] for name in named)


def run_cell(plan: Plan, folder: Path, say: Say) -> None:
    """Train a cell's model and write its texts; under torchrun the first process writes and the others wait."""
    from revorder.inference.solver import open_runtime

    mixture = Mixture.read(plan.data)
    model, out = folder / MODELS / plan.name, texts_file(folder, plan.name)
    say(f"{plan.name}: training")
    if plan.training.train(plan.data, plan.max_digits, model) is None:
        raise KeyboardInterrupt

    def write() -> None:
        say(f"{plan.name}: {sum(map(len, plan.tasks.values())):,} problems")
        settings = {"cell": plan.name, "method": mixture.method, "form": mixture.form}
        made = made_by(model) | dict(plan.measure(model))
        run(open_runtime(str(model)), plan.tasks, out, settings | made | plan.terms)

    write_once(out, write)


def made_by(model: Path) -> dict[str, Any]:
    """Return the steps, tokens, seconds and commit of a model's training, and exact match by tokens if measured."""
    from revorder.training.runs import read_log

    made = CheckpointInfo.load(model).extra
    about = {key: made[key] for key in ("steps", "tokens", "seconds", "commit") if key in made}
    measured = [entry for entry in read_log(model / "run" / "log.jsonl") if "exact" in entry]
    of_a_step = made.get("tokens", 0) / max(1, made.get("steps", 1))
    curve = [{"tokens": round(entry["step"] * of_a_step), **entry["exact"]} for entry in measured]
    return about | ({"exact": curve} if curve else {})


def refuse_other(path: Path, terms: Mapping[str, Any]) -> None:
    """Raise ProblemError if a file's results were made with other settings than `terms`."""
    if other := differing(load_run(path)[0], terms):
        raise ProblemError(f"results {str(path)!r} have other {', '.join(other)} than today's; choose a new --out")


def differing(stored: Mapping[str, Any], terms: Mapping[str, Any]) -> list[str]:
    """Return the keys of `terms` whose stored values differ.

    >>> differing({"problems": "1d70", "training": {"seed": 1}}, {"problems": "1d70", "training": {"seed": 2}})
    ['training']
    """
    return [key for key, value in terms.items() if stored.get(key) != json.loads(json.dumps(value))]


def read_cell(folder: Path, name: str) -> Cell:
    """Return a cell's settings and results; raises ProblemError if the file is incomplete or damaged."""
    path = texts_file(folder, name)
    what, results = load_run(path)
    wanted = ASKED | (TRAINED if what.get("tokens") else {})
    if wrong := [key for key, kind in wanted.items() if not isinstance(what.get(key), kind)]:
        raise ProblemError(f"results {str(path)!r} lack {', '.join(wrong)}; run the experiment again")
    try:
        find_method(what["method"], what["form"])
    except ProblemError as error:
        raise ProblemError(f"results {str(path)!r}: {error}") from None
    tasks: dict[str, list[str]] = {}
    for result in results:
        tasks.setdefault(result.task, []).append(result.problem)
    if what["problems"] != hash_of(tasks):
        raise ProblemError(f"results {str(path)!r} do not hold the problems that were asked; run the experiment again")
    return what, results


def read_cells(folder: Path) -> dict[str, Cell]:
    """Return every cell in a folder, sorted by name."""
    return {name: read_cell(folder, name) for name in texts_in(folder)}


def training_heads(folder: Path) -> list[Mapping[str, Any]]:
    """Return the stored settings of each run in a folder whose model was trained."""
    cells = [what for what, _ in read_cells(folder).values()]
    solutions = [load_run(path)[0] for path in texts_in(folder / SOLUTIONS).values()]
    return [what for what in cells + solutions if "seconds" in what]


def stored_cells(folder: Path, keys: Iterable[Key], name: Callable[[Key], str] = str) -> dict[Key, Cell]:
    """Return the cells in an experiment's folder by key; `name` turns a key into the cell's name.

    Raises ProblemError if the experiment is finished and a cell is missing.
    """
    found: dict[Key, Cell] = {}
    for key in keys:
        path = texts_file(folder, name(key))
        if path.exists():
            found[key] = read_cell(folder, name(key))
        elif RunInfo.read(folder).done:
            raise ProblemError(f"results {str(path)!r} are missing; run the experiment again")
    return found


def scores_of(results: Sequence[Result]) -> dict[str, Score]:
    """Return the score of each task, by name."""
    return {score.task: score for score in score_tasks(results)}
