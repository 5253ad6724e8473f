"""An experiment of the paper: what runs at each preset, where its results are kept, and what is shown of them."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from revorder import __version__
from revorder.errors import ProblemError
from revorder.files import make_folder, write_whole

PRESETS = ("smoke", "cpu", "gpu")
LAYOUT = 1  # of a result folder
INFO_FILE = "run.json"
LIBRARIES = ("torch", "transformers", "trl", "ctranslate2")

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


@dataclass(frozen=True)
class RunInfo:
    """What a result folder is: all that is needed to make it again, and what it took."""

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
        path = folder / INFO_FILE
        try:
            info = cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            raise ProblemError(
                f"results {str(folder)!r}: no {INFO_FILE} to read; accepted: what reproduce wrote"
            ) from None
        if info.layout != LAYOUT:
            raise ProblemError(f"results {str(folder)!r} have layout {info.layout}; accepted: {LAYOUT}, by a new run")
        return info

    def save(self, folder: Path) -> None:
        if os.environ.get("RANK", "0") == "0":  # of several processes of one run the first one writes
            write_whole(folder / INFO_FILE, json.dumps(asdict(self), indent=2) + "\n")


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
        hardware(experiment.needs),
    )
    if (folder / INFO_FILE).exists():
        found = RunInfo.read(folder)
        if (found.preset, found.settings) != (info.preset, info.settings):
            raise ProblemError(
                f"results {str(folder)!r} are of preset {found.preset!r} or of other settings; accepted: a new folder"
            )
        if found.done:
            say(f"{experiment.name}: {folder} holds it already")
            return folder
        info = replace(info, seconds=found.seconds, tokens=found.tokens)
    make_folder(folder)
    info.save(folder)
    start = time.monotonic()

    def save(tokens: int = info.tokens, done: bool = False) -> None:
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


def results_in(out: Path) -> list[tuple[RunInfo, Path]]:
    """The finished experiments in a folder of results; raises ProblemError where there is none."""
    found = [(RunInfo.read(path.parent), path.parent) for path in sorted(out.glob(f"*/{INFO_FILE}"))]
    if not any(info.done for info, _ in found):
        raise ProblemError(f"results {str(out)!r}: none; accepted: a folder that `revorder reproduce --out` filled")
    return [(info, folder) for info, folder in found if info.done]


def commit() -> str:
    """The commit that the package is of, `-dirty` where it was changed since; its version where no checkout has it."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return __version__
    try:
        head, changed = (
            subprocess.run(["git", *call], cwd=root, capture_output=True, text=True, timeout=10)
            for call in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--", "revorder"])
        )
    except (OSError, subprocess.TimeoutExpired):
        return __version__
    return head.stdout.strip() + ("-dirty" if changed.stdout else "") if head.returncode == 0 else __version__


def versions() -> dict[str, str]:
    """The versions of Python, of this package and of the libraries that results depend on."""
    found = {"python": platform.python_version(), "revorder": __version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hardware(needs: Sequence[str]) -> str:
    """What computes here, in words; GPUs only for what needs torch."""
    if "torch" in needs:
        import torch

        if torch.cuda.is_available():
            return f"{torch.cuda.device_count()} x {torch.cuda.get_device_name()}"
    return f"{os.cpu_count()} CPU cores ({platform.machine()})"
