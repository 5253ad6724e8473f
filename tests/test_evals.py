"""Evaluation: scores with intervals, every verdict kept, and a run that goes on where it was cut off."""

import json

import pytest

from revorder import Problem, ProblemError, verify
from revorder.corpora import bigbench
from revorder.evals import EXTRA, Result, covered, extra_tasks, load, one_digit_tasks, run, scores, wilson
from revorder.report import PAPER, markdown, table
from revorder.solve import loaded


def test_bigbench_on_the_shipped_model(shared):
    tasks = bigbench.load(str(shared / "bigbench_arithmetic"), "+-", [1, 5])
    for score in scores(run(loaded(), tasks)):
        assert score.percent >= 99.9 and score.false_passes == 0


def test_every_verified_answer_of_the_larger_columns_is_exact():
    tasks, _ = covered(loaded(), extra_tasks(60) | one_digit_tasks(60))
    results = run(loaded(), tasks)
    assert len(results) >= 60 * 7
    for result in results:
        if result.verified:
            problem = Problem.parse(result.problem)
            assert result.answer == problem.answer == verify(result.text, "lean", problem=problem).answer
    assert all(score.percent >= 99 for score in scores(results))


def test_an_interrupted_run_goes_on(tmp_path):
    out = tmp_path / "results.jsonl"
    tasks = {"ADD 2D": [Problem(a, "+", 50) for a in range(10, 40)]}
    whole = run(loaded(), tasks, out)
    lines = out.read_text().splitlines()
    assert [json.loads(line)["problem"] for line in lines] == [f"{a}+50" for a in range(10, 40)] and load(out) == whole
    marked = json.loads(lines[0]) | {"reason": "kept"}
    (tmp_path / "again.jsonl.partial").write_text(json.dumps(marked) + "\n" + lines[1] + "\n" + lines[2][:20])
    counted = []
    again = run(loaded(), tasks, tmp_path / "again.jsonl", counted.append)
    assert again[0].reason == "kept" and again[1:] == whole[1:] and counted == [2, 28]
    assert not (tmp_path / "again.jsonl.partial").exists()
    (tmp_path / "bad.jsonl").write_text(lines[0] + "\n{}\n")
    with pytest.raises(ProblemError, match="line 2"):
        load(tmp_path / "bad.jsonl")


def test_what_was_not_trained_is_left_out():
    kept, left = covered(loaded(), {"a": [Problem(1, "+", 1)], "b": [Problem(10**40, "+", 1)]})
    assert (list(kept), left) == (["a"], ["b"])


def test_scores():
    rows = [Result("t", "1+1", "", "2", "2", True, True, "", 0), Result("t", "1+2", "", "4", "3", False, True, "", 0)]
    (score,) = scores(rows)
    assert (score.right, score.verified, score.false_passes, score.percent) == (1, 2, 1, 50.0)
    low, high = wilson(8, 10)
    assert (round(low, 1), round(high, 1)) == (49.0, 94.3)
    assert wilson(0, 0) == (0, 100)


def test_the_papers_table(shared):
    paper = json.loads((shared.parent / "paper" / "tables.json").read_text())["table1"]
    for model in PAPER:
        numbers = [value for op in ("ADD", "SUB", "MUL", "DIV") for value in paper[model][op]]
        assert list(PAPER[model].values()) == numbers
        assert list(PAPER[model]) == [f"{op} {task}" for op in paper["tasks"] for task in paper["tasks"][op]]
    assert {name for name, *_ in EXTRA} <= set(PAPER["RevOrder-1B"])
    header, rows = table(scores([Result("ADD 5D", "1+1", "", "2", "2", True, True, "", 0)]))
    assert markdown(header, rows).splitlines()[2].startswith("| ADD 5D | 1 | 100.0 |")


def test_a_wrong_target_or_a_missing_file_is_named(tmp_path):
    with pytest.raises(ProblemError, match="stated target '3' is not 2"):
        bigbench.checked("What is 1 plus 1?", "3")
    with pytest.raises(ProblemError, match="1_digit_addition"):
        bigbench.load(str(tmp_path), "+", [1])
