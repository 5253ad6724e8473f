"""Methods of installed packages: the template is installed by pip, and every command has its method."""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from revorder import METHODS, ProblemError
from revorder.methods import load

TEMPLATE = Path(__file__).parents[2] / "examples" / "method"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Environment variables of a Python that has the template's package."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("packages")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", folder]
    subprocess.run([*pip, TEMPLATE], check=True, timeout=120)
    return os.environ | {"PYTHONPATH": str(folder)}


def run(installed, *arguments):
    command = [sys.executable, "-m", "revorder", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=installed, timeout=60, check=False)


def test_a_packages_method_is_written_judged_and_counted(installed, tmp_path):
    assert run(installed, "show", "12+35", "--method", "mine").stdout == "12+35=is 47\n"
    assert run(installed, "csid", "12+39", "--method", "mine").stdout == "1\n"
    judged = subprocess.run(
        [sys.executable, "-m", "revorder", "verify", "--method", "mine"],
        input="12+35=is 47\n12+35=is 57\n",
        capture_output=True,
        text=True,
        env=installed,
        check=False,
    )
    assert judged.stdout.startswith("ok 47\nwrong at step 0: wrong digit in the sum 12+35"), judged
    mixture = tmp_path / "mine.yaml"
    mixture.write_text("{name: mine, method: mine, size: 10, parts: [{op: '+', a: 2, b: 2}]}")
    done = run(installed, "data", mixture, "--out", tmp_path / "out")
    assert done.returncode == 0 and "=is " in next((tmp_path / "out").glob("*.jsonl")).read_text(), done
    unknown = run(installed, "show", "12+35", "--method", "yours")
    assert unknown.returncode == 2 and unknown.stderr.count("\n") == 1 and "mine" in unknown.stderr


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_package:MINE", "can't be imported: No module named 'no_such_package'"),
        ("revorder:METHODS", "is not a Method of that name"),
        ("revorder.methods.lean:LEAN", "is not a Method of that name"),
    ],
)
def test_a_broken_one_is_one_line(value, says):
    with pytest.raises(ProblemError, match=f"method 'mine' of '{value}' {says}"):
        load(EntryPoint("mine", value, "revorder.methods"))


def test_the_list_prints_its_names():
    assert repr(METHODS).startswith("<methods revorder, lean") and repr(METHODS["lean"]) == "Method('lean')"
    assert "yours" not in METHODS and METHODS.find("yours") is None
