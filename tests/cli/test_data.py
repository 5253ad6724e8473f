"""revorder data: shards that verify, and workers that say nothing when their parent is gone."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from revorder.mixtures.views import VIEWS


def test_it_writes_shards_that_verify(tmp_path, revorder):
    done = revorder("data", "small", "--out", tmp_path / "d", "--size", "300", "--shard-size", "100")
    assert done.returncode == 0, done.stderr
    shards = sorted((tmp_path / "d").glob("*.jsonl"))
    assert len(shards) == 3
    judged = revorder("verify", "--method", "lean", stdin=shards[0].read_text())
    assert judged.returncode == 0 and judged.stdout.count("ok ") == 100


def test_views_write_a_folder_that_loads_as_a_dataset(tmp_path, revorder):
    help = revorder("data", "--help").stdout
    for view in VIEWS:
        done = revorder("data", "small", "--out", tmp_path / view, "--size", "20", "--view", view)
        assert done.returncode == 0 and view in help, done.stderr
        rows = [json.loads(line) for line in (tmp_path / view / "small-00000-of-00001.jsonl").open()]
        assert len(rows) == 20 and all(set(row) == set(rows[0]) for row in rows)
        assert 'path: "small-*.jsonl"' in (tmp_path / view / "README.md").read_text()


def test_a_mixture_that_is_not_there_is_named(refused):
    assert "no/such.yaml" in refused("data", "no/such.yaml", "--out", "nowhere")
    assert "give a YAML file, or one of authors, lean" in refused("data", "nope", "--out", "nowhere")
    assert "accepted: trace, prompt_completion" in refused("data", "small", "--out", "nowhere", "--view", "x")
    assert "accepted: jsonl, parquet" in refused("data", "small", "--out", "nowhere", "--format", "csv")


def shards(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}


def is_running(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("kill", ["the parent", "all"])
def test_workers_of_a_killed_run_end_with_it(kill, tmp_path, process):
    settings = ["data", "small", "--size", "40000", "--shard-size", "1000", "--workers", "2"]
    said = tmp_path / "stderr"
    for i in range(3):
        with said.open("a") as stderr:
            running = subprocess.Popen(
                [sys.executable, "-m", "revorder", *settings, "--out", tmp_path / "killed"],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )
            there = len(list(tmp_path.glob("killed/*.jsonl")))
            until = time.monotonic() + 60
            while len(list(tmp_path.glob("killed/*.jsonl"))) < there + 1 + i and time.monotonic() < until:
                time.sleep(0.005)
            if kill == "all":
                os.killpg(running.pid, signal.SIGTERM)
            else:
                running.kill()
            assert running.wait(60) != 0  # it was not done
            while is_running(running.pid) and time.monotonic() < until:
                time.sleep(0.02)
            assert not is_running(running.pid)
    assert set(said.read_text().splitlines()) <= {"revorder: terminated"}
    assert process(*settings, "--out", tmp_path / "killed").returncode == 0
    assert process(*settings[:-1], "1", "--out", tmp_path / "whole").returncode == 0
    assert shards(tmp_path / "killed") == shards(tmp_path / "whole")
