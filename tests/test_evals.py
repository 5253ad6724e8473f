"""Evaluation: scores with intervals, every verdict kept, and a run that goes on where it was cut off."""

import json

import pytest

from revorder import Problem, ProblemError, trace, verify
from revorder.corpora import bigbench
from revorder.evals import (
    EXTRA,
    Result,
    covered,
    errors,
    extra_tasks,
    load,
    one_digit_tasks,
    run,
    scores,
    wilson,
    written,
)
from revorder.report import PAPER, errors_table, markdown, summary, table
from revorder.solve import loaded


def test_bigbench_on_the_shipped_model(shared):
    tasks = bigbench.load(str(shared / "bigbench_arithmetic"), "+-", [1, 5])
    for score in scores(run(loaded(), tasks)):
        assert score.percent >= 99.9 and score.false_passes == 0


def test_every_verified_answer_of_the_larger_columns_is_exact():
    tasks, _ = covered(loaded().card, extra_tasks(250) | one_digit_tasks(60))
    results = run(loaded(), tasks)
    assert len(results) >= 250 * 12
    for result in results:
        if result.verified:
            problem = Problem.parse(result.problem)
            assert result.answer == problem.answer == verify(result.text, "lean", problem=problem).answer
    for score in scores(results):
        assert score.percent >= 99


def test_an_interrupted_run_goes_on(tmp_path):
    out = tmp_path / "results.jsonl"
    tasks = {"ADD 2D": [Problem(a, "+", 50) for a in range(10, 40)]}
    whole = run(loaded(), tasks, out)
    lines = out.read_text().splitlines()
    assert [json.loads(line)["problem"] for line in lines] == [f"{a}+50" for a in range(10, 40)] and load(out) == whole
    head = json.dumps({"run": "mine"}) + "\n"
    marked = json.loads(lines[0]) | {"reason": "kept"}
    partial = tmp_path / "again.jsonl.partial"
    partial.write_text(head + json.dumps(marked) + "\n" + lines[1] + "\n" + lines[2][:20])
    with pytest.raises(ProblemError, match="another run"):
        run(loaded(), tasks, tmp_path / "again.jsonl", name="another's")
    counted = []
    again = run(loaded(), tasks, tmp_path / "again.jsonl", counted.append, "mine")
    assert again[0].reason == "kept" and again[1:] == whole[1:] and counted == [2] + [1] * 28
    assert not partial.exists() and load(tmp_path / "again.jsonl") == again
    for wrong, says in (
        ("{}", "line 2: its keys"),
        (lines[0].replace("true", "1"), "line 2: right is 1"),
        ("5", "keys"),
    ):
        (tmp_path / "bad.jsonl").write_text(f"{lines[0]}\n{wrong}\n")
        with pytest.raises(ProblemError, match=says):
            load(tmp_path / "bad.jsonl")


def test_what_was_not_trained_is_left_out():
    kept, left = covered(loaded().card, {"a": [Problem(1, "+", 1)], "b": [Problem(10**40, "+", 1)]})
    assert (list(kept), left) == (["a"], ["b"])


def result(task, problem, answer, expected, verified=True, reason="", rollbacks=0, rightly=0):
    step = None if verified else 1
    return Result(task, problem, "", answer, expected, answer == expected, verified, step, reason, rollbacks, rightly)


def test_scores():
    rows = [result("t", "1+1", "2", "2"), result("t", "1+2", "4", "3")]
    rows += [result("d", "8/2", "4", "4", True, "", 2, 1), result("d", "9/2", "5", "4R1", False, "missed", 1, 1)]
    score, division = scores(rows)
    assert (score.right, score.verified, score.false_passes, score.percent) == (1, 2, 1, 50.0)
    assert (division.rollbacks, division.rightly, division.rolled, division.rolled_right) == (3, 2, 2, 1)
    assert summary([score, division]).endswith("2 of 4 problems right, 1 wrong answers verified")
    low, high = wilson(8, 10)
    assert (round(low, 1), round(high, 1)) == (49.0, 94.3)
    assert wilson(0, 0) == (0, 100)


FAULTS = {
    "12+35": ("r|74", "r|84"),
    "948/12": ("70r|48", "80r|69"),
    "148/12": ("=12R4", "=13R4"),
    "99-12": ("r|78", "r|7"),
}


class Wrong:
    """A writer of the right lean traces with one fault each, as a bad model would write them."""

    card = loaded().card

    def generate_each(self, questions, max_tokens):
        for i, question in reversed(list(enumerate(questions))):
            yield i, trace(question[:-1], "lean").text.removeprefix(question).replace(*FAULTS[question[:-1]], 1)

    def as_trace(self, problem, written):
        return f"{problem}={written}"


def test_what_is_wrong_is_grouped_by_its_first_wrong_step():
    pairs = [("t", Problem.parse(question)) for question in FAULTS]
    results = list(written(Wrong(), pairs))
    assert not any(row.verified for row in results) and [row.right for row in results].count(True) == 1  # 948/12=79
    groups = errors(results)
    assert {key: [row.problem for row in rows] for key, rows in groups.items()} == {
        ("-", "the text ends early"): ["99-12"],
        ("/", "a copied digit was changed"): ["148/12"],
        ("/", "wrong digit in the difference"): ["948/12"],
        ("+", "wrong digit in the sum"): ["12+35"],
    }
    assert {row.problem: row.step for row in results} == {"12+35": 0, "948/12": 0, "148/12": 2, "99-12": 0}
    header, rows = errors_table(groups)
    assert len(header) == len(rows[0]) and len(rows) == len(groups)
    lines = markdown(header, rows).replace(r"\|", "").splitlines()  # the mark r| ends no cell
    assert {line.count("|") for line in lines} == {len(header) + 1} and len(lines) == 2 + len(rows)


def test_the_papers_table(shared):
    paper = json.loads((shared.parent / "paper" / "tables.json").read_text())["table1"]
    for model in PAPER:
        numbers = [value for op in ("ADD", "SUB", "MUL", "DIV") for value in paper[model][op]]
        assert list(PAPER[model].values()) == numbers
        assert list(PAPER[model]) == [f"{op} {task}" for op in paper["tasks"] for task in paper["tasks"][op]]
    assert {name for name, *_ in EXTRA} <= set(PAPER["RevOrder-1B"])
    header, rows = table(scores([result("ADD 5D", "1+1", "2", "2")]))
    assert markdown(header, rows).splitlines()[2].startswith("| ADD 5D | 1 | 100.0 |")


def test_a_wrong_target_or_a_missing_file_is_named(tmp_path):
    with pytest.raises(ProblemError, match="stated target '3' is not 2"):
        bigbench.checked("What is 1 plus 1?", "3")
    with pytest.raises(ProblemError, match="1_digit_addition"):
        bigbench.load(str(tmp_path), "+", [1])
