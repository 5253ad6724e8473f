"""revorder finetune: from a model and data to a folder that eval and solve take, and what it refuses."""

import importlib
import json
import os
import signal
import sys
import threading
import time

import pytest

from revorder.cli.common import packaged

SUMS = '{name: sums, method: revorder, size: 400, parts: [{op: "+", a: [1, 2], b: [1, 2]}]}'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model, and a mixture."""
    pytest.importorskip("trl")
    from pretrained import byte_level, save_model

    folder = tmp_path_factory.mktemp("files")
    (folder / "sums.yaml").write_text(SUMS)
    return save_model(folder / "model", byte_level(False)), folder / "sums.yaml"


def test_help_lists_what_is_packaged(revorder):
    shown = " ".join(revorder("finetune", "--help").stdout.replace("│", " ").split())
    assert packaged("training/finetunes") in shown and packaged("mixtures") in shown


def test_what_it_makes_is_evaluated_and_solves(files, tmp_path, revorder):
    out = tmp_path / "out"
    done = revorder("finetune", *files, "--out", out, "--steps", "3", "--batch", "4", "--lr", "1e-3", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["checkpoint"] == str(out) and made["method"] == "revorder" and made["max_digits"] == [["+", 2, 2]]
    scored = revorder("eval", "table1", "+", "--n", "2", "--model", out, "--json")
    assert scored.returncode == 0 and scored.stdout.count('"task"') == 2 and "left out" in scored.stderr
    solved = revorder("solve", "--model", out, "12+35")
    assert solved.stdout == "47\n" and "repaired by Python's integers" in solved.stderr
    assert solved.stderr.count("\n") == 1, solved.stderr  # no bar of a library


def test_an_interrupted_run_ends_with_130_and_goes_on(files, tmp_path, revorder):
    out = tmp_path / "out"
    log = out / "run" / "log.jsonl"

    def interrupt():
        while not (log.exists() and log.stat().st_size):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=interrupt)
    thread.start()
    settings = ["finetune", *files, "--out", out, "--steps", "60", "--batch", "4"]
    done = revorder(*settings)
    thread.join()
    assert (done.returncode, done.stdout) == (130, "") and "run again to resume" in done.stderr
    again = revorder(*settings)
    assert (again.returncode, again.stdout) == (0, f"{out}\n")


@pytest.mark.parametrize("options", [[], ["--recipe", "smollm2"]])
def test_a_step_of_short_examples_is_computed_at_once(options, files, tmp_path, revorder, monkeypatch):
    from transformers import Trainer

    pieces, step = [], Trainer.training_step
    monkeypatch.setattr(Trainer, "training_step", lambda *given, **named: pieces.append(1) or step(*given, **named))
    revorder("finetune", *files, "--out", tmp_path / "out", "--steps", "2", "--batch", "16", *options)
    assert len(pieces) == 2


@pytest.mark.parametrize(("package", "what", "options"), [("trl", "finetune", []), ("peft", "lora", ["--lora", "4"])])
def test_a_missing_library_is_one_line(package, what, options, files, revorder, monkeypatch, tmp_path):
    importlib.import_module("revorder.training.finetune")
    if package == "trl":
        monkeypatch.delitem(sys.modules, "revorder.training.finetune")  # so that it is imported again
    monkeypatch.setitem(sys.modules, package, None)
    done = revorder("finetune", *files, "--out", tmp_path / "out", *options)
    assert done.returncode == 2
    assert done.stderr.endswith(f"revorder: {what} needs {package}; install: pip install 'revorder[finetune]'\n")


def test_what_is_not_accepted_is_one_line(files, tmp_path, refused):
    model, data = files
    out = tmp_path / "out"
    assert "key 'lr' is -1.0; accepted: a number above 0" in refused(
        "finetune", model, data, "--out", out, "--lr", "-1"
    )
    assert "can't be loaded" in refused("finetune", tmp_path, data, "--out", out)
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"question": "?", "answer": "48+24 = 72"}\n{"question": "?", "answer": "<<48/2=25>>25"}\n')
    assert "1 wrong equations, such as '48/2=25' in row 2; mend them" in refused(
        "finetune", model, wrong, "--out", out, "--check"
    )
    assert "give a mixture (authors, " in refused("finetune", model, "nope", "--out", out)
    assert "give a YAML file, or one of llama2-7b, " in refused(
        "finetune", model, data, "--out", out, "--recipe", "nope"
    )
    assert not out.exists()


def test_a_model_as_it_came_is_asked_by_a_method(files, revorder):
    command = ["eval", "one-digit", "--model", files[0], "--n", "2", "--max-tokens", "4", "--json"]
    done = revorder(*command, "--method", "plain", "--all")
    scores = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and len(scores) == 5 and sum(score["correct"] for score in scores) == 0
    done = revorder(*command)
    assert done.returncode == 2 and "eval takes any other language model with --method" in done.stderr
