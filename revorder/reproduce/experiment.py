"""Experiments of the paper, and their folders of results: what made the results, and the cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from revorder.errors import ProblemError, first_line
from revorder.files import write_whole
from revorder.processes import is_first_process
from revorder.reproduce.exhibits import Exhibit
from revorder.reproduce.plan import Plan

PRESETS = ("smoke", "cpu", "gpu")
LAYOUT = 1  # version of the result folder
RUN_FILE = "run.json"
TEXTS = ".jsonl.gz"  # the ending of a file of texts
TRAINING = ("torch", "transformers", "accelerate")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Experiment:
    """One of the paper's results.

    Args:
        name: the name on the command line.
        shows: the part of the paper, such as Table 1.
        title: what the results are about.
        settings: a frozen dataclass for each preset, passed to the functions below.
        render: returns the exhibits of a folder of results, and reads nothing else.
        plans: returns the models to train and the problems to ask.
        collect: writes other results to a folder, and returns the training tokens spent.
        needs: the libraries needed besides those for training.
    """

    name: str
    shows: str
    title: str
    settings: Mapping[str, Any]
    render: Callable[[Any, Path], list[Exhibit]]
    plans: Callable[[Any], list[Plan]] | None = None
    collect: Callable[[Any, Path, Say], int] | None = None
    needs: Sequence[str] = ()

    @property
    def stores_results(self) -> bool:
        """Whether the exhibits need stored results; otherwise they depend on the settings alone."""
        return bool(self.plans or self.collect)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The libraries that a run imports."""
        return (*(TRAINING if self.plans else ()), *self.needs)

    def show(self, settings: Any, folder: Path) -> list[Exhibit]:
        """Return the exhibits of a folder; raises ProblemError if its results are damaged."""
        try:
            return self.render(settings, folder)
        except ProblemError:
            raise
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, OSError) as error:
            raise ProblemError(
                f"can't show the results in {str(folder)!r}: {type(error).__name__}: {first_line(error)}; run it again"
            ) from error


@dataclass(frozen=True)
class RunInfo:
    """What made a folder of results, enough to make it again, and the cost.

    `commit` and `hardware` list those of every session, `versions` only the last session's.
    """

    experiment: str
    preset: str
    settings: Mapping[str, Any]
    command: str
    commit: str
    versions: Mapping[str, str]
    hardware: str
    seconds: float = 0.0
    tokens: int = 0
    done: bool = False
    layout: int = field(default=LAYOUT)

    @classmethod
    def read(cls, folder: Path) -> RunInfo:
        """Read a folder's run.json; raises ProblemError if it is missing, damaged or of another layout."""
        path = folder / RUN_FILE
        try:
            info = TypeAdapter(cls).validate_json(path.read_bytes())
        except OSError as error:
            raise ProblemError(f"can't read results {str(path)!r}: {first_line(error)}; run it again") from None
        except ValidationError as error:
            wrong = error.errors()[0]
            key = wrong["loc"][0] if wrong["loc"] else "its text"
            raise ProblemError(f"can't read results {str(path)!r}: {key}: {wrong['msg']}; run it again") from None
        if info.layout != LAYOUT:
            raise ProblemError(f"results {str(folder)!r} have layout {info.layout}, not {LAYOUT}; run it again")
        return info

    def save(self, folder: Path) -> None:
        if is_first_process():
            write_whole(folder / RUN_FILE, json.dumps(asdict(self), indent=2) + "\n")


def as_stored(settings: Any) -> dict[str, Any]:
    """Return a preset's settings as run.json holds them."""
    return json.loads(json.dumps(asdict(settings)))


def texts_file(folder: Path, name: str) -> Path:
    """Return the file of one model's texts."""
    return folder / f"{name}{TEXTS}"


def texts_in(folder: Path) -> dict[str, Path]:
    """Return the files of texts in a folder by model name, sorted."""
    return {path.name.removesuffix(TEXTS): path for path in sorted(folder.glob(f"*{TEXTS}"))}


def results_in(out: Path) -> list[tuple[RunInfo, Path]]:
    """Return the experiments in a folder that are finished, or have the texts of a model.

    Raises ProblemError if there are none, or if a folder is not named after its experiment.
    """
    found = [(RunInfo.read(path.parent), path.parent) for path in sorted(out.glob(f"*/{RUN_FILE}"))]
    found = [(info, folder) for info, folder in found if info.done or texts_in(folder)]
    for info, folder in found:
        if folder.name != info.experiment:
            raise ProblemError(f"{str(folder)!r} holds results of {info.experiment!r}; rename it to {info.experiment}")
    if not found:
        raise ProblemError(f"no results in {str(out)!r}; give a folder that `revorder reproduce --out` filled")
    return found
