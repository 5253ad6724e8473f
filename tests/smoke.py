"""The experiments that can run here, and their results at the smoke preset, which pytest's workers share."""

import os

import pytest
from conftest import SHARED

from revorder.processes import held
from revorder.reproduce import EXPERIMENTS as ALL
from revorder.reproduce.harness import perform

GSM8K = SHARED.is_dir()
EXPERIMENTS = {name: experiment for name, experiment in ALL.items() if GSM8K or name not in ("table3", "figures7-8")}


def smoke_results(tmp_path_factory):
    """Return the folder of the results, made by the first worker that asks; no test may change it."""
    mine = tmp_path_factory.getbasetemp()
    out = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / "results"
    with held(out.with_suffix(".lock"), wait=True), pytest.MonkeyPatch.context() as patch:
        if GSM8K:
            patch.setenv("REVORDER_DATA", str(SHARED))
        if not (out / "done").exists():
            for experiment in EXPERIMENTS.values():
                perform(experiment, "smoke", out)
            (out / "done").touch()
    return out
