"""Solve: the shipped model's answers are judged, and what it can't be asked goes to Python's integers and says so."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revorder import Problem, ProblemError, solve, verify
from revorder.problem import Expression
from revorder.runtime import Card, Runtime
from revorder.solve import judged, loaded, solve_many


def test_the_main_job():
    solution = solve("123456789+987654321")
    assert (solution.answer, solution.verified, solution.by) == ("1111111110", True, "model")
    assert verify(solution.trace, loaded().card.method, problem="123456789+987654321").ok


@settings(max_examples=60)
@given(a=st.integers(0, 99999), b=st.integers(0, 99999), op=st.sampled_from("+-"))
def test_a_verified_answer_is_the_exact_one(a, b, op):
    solution = solve(f"{a}{op}{b}")
    if solution.verified:
        assert solution.answer == str(a + b if op == "+" else a - b)
    else:
        assert solution.reason


def test_many_in_order_and_a_bad_one_loses_nothing():
    solutions = list(solve_many(["1+1", "2+", "3/0", "(1+2)*3", "-4+1", "7"], batch=4))
    assert [s.answer for s in solutions] == ["2", None, None, "9", "-3", "7"]
    assert [bool(s.error) for s in solutions] == [False, True, True, False, False, False]
    assert "'2+'" in solutions[1].error and "division by zero" in solutions[2].error


def test_expressions_are_reduced_pair_by_pair():
    solution = solve("(12+34)*2-100")
    assert solution.answer == "-8" and solution.verified
    assert [str(step.problem) for step in solution.steps] == ["12+34", "46*2", "92-100"]
    assert solution.trace.count("\n") == 2


def test_remainders_at_the_top_only():
    assert solve("950/12").answer == "79R2"
    with pytest.raises(ProblemError, match=r"7/2.*not exact \(3R1\)"):
        solve("7/2+1")
    assert solve("7/2").answer == "3R1" and solve("-7/2").answer == "-3R-1"


def test_larger_operands_go_to_the_tool_and_say_so():
    big = "1" * 60
    solution = solve(f"{big}+1")
    assert (solution.answer, solution.by, solution.verified) == (str(int(big) + 1), "tool", True)
    assert "Python's integers" in solution.reason
    small = solve("123+456", max_digits=2)
    assert (small.answer, small.by) == ("579", "tool") and "more than 2 digits" in small.reason
    assert solve("12+34", max_digits=2).by == "model"


def test_what_the_model_gets_wrong_is_not_verified():
    problem = Problem(12, "+", 35)
    computed = judged(loaded(), problem, "12+35=r|84")
    assert not computed.verified and computed.answer == "48" and "sum 12+35" in computed.reason


def test_show_streams_the_work():
    pieces = []
    solution = solve("12+35", show=pieces.append)
    assert "".join(pieces) == solution.trace + "\n" and len(pieces) > 3


def test_loading_a_model_does_not_import_torch_but_lets_others():
    code = """
import sys
from revorder.runtime import Runtime
assert Runtime().generate(["12+35="], 9) == ["r|74"] and "torch" not in sys.modules
try:
    import torch
except ModuleNotFoundError as error:
    assert "halted" not in str(error), error
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_folder_that_is_no_checkpoint_is_named(tmp_path):
    with pytest.raises(ProblemError, match=r"no revorder\.json; accepted: a checkpoint folder, narrow, wide"):
        Runtime(tmp_path)
    Card("lean", "lean", (("+", 5, 5),)).save(tmp_path)
    with pytest.raises(ProblemError, match="can't be read"):
        Runtime(tmp_path)
    (tmp_path / "revorder.json").write_text('{"limits": 3}')
    with pytest.raises(ProblemError, match=r"revorder\.json"):
        Card.load(tmp_path)


def test_a_shipped_checkpoint_has_a_name_that_a_folder_may_take(tmp_path, monkeypatch):
    weights = {name: (Runtime(name).folder / "model.safetensors").stat().st_size for name in ("narrow", "wide")}
    assert weights["narrow"] < weights["wide"] and solve("12*4567", "narrow").verified
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wide").mkdir()
    assert Runtime().folder.parent.name == "checkpoints"
    with pytest.raises(ProblemError, match=r"model 'wide' has no revorder\.json"):
        Runtime("wide")


@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from("+-*/"))
def test_limits(n, m, op):
    card = Card("lean", "lean", (("+", 5, 5), ("*", 5, 1), ("/", 4, 2)))
    a, b = 10 ** (n - 1), 10 ** (m - 1)
    longer, shorter = max(n, m), min(n, m)
    expected = {"+": longer <= 5, "-": False, "*": longer <= 5 and shorter == 1, "/": n <= 4 and m <= 2}[op]
    assert card.covers(Problem(a, op, b)) == expected


def test_batches_and_streams_agree():
    runtime = loaded()
    questions = [f"{a}+{b}=" for a, b in ((1, 2), (99999, 1), (123, 45678))]
    together = runtime.generate(questions, 60)
    assert together == ["".join(runtime.stream(question, 60)) for question in questions]
    assert [Expression.parse(q).problem().answer for q in questions] == [
        judged(runtime, Expression.parse(q).problem(), q + text).answer
        for q, text in zip(questions, together, strict=True)
    ]


def test_a_command_that_showed_the_work_ends_well_on_a_busy_machine():
    command = [sys.executable, "-m", "revorder", "solve", "12345678/4321", "--show"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    ends = [(*process.communicate(), process.returncode) for process in running]
    assert all(said.endswith("2857R581\n") and (error, status) == ("", 0) for said, error, status in ends), ends
