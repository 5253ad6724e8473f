"""An experiment of the paper: what runs at each preset, where its results are kept, and what is shown of them."""

from __future__ import annotations

import importlib.util
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from revorder.errors import ProblemError, first_line
from revorder.files import make_folder, write_whole
from revorder.processes import is_first_process
from revorder.provenance import commit, hardware, joined, versions

PRESETS = ("smoke", "cpu", "gpu")
LAYOUT = 1  # of a result folder
RUN_FILE = "run.json"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Table:
    """Rows under a header, as text; `note`: a line below, on what the numbers are."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Series:
    """One line of a chart: points (x, y), and where known the interval of each y."""

    name: str
    points: Sequence[tuple[float, float]]
    intervals: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Chart:
    """A line chart; `dashed`: the names of the series that the paper states."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    note: str = ""
    dashed: Sequence[str] = ()
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Sample:
    """A text to read, kept as it is."""

    title: str
    text: str
    note: str = ""


Block = Table | Chart | Sample


@dataclass(frozen=True)
class Experiment:
    """One of the paper's results.

    `shows`: what of the paper, such as Table 1. `settings`: preset -> what `run` takes, a frozen dataclass. `run`
    writes files of results into a folder, those that are there already aside, and returns the training tokens that
    it took in all. `blocks` reads them alone. `needs`: the libraries that `run` imports.
    """

    name: str
    shows: str
    title: str
    settings: Mapping[str, Any]
    run: Callable[[Any, Path, Say], int]
    blocks: Callable[[Any, Path], list[Block]]
    needs: Sequence[str] = ()

    def show(self, settings: Any, folder: Path) -> list[Block]:
        """What `blocks` makes of the results in a folder; raises ProblemError where they are not what `run` wrote."""
        try:
            return self.blocks(settings, folder)
        except ProblemError:
            raise
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, OSError) as error:
            raise ProblemError(
                f"results {str(folder)!r} can't be shown: {type(error).__name__}: {first_line(error)}; accepted: what reproduce wrote"
            ) from error


@dataclass(frozen=True)
class RunInfo:
    """What a result folder is: all that is needed to make it again, and what it took.

    `commit` and `hardware`: of each go at it, in turn; `versions`: of the last one.
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
        """Read the folder's run.json; raises ProblemError where it is missing or of another layout."""
        path = folder / RUN_FILE
        try:
            info = TypeAdapter(cls).validate_json(path.read_bytes())
        except OSError as error:
            raise ProblemError(
                f"results {str(path)!r} can't be read: {first_line(error)}; accepted: what reproduce wrote"
            ) from None
        except ValidationError as error:
            wrong = error.errors()[0]
            key = wrong["loc"][0] if wrong["loc"] else "its text"
            raise ProblemError(
                f"results {str(path)!r}: {key}: {wrong['msg']}; accepted: what reproduce wrote"
            ) from None
        if info.layout != LAYOUT:
            raise ProblemError(f"results {str(folder)!r} have layout {info.layout}; accepted: {LAYOUT}, by a new run")
        return info

    def save(self, folder: Path) -> None:
        if is_first_process():
            write_whole(folder / RUN_FILE, json.dumps(asdict(self), indent=2) + "\n")


def nothing(settings: Any, folder: Path, say: Say) -> int:
    """The `run` of an experiment that trains and keeps nothing: its blocks are pure functions of its settings."""
    return 0


def perform(experiment: Experiment, preset: str, out: Path, say: Say = lambda line: None) -> Path:
    """Run an experiment into out/<its name>, or go on where it stopped; returns that folder.

    Raises ProblemError for an unknown preset, a missing library, and where the folder holds another preset's results.
    """
    if preset not in experiment.settings:
        raise ProblemError(f"preset {preset!r} of {experiment.name}: accepted: {', '.join(experiment.settings)}")
    if missing := [name for name in experiment.needs if not importlib.util.find_spec(name)]:
        raise ProblemError(f"{experiment.name} needs {', '.join(missing)}; install: pip install 'revorder[reproduce]'")
    folder = out / experiment.name
    settings = experiment.settings[preset]
    info = RunInfo(
        experiment.name,
        preset,
        as_stored(settings),
        f"revorder reproduce {experiment.name} --preset {preset} --out DIR",
        commit(),
        versions(),
        hardware(bool(experiment.needs)),
    )
    if (folder / RUN_FILE).exists():
        found = RunInfo.read(folder)
        if (found.preset, found.settings) != (info.preset, info.settings):
            raise ProblemError(
                f"results {str(folder)!r} are of preset {found.preset!r} or of other settings; accepted: a new folder"
            )
        if found.done and experiment.run is not nothing:
            refuse_changed(experiment, settings, folder)
            say(f"{experiment.name}: {folder} holds it already")
            return folder
        if not found.done:
            commits, machines = joined(found.commit, info.commit), joined(found.hardware, info.hardware)
            info = replace(info, commit=commits, hardware=machines, seconds=found.seconds)
    make_folder(folder)
    info.save(folder)
    start = time.monotonic()

    def save(tokens: int = 0, done: bool = False) -> None:
        replace(info, seconds=round(info.seconds + time.monotonic() - start, 1), tokens=tokens, done=done).save(folder)

    def heard(line: str) -> None:
        save()
        say(line)

    try:
        save(experiment.run(settings, folder, heard), True)
    except BaseException:
        save()
        raise
    return folder


def as_stored(settings: Any) -> dict[str, Any]:
    """A preset's settings as run.json has them."""
    return json.loads(json.dumps(asdict(settings)))


def refuse_changed(experiment: Experiment, settings: Any, folder: Path) -> None:
    """Raise ProblemError where a finished experiment's results are not all there, or of other terms than today's."""
    experiment.show(settings, folder)
    if holds_cells(folder):
        # it compares the terms; where all is there nothing is trained
        experiment.run(settings, folder, lambda line: None)


def holds_cells(folder: Path) -> bool:
    """Whether the texts of a model are in an experiment's folder."""
    return any(folder.glob("*.jsonl"))


def results_in(out: Path) -> list[tuple[RunInfo, Path]]:
    """The experiments in a folder that are finished, or have a model's texts beside run.json.

    Raises ProblemError where there is none, and where two folders hold the same one.
    """
    found = [(RunInfo.read(path.parent), path.parent) for path in sorted(out.glob(f"*/{RUN_FILE}"))]
    found = [(info, folder) for info, folder in found if info.done or holds_cells(folder)]
    for info, folder in found:
        if folder.name != info.experiment:
            raise ProblemError(f"results {str(folder)!r} are of {info.experiment!r}; accepted: a folder of that name")
    if not found:
        raise ProblemError(f"results {str(out)!r}: none; accepted: a folder that `revorder reproduce --out` filled")
    return found
