"""datatrove: documents are the examples, and a killed run that goes on ends with the bytes of the local run."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from revorder import ProblemError
from revorder.cli import main
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.shards import Run

pytest.importorskip("datatrove")
from datatrove.executor import LocalPipelineExecutor

from revorder.integrations.datatrove import MixtureReader, ShardWriter

ROOT = Path(__file__).parents[2]
SMALL = Mixture.read("small")
PROGRAM = """
import sys
from datatrove.executor import LocalPipelineExecutor
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.shards import Run
from revorder.integrations.datatrove import ShardWriter

if __name__ == "__main__":
    out, logs = sys.argv[1:]
    run = Run(Mixture.read("paper"), 42, out, size=23_500, shard_size=4_000)
    LocalPipelineExecutor([ShardWriter(run)], tasks=4, workers=2, logging_dir=logs).run()
"""


def run_locally(folder):
    """What is in the folder after the run of PROGRAM on the command line."""
    with pytest.raises(SystemExit) as end:
        main(["data", "paper", "--out", str(folder), "--size", "23500", "--shard-size", "4000", "--workers", "1"])
    assert end.value.code == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("tasks", [1, 3])
def test_the_documents_of_all_tasks_are_the_examples(tmp_path, tasks):
    pytest.importorskip("orjson")
    from datatrove.pipeline.writers import JsonlWriter

    steps = [MixtureReader(SMALL, seed=1, size=1000), JsonlWriter(str(tmp_path / "out"), compression=None)]
    stats = LocalPipelineExecutor(steps, tasks=tasks, workers=1, logging_dir=str(tmp_path / "logs")).run()
    documents = [json.loads(line) for file in sorted((tmp_path / "out").iterdir()) for line in file.open()]
    for document, example in zip(documents, sampler(SMALL).examples(1, 0, 1000), strict=True):
        problem = example.problem
        assert (document["id"], document["text"]) == (str(example.index), example.text)
        assert document["metadata"] == {
            "op": problem.op, "a": str(problem.a), "b": str(problem.b), "answer": problem.answer
        }  # fmt: skip
    assert stats.stats[0]["doc_len"].total == sum(len(document["text"]) for document in documents)


def test_a_killed_worker_s_run_goes_on_to_the_same_bytes(tmp_path):
    program, out, logs = tmp_path / "program.py", tmp_path / "out", tmp_path / "logs"
    program.write_text(PROGRAM)
    start = [sys.executable, str(program), str(out), str(logs)]
    log = (tmp_path / "log").open("w")
    run = subprocess.Popen(start, cwd=ROOT, env=environment(), stdout=log, stderr=log, start_new_session=True)
    half_written = writer_of_a_shard(out)
    os.kill(half_written, signal.SIGKILL)
    os.killpg(run.pid, signal.SIGKILL)  # the executor waits for the worker for ever
    run.wait(timeout=60)
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("paper-*.jsonl")}
    assert len(before) < 6 and list(out.glob(f".paper-*.{half_written}"))
    for left in out.glob(".paper-*"):
        os.utime(left, (0, 0))  # as if it was long ago
    subprocess.run(start, cwd=ROOT, env=environment(), stdout=log, stderr=log, check=True, timeout=240)
    after = {path.name: path.stat().st_mtime_ns for path in out.glob("paper-*.jsonl")}
    assert len(after) == 6 and before.items() <= after.items()
    assert not (out / "manifest.json").exists()
    assert run_locally(out) == run_locally(tmp_path / "local")
    assert after == {path.name: path.stat().st_mtime_ns for path in out.glob("paper-*.jsonl")}


def environment():
    return os.environ | {"PYTHONPATH": str(ROOT)}


def writer_of_a_shard(out):
    """The process that writes a shard at this moment, the last part of the name of what it writes to."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for path in out.glob(".paper-*.jsonl.*"):
            return int(path.name.rpartition(".")[2])
        time.sleep(0.005)
    raise AssertionError("no shard is being written")


def test_another_run_and_a_folder_that_is_not_shared_are_refused(tmp_path):
    step = ShardWriter(Run(SMALL, 1, tmp_path / "out", 100, 10))
    with pytest.raises(ProblemError, match="another seed"):
        ShardWriter(Run(SMALL, 2, tmp_path / "out", 100, 10))
    with pytest.raises(ProblemError, match="accepted: at least 1"):
        ShardWriter(Run(SMALL, 2, tmp_path / "out", 0))
    with pytest.raises(ProblemError, match="accepted: at least 1"):
        MixtureReader(SMALL, size=0)
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    with pytest.raises(ProblemError, match="all machines share"):
        list(step.run(rank=0, world_size=2))


def test_a_missing_datatrove_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "datatrove.data", None)
    monkeypatch.delitem(sys.modules, "revorder.integrations.datatrove")
    with pytest.raises(ProblemError, match=r"install: pip install 'revorder\[datatrove\]'"):
        importlib.import_module("revorder.integrations.datatrove")
