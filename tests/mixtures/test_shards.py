"""Shards: the same bytes for any number of workers, whole or not there, and a run that was killed goes on."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from revorder import ProblemError
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.shards import Run, claim_folder, write_part, write_shards

ROOT = Path(__file__).parent.parent.parent
SMALL = Mixture.read("small")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_same_bytes_for_one_and_two_workers(tmp_path):
    manifest = write_shards(Run(SMALL, 1, tmp_path / "one", 500, 120))
    write_shards(Run(SMALL, 1, tmp_path / "two", 500, 120), workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert [shard["rows"] for shard in manifest["shards"]] == [120, 120, 120, 120, 20]
    for shard in manifest["shards"]:
        assert hashlib.sha256((tmp_path / "one" / shard["file"]).read_bytes()).hexdigest() == shard["sha256"]
    rows = [json.loads(line) for shard in manifest["shards"] for line in (tmp_path / "one" / shard["file"]).open()]
    for row, example in zip(rows, sampler(SMALL).examples(1, 0, 500), strict=True):
        problem = example.problem
        assert (row["index"], row["text"], row["answer"]) == (example.index, example.text, problem.answer)
        assert (row["a"], row["op"], row["b"]) == (str(problem.a), problem.op, str(problem.b))


def test_parquet_holds_the_same(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    lines = write_shards(Run(SMALL, 1, tmp_path / "lines", 100, 100))["shards"][0]["file"]
    table = write_shards(Run(SMALL, 1, tmp_path / "table", 100, 100, format="parquet"))["shards"][0]["file"]
    rows = [json.loads(line) for line in (tmp_path / "lines" / lines).open()]
    assert parquet.read_table(tmp_path / "table" / table).to_pylist() == rows


def landed(folder):
    """The shards that are whole."""
    return {path.name for path in folder.glob("[!.]*.jsonl")}


def start(folder, size, *more):
    """A run of the command line in its own process group, once it has written two shards of 3,000 examples."""
    command = [sys.executable, "-m", "revorder", "data", "paper", "--out", str(folder)]
    command += ["--size", str(size), "--shard-size", "3000", *more]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(landed(folder)) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run_goes_on_and_its_workers_go_quietly(tmp_path, workers):
    folder = tmp_path / "killed"
    process = start(folder, 60_000, "--workers", workers)
    process.send_signal(signal.SIGKILL)
    said = process.communicate(timeout=60)[1]  # the workers hold stderr too: they are gone when it ends
    assert "Traceback" not in said and not (folder / "manifest.json").exists()
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.jsonl")}
    done = landed(folder)
    assert len(done) >= 2 and done <= set(before) and len(before) < 20
    again = start(folder, 60_000)
    assert "Traceback" not in again.communicate(timeout=300)[1] and again.returncode == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert len(manifest["shards"]) == 20
    assert all((folder / name).stat().st_mtime_ns == before[name] for name in done)
    for shard in manifest["shards"]:
        assert hashlib.sha256((folder / shard["file"]).read_bytes()).hexdigest() == shard["sha256"]


def test_a_damaged_shard_is_written_again_and_another_run_is_refused(tmp_path):
    manifest = write_shards(Run(SMALL, 1, tmp_path, 200, 100))
    name = manifest["shards"][0]["file"]
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[:50])
    assert write_shards(Run(SMALL, 1, tmp_path, 200, 100)) == manifest and (tmp_path / name).read_bytes() == whole
    with pytest.raises(ProblemError, match="another run|another seed"):
        write_shards(Run(SMALL, 2, tmp_path, 200, 100))
    with pytest.raises(ProblemError, match="another view"):
        write_shards(Run(SMALL, 1, tmp_path, 200, 100, view="steps"))
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(ProblemError, match="can't be read"):
        write_shards(Run(SMALL, 1, tmp_path, 200, 100))
    with pytest.raises(ProblemError, match="accepted: jsonl, parquet"):
        write_shards(Run(SMALL, 1, tmp_path, 200, 100, format="csv"))
    with pytest.raises(ProblemError, match="accepted: trace, prompt_completion, messages, steps"):
        write_shards(Run(SMALL, 1, tmp_path, 200, 100, view="rows"))


def test_a_folder_of_another_view_is_no_folder_of_traces(tmp_path):
    write_shards(Run(SMALL, 1, tmp_path, 200, 100, view="messages"))
    with pytest.raises(ProblemError, match="another view"):
        write_shards(Run(SMALL, 1, tmp_path, 200, 100))


def test_an_interrupted_run_leaves_whole_shards_only(tmp_path):
    folder = tmp_path / "interrupted"
    process = start(folder, 90_000, "--workers", "2")
    os.killpg(process.pid, signal.SIGINT)
    assert "Traceback" not in process.communicate(timeout=30)[1] and process.returncode == 130
    left = contents(folder)
    assert "manifest.partial.json" in left and "manifest.json" not in left
    for name in set(left) - {"manifest.partial.json"}:
        assert name.endswith(".jsonl") and left[name].count(b"\n") == 3000


def test_workers_that_are_interrupted_as_they_start_say_nothing(tmp_path):
    """Ctrl-C on a terminal goes to the workers too, which take a while to start."""
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing, os, signal, time\n"
        "from revorder.helpers import interrupts_blocked\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('spawn').Process(target=time.sleep, args=(0,))\n"
        "    with interrupts_blocked():\n"
        "        process.start()\n"
        "    os.kill(process.pid, signal.SIGINT)\n"
        "    process.join()\n"
        "    assert process.exitcode == 0\n"
    )
    done = subprocess.run([sys.executable, program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_manifest_is_away_while_a_shard_is(tmp_path):
    names = [shard["file"] for shard in write_shards(Run(SMALL, 1, tmp_path, 300, 100))["shards"]]
    (tmp_path / names[1]).unlink()

    def stop(rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_shards(Run(SMALL, 1, tmp_path, 300, 100), progress=stop)
    assert not (tmp_path / "manifest.json").exists()
    assert [shard["file"] for shard in write_shards(Run(SMALL, 1, tmp_path, 300, 100))["shards"]] == names


@pytest.mark.parametrize(("size", "shard_size", "workers"), [(0, 10, 1), (10, 0, 1), (10, 10, 0)])
def test_numbers_below_one_are_refused(size, shard_size, workers, tmp_path):
    with pytest.raises(ProblemError, match="accepted: at least 1"):
        write_shards(Run(SMALL, 1, tmp_path, size, shard_size), workers)


def test_too_many_shards_are_refused_at_once(tmp_path):
    with pytest.raises(ProblemError, match="accepted: one that makes up to 99,999 shards"):
        write_shards(Run(SMALL, 1, tmp_path / "shards", 10**20, 1))
    assert not (tmp_path / "shards").exists()


def test_a_folder_that_cannot_be_made_or_read_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ProblemError, match="can't be made"):
        write_shards(Run(SMALL, 1, tmp_path / "file", 10))
    manifest = write_shards(Run(SMALL, 1, tmp_path / "shards", 10))
    (tmp_path / "shards" / "manifest.json").write_text(json.dumps({**manifest, "shards": [{}]}))
    with pytest.raises(ProblemError, match="can't be read"):
        write_shards(Run(SMALL, 1, tmp_path / "shards", 10))


def test_parts_written_anywhere_make_the_same_run(tmp_path):
    write_shards(Run(SMALL, 1, tmp_path / "local", 500, 120))
    run = Run(SMALL, 1, tmp_path / "parts", 500, 120)
    with pytest.raises(ProblemError, match="holds no run"):
        list(write_part(run, 0, 2))
    claim_folder(run)
    assert [[job.start for job in write_part(run, rank, 2)] for rank in (1, 0)] == [[120, 360], [0, 240, 480]]
    before = {path.name: path.stat().st_mtime_ns for path in run.out.glob("*.jsonl")}
    write_shards(run)
    assert contents(run.out) == contents(tmp_path / "local")
    assert before == {path.name: path.stat().st_mtime_ns for path in run.out.glob("*.jsonl")}
    with pytest.raises(ProblemError, match="another seed"):
        list(write_part(run._replace(seed=2), 0, 2))


def test_shards_of_an_unknown_run_are_refused_and_stay(tmp_path):
    write_shards(Run(SMALL, 1, tmp_path / "out", 200, 100))
    (tmp_path / "out" / "manifest.json").unlink()
    before = contents(tmp_path / "out")
    with pytest.raises(ProblemError, match="small-00000-of-00002.jsonl, but no run; choose a new folder"):
        write_shards(Run(SMALL, 2, tmp_path / "out", 200, 100))
    assert contents(tmp_path / "out") == before


def test_what_another_process_may_be_writing_stays(tmp_path):
    run = Run(SMALL, 1, tmp_path, 200, 100)
    live, left = (tmp_path / f".small-0000{i}-of-00002.jsonl.{i + 1}" for i in range(2))
    live.touch()
    left.touch()
    os.utime(left, (0, 0))
    write_shards(run)
    assert live.exists() and not left.exists()
    assert len(write_shards(run)["shards"]) == 2


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
@pytest.mark.parametrize("damage", ["cut", "a row less", "empty"])
def test_a_shard_that_was_cut_before_the_manifest_is_written_again(tmp_path, format, damage):
    """As the tasks of an executor leave it: no manifest names it yet."""
    if format == "parquet":
        pytest.importorskip("pyarrow")
    run = Run(SMALL, 1, tmp_path / "run", 500, 250, format)
    expected = write_shards(run._replace(out=tmp_path / "whole"))
    claim_folder(run)
    first, second = (job.file for job in write_part(run, 0, 1))
    if damage == "a row less":
        write_shards(run._replace(out=tmp_path / "less", size=249))
        (less,) = (tmp_path / "less").glob(f"*.{format}")
        second.write_bytes(less.read_bytes())
    else:
        second.write_bytes(second.read_bytes()[: 100 if damage == "cut" else 0])
    assert write_shards(run) == expected and first.exists()
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
