"""BIG-bench: its questions are read, and a target that is wrong or a file that is missing is named."""

from pathlib import Path

import pytest

from revorder import ProblemError
from revorder.corpora import bigbench


def test_a_wrong_target_or_a_missing_file_is_named(tmp_path):
    with pytest.raises(ProblemError, match="stated target '3' is not 2"):
        bigbench.read_row("What is 1 plus 1?", "3")
    with pytest.raises(ProblemError, match="1_digit_addition"):
        bigbench.load(str(tmp_path), "+", [1])


def test_the_folder_is_the_named_one_or_that_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REVORDER_DATA", raising=False)
    assert bigbench.folder_of(None) is None
    (tmp_path / "all" / "bigbench_arithmetic").mkdir(parents=True)
    monkeypatch.setenv("REVORDER_DATA", str(tmp_path / "all"))
    assert bigbench.folder_of(None) is None  # the environment's folder has other data
    (tmp_path / "all" / "bigbench_arithmetic" / "1_digit_addition.jsonl").touch()
    assert bigbench.folder_of(None) == tmp_path / "all" / "bigbench_arithmetic"
    assert bigbench.folder_of("all") == Path("all") and bigbench.folder_of("none") is None
