"""The preset gpu, shrunk: a pretrained model fine-tuned in two processes, asked by the first, and what it wrote
shown."""

import json
import os
import subprocess
import sys
from dataclasses import replace

from pretrained import save_model, sentencepiece

from revorder.reproduce.experiment import RunInfo
from revorder.reproduce.harness import perform
from revorder.reproduce.table1 import TABLE1, Table1Settings
from revorder.reproduce.trainers import Finetuning

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_gpu_preset import shrunk
from revorder.reproduce.harness import perform
perform(shrunk(sys.argv[2]), "gpu", Path(sys.argv[2]) / "results")
"""


def shrunk(folder):
    """Table 1's preset gpu with a tiny model, two steps and two columns."""
    settings = Table1Settings(Finetuning(f"{folder}/base", f"{folder}/recipe.yaml"), 1, ("lean",), ("ADD 1D", "MUL 1D"))
    return replace(TABLE1, settings={"gpu": settings})


def test_two_processes_fine_tune_and_the_first_one_asks(tmp_path):
    assert isinstance(TABLE1.settings["gpu"].training, Finetuning)
    save_model(tmp_path / "base", sentencepiece(), tied=False)
    program, folder = tmp_path / "program.py", tmp_path / "results" / "table1"
    program.write_text(PROGRAM)
    (tmp_path / "recipe.yaml").write_text("steps: 2\nbatch: 4\ndevice_batch: 2\nsave_every: 1\nmax_tokens: 64\n")
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         program, os.path.dirname(__file__), tmp_path],
        capture_output=True, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.path.dirname(os.path.dirname(__file__))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    log = map(json.loads, (folder / "models" / "lean" / "run" / "log.jsonl").read_text().splitlines())
    assert [entry["step"] for entry in log] == [1, 2]
    assert RunInfo.read(folder).done and (folder / "models" / "lean" / "README.md").exists()
    said = []
    perform(shrunk(tmp_path), "gpu", tmp_path / "results", said.append)
    assert len(said) == 1 and "is complete" in said[0]
    assert shrunk(tmp_path).render(shrunk(tmp_path).settings["gpu"], folder)[0].rows[0][0] == "lean (ours)"
