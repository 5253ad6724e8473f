"""Suites: what each draws, from which split."""

import pytest

from revorder import Problem, ProblemError
from revorder.evaluation.suites import EXTRA, SUITES, Draw, find_suite, hash_of, split_covered, suite_tasks
from revorder.evaluation.tables import PAPER
from revorder.mixtures.split import split_of
from revorder.model.checkpoint import DEFAULT, CheckpointInfo, checkpoint


@pytest.fixture
def no_bigbench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REVORDER_DATA", raising=False)


@pytest.mark.parametrize(("suite", "split"), [("extra", "test"), ("validation", "validation"), ("beyond", "test")])
def test_problems_come_from_the_split_of_the_suite(suite, split):
    draw = Draw("+-*/", 5, find_suite(suite).seed)
    tasks = suite_tasks(suite, draw)
    assert all(len(problems) == len(set(problems)) == 5 for problems in tasks.values())
    assert {split_of(problem) for problems in tasks.values() for problem in problems} == {split}
    assert suite_tasks(suite, draw) == tasks != suite_tasks(suite, Draw("+-*/", 5, draw.seed + 1))
    assert list(suite_tasks(suite, Draw("/", 5, 1))) == [task for task in tasks if task.startswith("DIV")]


def test_validation_has_the_larger_columns_by_its_own_seed():
    assert SUITES["validation"].seed != SUITES["extra"].seed
    assert list(suite_tasks("validation", Draw("+-*/", 1, 1))) == [name for name, *_ in EXTRA]


def test_table1_without_bigbench_draws_its_columns_and_says_so(no_bigbench):
    said = []
    tasks = suite_tasks("table1", Draw("+-*/", 40, 2024, say=said.append))
    assert sorted(tasks) == sorted(PAPER["RevOrder-1B"]) and len(said) == 1 and "--data" in said[0]
    assert {task: len(problems) for task, problems in tasks.items() if len(problems) != 40} == {"DIV 1D": 23}
    for task, problems in tasks.items():
        if task.endswith("D") and len(task) == 6:  # such as DIV 5D
            assert all(len(str(p.a)) == int(task[4]) for p in problems), task
            assert all(p.remainder == 0 and split_of(p) in ("test", "train") for p in problems)
            if task[4] in "345":
                assert {split_of(problem) for problem in problems} == {"test"}
    assert len({len(str(problem.b)) for problem in tasks["DIV 5D"]}) == 5
    with pytest.raises(ProblemError, match="not found"):
        suite_tasks("bigbench", Draw("+", None, 2024))
    with pytest.raises(ProblemError, match="no/such"):
        suite_tasks("table1", Draw("+", 40, 2024, data="no/such"))


def test_table1_with_bigbench_has_its_own_problems(shared):
    said = []
    tasks = suite_tasks("table1", Draw("*", 1000, 2024, str(shared / "bigbench_arithmetic"), said.append))
    assert list(tasks) == [task for task in PAPER["RevOrder-1B"] if task.startswith("MUL")] and not said
    assert tasks["MUL 5D"] == suite_tasks("bigbench", Draw("*", None, 0, str(shared / "bigbench_arithmetic")))["MUL 5D"]


def test_the_hard_suite_takes_n_of_each_family():
    whole, some = suite_tasks("hard", Draw("+-*/", None, 2024)), suite_tasks("hard", Draw("+-*/", 3, 2024))
    assert sum(map(len, whole.values())) == 20_000 and list(some) == list(whole)
    assert all(problems == whole[task][:3] for task, problems in some.items())


def test_what_was_not_trained_is_left_out():
    info = CheckpointInfo.load(checkpoint(DEFAULT))
    kept, left = split_covered(info, {"a": [Problem(1, "+", 1)], "b": [Problem(10**60, "+", 1)]})
    assert (list(kept), left) == (["a"], ["b"])


def test_a_fingerprint_tells_problems_apart():
    tasks = {"a": [Problem(1, "+", 1)]}
    others = [{"b": [Problem(1, "+", 1)]}, {"a": [Problem(1, "+", 2)]}, {"a": [Problem(1, "+", 1)] * 2}]
    assert len({hash_of(each) for each in [tasks, *others]}) == 4
