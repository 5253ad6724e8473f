"""revorder lm-eval-path: a folder that has the tasks."""

import json
from pathlib import Path


def test_it_prints_the_folder_of_the_tasks(revorder, process):
    done = process("lm-eval-path")
    assert (done.returncode, done.stderr) == (0, "")
    assert {"table1.yaml", "hard.yaml"} <= {path.name for path in Path(done.stdout.rstrip("\n")).iterdir()}
    assert json.loads(revorder("lm-eval-path", "--json").stdout) == {"path": done.stdout.rstrip("\n")}
