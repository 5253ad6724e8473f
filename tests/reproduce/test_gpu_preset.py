"""The preset gpu, shrunk: a pretrained model fine-tuned in two processes, asked by the first, and what it wrote shown."""

import os
import subprocess
import sys

from pretrained import save_model, sentencepiece

from revorder.reproduce.cells import Finetuning
from revorder.reproduce.experiment import perform, results_in
from revorder.reproduce.table1 import TABLE1, Settings

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_gpu_preset import shrunk
from revorder.reproduce.experiment import perform
perform(shrunk(sys.argv[2]), "gpu", Path(sys.argv[2]) / "results")
"""


def shrunk(folder):
    """Table 1's preset gpu with a tiny model, two steps and two columns."""
    from dataclasses import replace

    settings = Settings(Finetuning(f"{folder}/base", f"{folder}/recipe.yaml"), 1, ("lean",), ("ADD 1D", "MUL 1D"))
    return replace(TABLE1, settings={"gpu": settings})


def test_two_processes_fine_tune_and_the_first_one_asks(tmp_path):
    assert isinstance(TABLE1.settings["gpu"].training, Finetuning)
    save_model(tmp_path / "base", sentencepiece(), tied=False)
    (tmp_path / "recipe.yaml").write_text("steps: 2\nbatch: 4\ndevice_batch: 2\nsave_every: 1\nmax_tokens: 64\n")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         program, os.path.dirname(__file__), tmp_path],
        capture_output=True, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.path.dirname(os.path.dirname(__file__))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    ((info, folder),) = results_in(tmp_path / "results")
    assert info.done and (folder / "lean.jsonl").exists() and (folder / "models" / "lean" / "README.md").exists()
    said = []
    perform(shrunk(tmp_path), "gpu", tmp_path / "results", said.append)
    assert len(said) == 1 and "holds it already" in said[0]
    assert shrunk(tmp_path).blocks(shrunk(tmp_path).settings["gpu"], folder)[0].rows[0][0] == "lean (ours)"
