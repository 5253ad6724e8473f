"""Training: a run is repeated, interrupted, resumed, extended and loaded."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from revorder import ProblemError, solve

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402
from transformers import TrainingArguments  # noqa: E402

from revorder.provenance import commit  # noqa: E402
from revorder.training.batches import Batches  # noqa: E402
from revorder.training.recipe import Recipe  # noqa: E402
from revorder.training.runs import Log  # noqa: E402
from revorder.training.trainer import train  # noqa: E402


def command(recipe, out, *options):
    return [sys.executable, "-m", "revorder", "train", str(recipe), "--out", str(out), *options]


def start(recipe, out, *options):
    process = subprocess.Popen(
        command(recipe, out, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for _ in range(1200):
        log = out / "run" / "log.jsonl"
        if (log.exists() and log.stat().st_size) or process.poll() is not None:
            return process
        time.sleep(0.05)
    raise AssertionError("it never began")


def log_of(out):
    return [json.loads(line) for line in (out / "run" / "log.jsonl").read_text().splitlines()]


def close(one, two):
    one, two = load_file(one / "model.safetensors"), load_file(two / "model.safetensors")
    return one.keys() == two.keys() and all(torch.allclose(one[name], two[name], atol=2e-2) for name in one)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, recipe_text):
    """A run of 60 steps by the command line: its recipe and folder."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "recipe.yaml"
    path.write_text(recipe_text)
    done = subprocess.run([*command(path, folder / "out"), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["checkpoint"] == str(folder / "out")
    return path, folder / "out"


def test_a_run_learns_and_says_what_it_made(whole):
    _, out = whole
    losses = [entry["loss"] for entry in log_of(out) if "loss" in entry]
    assert losses[-1] < losses[0] and any("exact" in entry for entry in log_of(out))
    card = (out / "README.md").read_text()
    assert "60 steps of 128 tokens, 7,680 in all" in card and "in 1 process on" in card
    assert "2D + 2D" in card and "Exact match" in card and "`revorder train recipe.yaml --out test`" in card
    assert solve("1+2", model=str(out)).verified


def test_the_cards_snippet_runs(whole, monkeypatch, capsys):
    _, out = whole
    monkeypatch.chdir(out)
    exec((out / "README.md").read_text().partition("```python\n")[2].partition("```")[0], {})
    assert capsys.readouterr().out.startswith("12+35=")


def test_the_same_run_sees_the_same_and_logs_the_same(whole, tmp_path):
    path, out = whole
    train(path, tmp_path / "again")
    first, second = (
        [entry["loss"] for entry in log_of(folder) if "loss" in entry] for folder in (out, tmp_path / "again")
    )
    assert [f"{loss:.3g}" for loss in first] == [f"{loss:.3g}" for loss in second]
    assert close(out, tmp_path / "again")


def test_a_killed_run_goes_on_and_ends_as_the_whole_one(whole, tmp_path):
    path, out = whole
    process = start(path, tmp_path / "out")
    time.sleep(1)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out" / "model.safetensors").exists()
    train(path, tmp_path / "out")
    assert close(out, tmp_path / "out")
    steps = [entry["step"] for entry in log_of(tmp_path / "out") if "loss" in entry]
    assert steps == sorted(set(steps)) and steps[-1] == 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_alone_saves_says_so_and_goes_on(recipe, tmp_path, number):
    recipe.write_text(recipe.read_text().replace("save_every: 10", "save_every: 100000"))
    process = start(recipe, tmp_path / "out", "--steps", "900")
    if number == signal.SIGINT:  # another one is refused there meanwhile
        second = subprocess.run(command(recipe, tmp_path / "out", "--steps", "900"), capture_output=True, text=True)
        assert second.returncode == 2 and "another process is training in" in second.stderr
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "run again to resume" in err and "Traceback" not in err and not out
    [saved] = (tmp_path / "out" / "run").glob("checkpoint-*")
    assert 0 < int(saved.name.partition("-")[2]) < 900
    made = train(recipe, tmp_path / "out", steps=int(saved.name.partition("-")[2]) + 20)
    assert made and (made / "model.safetensors").exists()


def test_a_finished_run_is_extended_but_not_cut_short_or_changed(recipe, tmp_path, monkeypatch):
    monkeypatch.setattr("revorder.training.runs.commit", lambda: "0123456")
    train(recipe, tmp_path / "out", steps=20)
    monkeypatch.undo()
    train(recipe, tmp_path / "out", steps=20)
    assert "at commit 0123456: 20 steps" in (tmp_path / "out" / "README.md").read_text()  # which took all of them
    first = (tmp_path / "out" / "model.safetensors").read_bytes()
    with pytest.raises(ProblemError, match="its run is at step 20; give at least as many steps"):
        train(recipe, tmp_path / "out", steps=10)
    train(recipe, tmp_path / "out", steps=40)
    assert f"at commit 0123456, {commit()}: 40 steps" in (tmp_path / "out" / "README.md").read_text()
    assert (tmp_path / "out" / "model.safetensors").read_bytes() != first
    steps = [entry["step"] for entry in log_of(tmp_path / "out") if "loss" in entry]
    assert steps == sorted(set(steps)) and steps[-1] == 40
    with monkeypatch.context() as several:
        several.setattr("revorder.training.trainer.process_count", lambda: 2)
        with pytest.raises(ProblemError, match="holds a run with another batches; choose a new folder"):
            train(recipe, tmp_path / "out", steps=60)  # whose steps would take twice the batches
    recipe.write_text(recipe.read_text().replace("tokens: 128", "tokens: 256"))
    with pytest.raises(ProblemError, match="holds a run with another tokens; choose a new folder"):
        train(recipe, tmp_path / "out", steps=60)


def test_how_often_a_run_is_saved_and_measured_may_change(recipe, tmp_path):
    recipe.write_text(recipe.read_text().replace("save_every: 10", "save_every: 1000"))
    train(recipe, tmp_path / "out", steps=10)
    recipe.write_text(recipe.read_text().replace("save_every: 1000", "save_every: 4").replace("eval_columns", "# "))
    with pytest.MonkeyPatch.context() as patched:
        saved = []
        patched.setattr(
            Log, "on_save", lambda self, args, state, control, **_: saved.append(state.global_step), raising=False
        )
        train(recipe, tmp_path / "out", steps=20)
    assert saved == [12, 16, 20]


def test_a_process_takes_one_of_several_devices(recipe, tmp_path, monkeypatch):
    def with_two(self, begin=TrainingArguments.__post_init__):
        begin(self)
        self._n_gpu = 2

    monkeypatch.setattr(TrainingArguments, "__post_init__", with_two)
    learned = []
    monkeypatch.setattr(
        Batches, "__getitem__", lambda self, item, get=Batches.__getitem__: learned.append(item) or get(self, item)
    )
    train(recipe, tmp_path / "out", steps=4)
    assert learned == [0, 1, 2, 3]


def test_a_short_run_reaches_its_learning_rate(whole):
    recipe, out = whole
    state = json.loads(next((out / "run").glob("checkpoint-*/trainer_state.json")).read_text())
    rates = [entry["learning_rate"] for entry in state["log_history"] if "learning_rate" in entry]
    assert max(rates) > 0.9 * Recipe.read(recipe).muon_lr  # though they rise for 100 steps else


def test_two_processes_train_as_one(recipe, tmp_path):
    recipe.write_text(recipe.read_text() + "batches: 2\n")
    program = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*program, *command(recipe, tmp_path / "out", "--steps", "20")[1:]],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=240,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    card = (tmp_path / "out" / "README.md").read_text()
    assert "`revorder train recipe.yaml --out test --steps 20` at commit " in card
    assert ": 20 steps of 256 tokens" in card and "in 2 processes" in card
    alone = train(recipe, tmp_path / "alone", steps=20)
    losses = [[entry["loss"] for entry in log_of(out) if "loss" in entry] for out in (alone, tmp_path / "out")]
    assert len(losses[0]) == 10 and losses[0] == pytest.approx(losses[1], rel=5e-3) and close(alone, tmp_path / "out")
