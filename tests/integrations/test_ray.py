"""Ray Data on a local cluster: the rows are the examples, and the shards are the bytes of the local run."""

import os
import signal
import sys
import threading
import time

import pytest

from revorder import ProblemError
from revorder.cli import main
from revorder.integrations.ray import dataset, write_shards
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.shards import Run
from revorder.mixtures.views import prompt_completion

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

SMALL = Mixture.read("small")


@pytest.fixture(scope="module")
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_TOKEN", "0" * 64)  # Ray would make one, and write it to the home folder
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        yield
        ray.shutdown()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def run_locally(folder, run):
    """What is in a folder after the same run on the command line."""
    command = ["data", run.mixture.name, "--out", folder, "--size", run.size, "--shard-size", run.shard_size]
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in command])
    assert end.value.code == 0
    return contents(folder)


def test_the_rows_are_the_examples(cluster):
    rows = dataset(SMALL, seed=1, size=1000, view="prompt_completion", blocks=4).take_all()
    expected = [prompt_completion(example, SMALL) for example in sampler(SMALL).examples(1, 0, 1000)]
    assert sorted(map(str, rows)) == sorted(map(str, expected))


def test_one_task_at_a_time_and_two_write_the_bytes_of_the_local_run(tmp_path, cluster, monkeypatch):
    runs = [Run(SMALL, 42, tmp_path / f"{count} at a time", 2300, 500) for count in (1, 2)]
    options = ray.data.DataContext.get_current().execution_options
    for count, run in enumerate(runs, 1):
        monkeypatch.setattr(options, "resource_limits", ray.data.ExecutionResources(cpu=count))
        manifest = write_shards(run)
        assert [shard["rows"] for shard in manifest["shards"]] == [500, 500, 500, 500, 300]
    local = run_locally(tmp_path / "local", runs[0])
    assert local == contents(runs[0].out) == contents(runs[1].out)


def test_a_worker_that_is_killed_leaves_the_same_bytes(tmp_path, cluster):
    run = Run(Mixture.read("paper"), 42, tmp_path / "killed", 16_000, 4000)
    killed = []

    def kill():
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for path in run.out.glob(".paper-*.jsonl.*"):  # what a worker writes to; its number comes last
                os.kill(int(path.name.rpartition(".")[2]), signal.SIGKILL)
                killed.append(path)
                break
            time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    write_shards(run)
    killer.join()
    assert killed and contents(run.out) == run_locally(tmp_path / "local", run)


def test_bad_arguments_are_refused(tmp_path):
    with pytest.raises(ProblemError, match="blocks is 0"):
        dataset(SMALL, blocks=0)
    with pytest.raises(ProblemError, match="view 'no' is unknown"):
        dataset(SMALL, view="no")
    with pytest.raises(ProblemError, match="format 'csv' is unknown"):
        write_shards(Run(SMALL, 1, tmp_path, 10, format="csv"))


def test_a_missing_ray_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray.data", None)
    with pytest.raises(ProblemError, match=r"install: pip install 'revorder\[ray\]'"):
        dataset(SMALL)
