"""The harness runs an experiment in a folder, and resumes interrupted runs."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from revorder.errors import ProblemError
from revorder.files import make_folder
from revorder.provenance import commit, hardware, joined, versions
from revorder.reproduce.cells import run_cells
from revorder.reproduce.exhibits import Exhibit
from revorder.reproduce.experiment import RUN_FILE, Experiment, RunInfo, Say, as_stored, texts_in


def perform(experiment: Experiment, preset: str, out: Path, say: Say = lambda line: None) -> Path:
    """Run an experiment in out/<its name>, or resume it there, and return that folder.

    Raises ProblemError for an unknown preset, a missing library, or a folder with results of other settings.
    """
    if preset not in experiment.settings:
        raise ProblemError(f"preset {preset!r} is unknown; accepted: {', '.join(experiment.settings)}")
    if missing := [name for name in experiment.libraries if not importlib.util.find_spec(name)]:
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
        hardware(bool(experiment.libraries)),
    )
    if (folder / RUN_FILE).exists():
        found = RunInfo.read(folder)
        if (found.preset, found.settings) != (info.preset, info.settings):
            raise ProblemError(
                f"{str(folder)!r} holds results of preset {found.preset!r} with other settings; choose a new --out"
            )
        if found.done and experiment.stores_results:
            refuse_changed(experiment, settings, folder)
            say(f"{experiment.name}: {folder} is complete")
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
        save(fill(experiment, settings, folder, heard), True)
    except BaseException:
        save()
        raise
    return folder


def fill(experiment: Experiment, settings: Any, folder: Path, say: Say) -> int:
    """Write a folder's missing results, and return the training tokens of all its models."""
    tokens = experiment.collect(settings, folder, say) if experiment.collect else 0
    return tokens + (run_cells(experiment.plans(settings), folder, say) if experiment.plans else 0)


def refuse_changed(experiment: Experiment, settings: Any, folder: Path) -> list[Exhibit]:
    """Return a finished experiment's exhibits; raises ProblemError if it lacks results, or has other settings' ones."""
    exhibits = experiment.show(settings, folder)
    if texts_in(folder):
        fill(experiment, settings, folder, lambda line: None)  # compares the settings; trains nothing if complete
    return exhibits
