"""Solve: the model's work is judged, Python's integers repair what is wrong and do what it can't be asked, and say
so."""

import itertools
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revorder import Expression, Problem, ProblemError, solve, solve_many, verify
from revorder.arithmetic.numbers import decimal_text
from revorder.inference.solver import Calculator, Computed, load_runtime, reduced

DECIMALS = st.builds(decimal_text, st.integers(0, 10**6), st.integers(0, 4))


def test_the_main_job():
    solution = solve("123456789+987654321")
    assert (solution.answer, solution.verified, solution.by) == ("1111111110", True, "model")
    assert verify(solution.trace, load_runtime().info.method, problem="123456789+987654321").ok


@settings(max_examples=60)
@given(a=st.integers(0, 99999), b=st.integers(0, 99999), op=st.sampled_from("+-"))
def test_every_answer_is_the_exact_one(a, b, op):
    solution = solve(f"{a}{op}{b}")
    assert solution.verified and solution.answer == str(a + b if op == "+" else a - b)
    assert solution.by == "model" or solution.reason


@settings(max_examples=60)
@given(a=st.integers(0, 10**12), b=st.integers(1, 10**6), op=st.sampled_from("+-*/"))
def test_a_model_that_errs_gives_exact_answers_too_or_says_that_they_are_not_verified(erring, a, b, op):
    problem = Problem(a, op, b)
    solution = solve(str(problem), erring)
    assert solution.verified and solution.answer == problem.answer and solution.by in ("model", "repaired", "tool")
    alone = solve(str(problem), erring, model_only=True)
    assert alone.by == "model" and (alone.answer == problem.answer or not alone.verified)
    assert alone.verified == (solution.by == "model")


@pytest.mark.parametrize("text", ["802099890453/610871", "2399247107523108/4", "778098950061/987449"])
def test_what_a_shipped_model_got_wrong_once_is_answered_exactly(text):
    solution = solve(text)
    assert solution.verified and solution.answer == Expression.parse(text).answer


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


def test_where_nothing_is_computed_nobody_did_and_signs_are_not_doubled():
    assert [(found.by, found.answer) for found in solve_many(["$5", "-(7)", "1+1"])] == [
        ("nobody", "5"),
        ("nobody", "-7"),
        ("model", "2"),
    ]
    for text in ("7÷÷2", "7÷/2", "6∕∕2"):
        with pytest.raises(ProblemError, match="expected a number at character 3"):
            solve(text)
    for decimals in (2.0, True):
        with pytest.raises(ProblemError, match=f"decimals {decimals}: accepted: 0 to 1000"):
            solve("2/3", decimals=decimals)


def test_remainders_at_the_top_only():
    assert solve("950/12").answer == "79R2"
    with pytest.raises(ProblemError, match=r"7/2.*not exact \(3R1\)"):
        solve("7/2+1")
    assert solve("7/2").answer == "3R1" and solve("-7/2").answer == "-3R-1"


# Decimals


@settings(max_examples=60)
@given(DECIMALS, st.sampled_from("+-*/"), DECIMALS, st.integers(0, 8))
def test_every_decimal_answer_is_the_exact_one_or_that_rounded(a, op, b, decimals):
    exact = Expression.parse(f"{a}{op}{b}")
    if op == "/" and not Expression.parse(b).fraction():
        with pytest.raises(ProblemError, match="division by zero"):
            solve(f"{a}{op}{b}", decimals=decimals)
        return
    solution = solve(f"{a}{op}{b}", decimals=decimals)
    error = abs(Fraction(solution.answer) - exact.fraction())
    assert solution.verified and error * 2 * 10**decimals <= 1 and solution.rounded == bool(error)
    assert solution.by == "model" or solution.reason


def test_decimals_are_integers_to_the_model_and_the_point_is_put_back():
    solution = solve("1.5*2.25+10%")
    assert (solution.answer, solution.verified, solution.by, solution.rounded) == ("3.475", True, "model", False)
    assert [str(step.problem) for step in solution.steps] == ["15*225", "3375+100"]
    assert "." not in solution.trace and solution.trace.count("\n") == 1
    assert solve("200+10%").answer == "200.1" and solve("$1,000.50 × ２").answer == "2001"
    assert [step.problem.op for step in solve("10/4-1.5").steps] == ["/", "-"]
    assert solve("1.5").answer == "1.5" and solve("7//2").answer == "3"


def test_a_division_goes_on_to_the_decimals_asked_for():
    assert solve("7/2+1", decimals=6).answer == "4.5" and solve("948/12", decimals=6).answer == "79"
    assert (solve("2/3", decimals=2).answer, solve("2/3", decimals=2).rounded) == ("0.67", True)
    assert (solve("1/3*3", decimals=2).answer, solve("1/3*3", decimals=2).rounded) == ("1", False)
    far = solve("2/3", decimals=40)
    assert far.answer == f"0.{'6' * 39}7" and far.verified and far.by == "tool"
    assert [s.answer for s in solve_many(["7/2", "1/0", "1/8"], decimals=2)] == ["3.5", None, "0.13"]
    with pytest.raises(ProblemError, match="decimals 1001: accepted: 0 to 1000"):
        solve("1+1", decimals=1001)


def test_a_decimal_is_repaired_too(erring):
    assert (solve("1.2+3.5", erring).answer, solve("1.2+3.5", erring).by) == ("4.7", "repaired")
    alone = solve("1.2+3.5", erring, model_only=True)
    assert (alone.answer, alone.verified) == ("4.8", False)


def test_larger_operands_go_to_the_tool_and_say_so():
    big = "1" * 60
    solution = solve(f"{big}+1")
    assert (solution.answer, solution.by, solution.verified) == (str(int(big) + 1), "tool", True)
    assert "Python's integers" in solution.reason
    small = solve("123+456", max_digits=2)
    assert (small.answer, small.by) == ("579", "tool") and "more than 2 digits" in small.reason
    assert solve("12+34", max_digits=2).by == "model"


# What the judge rejects


def test_what_the_model_gets_wrong_is_repaired(erring):
    solution = solve("12+35", erring)
    assert (solution.answer, solution.verified, solution.by) == ("47", True, "repaired")
    assert solution.trace == "12+35=47"
    assert solution.reason == (
        "repaired by Python's integers: '12+35': wrong digit in the sum 12+35: expected 'r|74', found 'r|84'"
    )
    assert solution.steps[0].rejected == "12+35=r|84"
    right = solve("12+34", erring)
    assert (right.answer, right.by, right.reason, right.steps[0].rejected) == ("46", "model", "", "")


def test_an_expression_goes_on_after_a_repair(erring):
    solution = solve("(12+35)*2-50", erring)
    assert (solution.answer, solution.verified, solution.by) == ("44", True, "repaired")
    assert [step.by for step in solution.steps] == ["repaired", "model", "model"]
    mixed = solve(f"{'1' * 60}+0*(12+35)", erring)
    assert Counter(step.by for step in mixed.steps) == {"model": 1, "repaired": 1, "tool": 1}
    assert mixed.by == "repaired" and mixed.answer == "1" * 60
    assert solve(f"{'1' * 60}+0*(12+34)", erring).by == "tool"


@pytest.mark.parametrize("text", ["12+35", "(12+35)*2-50", f"{'1' * 60}+(12+35)*2", "950/12", "17*1001-9/3"])
@pytest.mark.parametrize("model_only", [False, True])
def test_each_step_says_how_it_is_judged(erring, text, model_only):
    for model in (None, erring):
        for step in solve(text, model, model_only=model_only).steps:
            verdict = verify(step.text, step.method, step.form, step.problem)
            assert verdict.ok == step.verified and verdict.answer == step.answer
            assert step.verified or step.by == "model"
            if step.rejected:
                rejected = verify(step.rejected, load_runtime(model).info.method, problem=step.problem)
                assert not rejected.ok and rejected.reason == step.reason


def test_the_model_alone_says_what_it_says(erring):
    solution = solve("12+35", erring, model_only=True)
    assert (solution.answer, solution.verified, solution.by) == ("48", False, "model")
    assert solution.trace == "12+35=r|84" and "wrong digit in the sum 12+35" in solution.reason
    assert solve("12+34", erring, model_only=True).verified
    longer = solve("(12+35)*2-50", erring, model_only=True)
    assert (longer.answer, longer.verified) == ("46", False)  # 48*2-50
    assert [step.verified for step in longer.steps] == [False, True, True]
    assert longer.trace.startswith("12+35=r|84\n48*2=")


@pytest.mark.parametrize(
    "text, answers, trace",
    [
        ("(12+35)/47+1", ["48", "1R1"], "12+35=?48\n48/47=?1R1"),  # no remainder but in the last operation
        ("7/(12-12)", ["0"], "12-12=?0"),  # the model is right, and yet nothing that it says is verified
        ("(12+35)*2", [None], "12+35=?"),
        ("(12+35)*2", ["9" * 5000], f"12+35=?{'9' * 5000}"),  # more digits than Python reads
        ("(12+35)*2", ["9" * 2001], f"12+35=?{'9' * 2001}"),  # more digits than an operand may have
    ],
)
def test_the_model_alone_stops_where_it_can_not_go_on(text, answers, trace):
    steps = reduced(text)
    problem = next(steps)
    with pytest.raises(StopIteration) as stopped:
        for answer in answers:
            said = f"{problem}=?{answer or ''}"
            problem = steps.send(Computed(problem, said, "plain", "plain", answer, False, "model", "no number"))
    solution = stopped.value.value
    assert (solution.answer, solution.verified, solution.error, solution.trace) == (None, False, "", trace)
    assert solution.reason.count("no number") == len(answers)


def test_the_model_alone_is_not_asked_what_is_beyond_its_training(erring):
    solution = solve(f"{'1' * 60}+1", erring, model_only=True)
    assert solution.answer is None and not solution.verified and solution.by == "model"
    assert "beyond what the model was trained on" in solution.reason
    assert "more than 2 digits" in solve("123+4", erring, max_digits=2, model_only=True).reason
    pieces = []
    solve("123+4", max_digits=2, model_only=True, show=pieces.append)
    assert "".join(pieces) == "123+4= <- rejected: more than 2 digits\n"


def test_a_long_problem_stands_in_a_reason_once_and_short():
    big = "7" * 400
    solution = solve(f"{big}+{big}")
    assert len(solution.reason) < 200 and "777…777" in solution.reason
    assert len(solve(f"({big}+{big})*2").reason) < 400


# What is shown


def test_show_streams_the_work():
    pieces = []
    solution = solve("12+35", show=pieces.append)
    assert "".join(pieces) == solution.trace + "\n" and len(pieces) > 3


def test_show_marks_a_rejected_line_and_repairs_it_on_the_next(erring):
    pieces = []
    solve("(12+35)*2", erring, show=pieces.append)
    assert "".join(pieces).splitlines() == [
        "12+35=r|84 <- rejected: wrong digit in the sum 12+35: expected 'r|74', found 'r|84'",
        "12+35=47",
        "47*2=r|49",
    ]
    pieces.clear()
    solve("(12+35)*2", erring, show=pieces.append, model_only=True)
    lines = "".join(pieces).splitlines()
    assert lines[0].startswith("12+35=r|84 <- rejected: ") and lines[1:] == ["48*2=r|69"]
    pieces.clear()
    solve(f"{'1' * 60}+1", erring, show=pieces.append)
    assert "".join(pieces) == f"{'1' * 60}+1={'1' * 59}2\n"


def test_a_command_that_showed_the_work_ends_well_on_a_busy_machine():
    command = [sys.executable, "-m", "revorder", "solve", "12345678/4321", "--show"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    ends = [(*process.communicate(), process.returncode) for process in running]
    assert all(said.endswith("2857R581\n") and (error, status) == ("", 0) for said, error, status in ends), ends


# What is taken


@pytest.mark.parametrize("given", [5, None, 1.5, b"1+1", ["1+1"], Problem(1, "+", 1), "x" * 5000])
def test_what_is_no_problem_is_named_in_one_line(given):
    advice = "accepted: numbers such as" if isinstance(given, str) else "not text; give text such as"
    with pytest.raises(ProblemError, match=f"problem .*{advice} ") as error:
        solve(given)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    solutions = list(solve_many(["1+1", given, "2+2"]))
    assert [solution.answer for solution in solutions] == ["2", None, "4"] and isinstance(solutions[1].problem, str)


def test_one_text_is_not_many():
    with pytest.raises(ProblemError, match="batch 0; accepted: "):
        list(solve_many(["1+1"], batch=0))
    with pytest.raises(ProblemError, match="problems '12[+]34' is a single text; give an iterable of texts"):
        list(solve_many("12+34"))


@pytest.mark.parametrize("batch", [1, 4])
def test_no_more_is_read_than_is_answered(batch):
    taken = []

    def problems():
        for i in itertools.count():
            taken.append(i)
            yield f"{i}+1"

    solutions = solve_many(problems(), batch=batch)
    for i in range(2 * batch + 1):
        assert next(solutions).answer == str(i + 1)
        assert len(taken) == batch * (i // batch + 1)


def test_a_problem_that_comes_often_is_computed_once():
    calculator = Calculator(load_runtime())
    problem = Problem(12, "+", 35)
    assert list(calculator.compute([problem, problem])) == [problem]
    assert [solution.answer for solution in solve_many(["12+35"] * 3)] == ["47"] * 3


def test_what_was_solved_reads_as_the_judge_reads_it():
    runtime = load_runtime()
    for text in ("1+2", "99999+1", "123+45678"):
        step = Calculator(runtime).compute([Expression.parse(text).problem()])
        assert [computed.answer for computed in step.values()] == [Expression.parse(text).answer]
