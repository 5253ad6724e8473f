"""What every method has in common: the right answer, rollbacks, and what it refuses.

The judge replays the writers, so it can't tell that a writer is wrong; the tests of each method's numbers can.
"""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import (
    FORMS,
    PROBLEMS,
    ROLLING,
    answer_of,
    divisions,
    quotient_digits,
)

from revorder import METHODS, Expression, Problem, ProblemError, trace, verify
from revorder.arithmetic.trace import Kind
from revorder.methods import scripted_digits


@given(st.sampled_from(FORMS), PROBLEMS, st.booleans())
def test_the_answer_is_pythons(how, problem, answer):
    name, form = how
    expected = answer_of(problem)
    made = trace(problem, name, form, answer=answer)
    method = METHODS[name]
    assert made.answer == expected and method.parse_question(made.text) == problem
    assert "".join([step.text for step in made.steps]) == made.text and all(step.text for step in made.steps)
    assert method.parse_answer(made.text) == expected
    for known in (None, problem):
        for judged in (form, None):
            verdict = verify(made.text, name, judged, known)
            assert verdict.ok and verdict.answer == expected and verdict.rollbacks == 0, verdict


@pytest.mark.parametrize(("method", "form"), ROLLING)
@pytest.mark.parametrize(
    "problem",
    ["948/12", "1212/12", "7/12", "0/5", "100000/7", "5999/60", "120/48", "606/95", f"{10**60 - 1}/{10**56 + 7}"],
)
def test_any_wrong_digit_at_any_step_may_be_taken_back_and_must_be(method, form, problem):
    correct = trace(problem, method, form)
    for step, digits in quotient_digits(method, form, correct.problem).items():
        why = "the divisor does not fit yet" if step < 0 else f"the right one is {digits}"
        right, most = int(digits), 10 ** len(digits) - 1
        for wrong in {*range(10), max(0, right - 1), min(right + 1, most), most} - {right}:
            made = trace(problem, method, form, {step: wrong})
            verdict = verify(made.text, method, form, problem)
            assert verdict.ok and verdict.rollbacks == 1 and made.answer == correct.answer == verdict.answer
            assert made.text.count("W") == 1
            without = trace(problem, method, form, {step: wrong}, answer=False).text
            assert METHODS[method].parse_answer(without) == made.answer
            at = made.text.index("W")
            for missed in (
                made.text[:at] + made.text[at + 1 :],
                made.text[:at] + "#" + made.text[at + 1 :],
                made.text[:at],
            ):
                verdict = verify(missed, method, form, problem)
                held = next(i for i, made_step in enumerate(made.steps) if "W" in made_step.text)
                assert not verdict.ok and verdict.step == held and verdict.rollbacks == 0
                shown = f"{'digit' if most == 9 else 'block'} {wrong:0{len(digits)}d}"
                assert missed == made.text[:at] or verdict.reason.startswith(
                    f"missed rollback of the quotient {shown}, {why}: expected 'W', found "
                )


@given(divisions(), st.data())
def test_a_correct_quotient_digit_is_not_to_be_taken_back(case, data):
    method, form, problem, plan = case
    made = trace(problem, method, form, plan)
    # of the step in which the digit can be taken back
    ends = (Kind.REVERSED, "-") if form == "expanded" else (Kind.ESTIMATE, "/")
    digits = [i for i, step in enumerate(made.steps) if any(part[1:3] == ends for part in step.segments)]
    settled = [i for i in digits if "W" not in made.steps[i].text]
    at = data.draw(st.sampled_from(settled))
    before = "".join([step.text for step in made.steps[: at + 1]])
    after = "".join([step.text for step in made.steps[at + 1 :]])
    taken = before + {"expanded": " W"}.get(form, "W") + after
    verdict = verify(taken, method, form, problem)
    assert not verdict.ok and "nothing is to be taken back" in verdict.reason, verdict
    assert verdict.step == at + 1


@given(divisions(), st.data())
def test_without_a_form_each_form_is_accepted_and_no_mixture(case, data):
    method, form, problem, plan = case
    assume(method == "revorder")
    made = trace(problem, method, form, plan)
    other = trace(problem, method, "expanded" if form == "compact" else "compact", plan)
    assert verify(made.text, method, problem=problem).ok
    assert not verify(made.text, method, other.form, problem).ok
    cut = data.draw(st.integers(0, len(made.steps) - 2))
    mixed = "".join([step.text for step in made.steps[: cut + 1]]) + "".join([step.text for step in other.steps[-1:]])
    assert not verify(mixed, method, problem=problem).ok


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"problem": "1+1", "method": "nope"}, "method 'nope' is unknown; accepted: revorder, "),
        (
            {"problem": "1+1", "form": "nope"},
            "form 'nope' is unknown to method 'revorder'; accepted: compact, expanded",
        ),
        ({"problem": "1+2+3"}, "'1+2+3': one operation"),
        ({"problem": "1/0"}, "'1/0': division by zero"),
        ({"problem": "1+1", "rollback": {0: 3}}, "estimates no quotient digit in '1+1'"),
        ({"problem": "948/12", "method": "goat", "rollback": {0: 3}}, "method 'goat' estimates no quotient digit"),
        ({"problem": "948/12", "rollback": {2: 3}}, "step 2: accepted: 0 to 1 in '948/12'"),
        ({"problem": "948/12", "rollback": {-1: 3}}, "step -1: accepted: 0 to 1"),
        ({"problem": "948/12", "method": "lean", "rollback": {-1: 3}}, "step -1: accepted: 0 to 1"),
        ({"problem": "7/12", "method": "lean", "rollback": {-1: 1}}, "step -1: accepted: 0 to 0"),
        ({"problem": "120/48", "rollback": {-1: 1}}, "step -1: accepted: 0 to 0"),
        ({"problem": "120/48", "method": "lean", "rollback": {-2: 1}}, "step -2: accepted: -1 to 0 in '120/48'"),
        ({"problem": "120/48", "method": "lean", "rollback": {-1: 0}}, "rollback -1:0: accepted: one of the digits"),
        ({"problem": "948/12", "rollback": {0: 7}}, "except 7, the right one"),
        ({"problem": "948/12", "rollback": {1: [8, 10]}}, "rollback 1:10: accepted: one of the digits 0-9"),
        (
            {"problem": "948/12", "method": "blocks", "form": "2", "rollback": {0: 100}},
            "rollback 0:100: accepted: one of the blocks 00-99 except 79, the right one",
        ),
        (
            {"problem": "948/12", "method": "blocks", "form": "2", "rollback": {1: 8}},
            "step 1: accepted: 0 to 0 in '948/12'",
        ),
    ],
)
def test_what_trace_refuses(arguments, says):
    with pytest.raises(ProblemError) as error:
        trace(**arguments)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_scripted_digits_leave_their_plan_as_it_was():
    plan = {0: [8, 9]}
    for _ in range(2):
        choose = scripted_digits(plan)
        assert [choose(0, 7), choose(0, 7), choose(0, 7), choose(1, 1)] == [8, 9, 7, 1]
    assert plan == {0: [8, 9]}


def test_scripted_digits_go_by_the_step():
    choose = scripted_digits({1: 5, -1: [2], 0: []})
    assert [choose(-1, 0), choose(-1, 0), choose(0, 7), choose(2, 4), choose(1, 3), choose(1, 3)] == [2, 0, 7, 4, 5, 3]
    with pytest.raises(ProblemError, match="rollback 1:5: accepted: .* except 5"):
        scripted_digits({1: 5})(1, 5)
    assert scripted_digits({1: 5})(0, 5) == 5


@pytest.mark.parametrize(("method", "form"), ROLLING)
def test_no_wrong_digits_are_nothing_to_take_back(method, form):
    assert trace("948/12", method, form, {0: []}) == trace("948/12", method, form)


def test_the_forward_answer_may_be_left_out():
    assert trace("12+35", answer=False).text == "12+35=r|74"
    assert trace("12+35", "lean").text == "12+35=r|74" and trace("12+35", "lean", answer=True).text == "12+35=r|74=47"
    assert trace(Expression.parse("12 + 35")) == trace(Problem(12, "+", 35)) == trace("12+35")
