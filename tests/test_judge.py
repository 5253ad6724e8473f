"""The judge: correct traces pass, and anything else is rejected at the step that holds the fault."""

import re
from itertools import accumulate

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import FORMS, answer_of, traces

from revorder import METHODS, Expression, Problem, ProblemError, trace, verify
from revorder.arithmetic.trace import Kind


@given(traces())
def test_a_correct_trace_is_correct(case):
    made, rollbacks = case
    problem, method = made.problem, METHODS[made.method]
    for known in (None, problem):
        verdict = verify(made.text, made.method, made.form, known)
        assert verdict.ok and verdict.step is None and verdict.reason == "", verdict
        assert verdict.rollbacks == rollbacks
        assert verdict.answer == answer_of(problem) == method.parse_answer(made.text)
    assert method.parse_question(made.text) == problem
    assert "".join(step.text for step in made.steps) == made.text


FULL_WIDTH = {0xFEE0 + ord(char): char for char in "0123456789+-*/()[]{}=?,"}
SIGNS = str.maketrans({"×": "*", "∗": "*", "·": "*", "÷": "/", "∕": "/", "−": "-", "–": "-"} | FULL_WIDTH)


def squeezed(text):
    """The indices and characters that are left without spaces and empty lines, with ASCII signs."""
    kept = [(i, char) for i, char in enumerate(text.translate(SIGNS)) if char == "\n" or not re.match(r"\s", char)]
    kept = [
        pair for pair, after in zip(kept, [*kept[1:], (0, "\n")], strict=True) if (pair[1], after[1]) != ("\n", "\n")
    ]
    return kept[1:] if kept and kept[0][1] == "\n" else kept


def step_of(made, at):
    """The step that holds the character at `at`."""
    ends = accumulate(len(step.text) for step in made.steps)
    return next(i for i, end in enumerate(ends) if at < end)


def first_difference(text, changed):
    """The index in `text` from which the texts say different things; None where they say the same."""
    expected, found = squeezed(text), squeezed(changed)
    pairs = zip(expected, found, strict=False)
    first = next((one[0] for one, other in pairs if one[1] != other[1]), None)
    if first is None and len(expected) != len(found):
        first = expected[min(len(found), len(expected) - 1)][0]
    return first


def check_change(made, at, char):
    """With `char` at `at`, the text is rejected at that step, or says the same."""
    text = made.text
    changed = text[:at] + char + text[at + 1 :]
    verdict = verify(changed, made.method, made.form, made.problem)
    if verdict.ok:  # then it differs in white space and signs alone, or by a thousands separator for a space
        same = first_difference(text, changed) is None or (
            made.method == "scratchpad" and char in ",_'，" and "\n" not in text[:at]
        )
        assert same, (text, changed)
        return
    assert verdict.reason and "\n" not in verdict.reason
    # where white space comes or goes, the fault is where the rest of the text first differs
    blank = char.isspace() or text[at].isspace()
    assert verdict.step == step_of(made, first_difference(text, changed) if blank else at), (text, changed, verdict)


@settings(max_examples=600)
@given(traces(), st.data(), st.one_of(st.sampled_from("0123456789=+-*/|r()R#W~ \n<C:,.x"), st.characters()))
def test_any_changed_character_is_rejected_at_its_step(case, data, char):
    made, _ = case
    at = data.draw(st.integers(0, len(made.text) - 1))
    assume(char != made.text[at])
    check_change(made, at, char)


@pytest.mark.parametrize(("method", "form"), FORMS)
@pytest.mark.parametrize("problem", ["12-35", "120*405", "950/12"])
def test_every_character_changed_in_every_way(method, form, problem):
    rollback = {0: 8} if "/" in problem and METHODS[method].can_rollback else {}
    made = trace(problem, method, form, rollback)
    for at, old in enumerate(made.text):
        for char in set("0123456789=+-*/|r()R#W~ \n\t\r\x00<C:,'.xé٣²−×７＝\ufeff\u2028\ud800\U0001f600") - {old}:
            check_change(made, at, char)


@pytest.mark.parametrize(
    ("problem", "rollback"),
    [
        ("120/48", {}),
        ("606/95", {}),
        ("119/12", {-1: 1}),
        ("100000/7", {-1: [1, 9], 0: 2}),
        ("1000/990", {-1: 1, 0: 0}),
        ("456*120", {}),
        ("4567*102", {}),
    ],
)
def test_every_character_changed_where_lean_writes_no_digit_or_no_product(problem, rollback):
    made = trace(problem, "lean", rollback=rollback)
    for at, old in enumerate(made.text):
        for char in set("0123456789=+-*/|r()R#W~ \n,.xé") - {old}:
            check_change(made, at, char)
        cut = verify(made.text[:at] + made.text[at + 1 :], "lean", problem=problem)
        assert not cut.ok and cut.reason, (made.text, at)


@given(traces(), st.data())
def test_a_cut_text_is_rejected_unless_only_the_forward_answer_is_missing(case, data):
    made, _ = case
    text = made.text
    cut = data.draw(st.integers(0, len(text) - 1))
    verdict = verify(text[:cut], made.method, made.form, made.problem)
    if verdict.ok:
        optional = "".join(segment.text for segment in made.steps[-1].segments if segment.kind is Kind.ANSWER)
        blank = re.sub(r"\s", "", text[cut:])
        assert optional and blank in ("", re.sub(r"\s", "", optional)), (text, text[:cut])


@given(traces(), st.sampled_from(["0", "=1x", "W", "#", "x", "é", "\n=1x"]))
def test_nonsense_after_the_end_is_rejected(case, more):
    made, _ = case
    verdict = verify(made.text + more, made.method, made.form, made.problem)
    assert not verdict.ok and verdict.step >= len(made.steps) - 1


@pytest.mark.parametrize("method", ["revorder", "authors", "lean"])
def test_rollbacks_are_judged(method):
    correct = trace("948/12", method).text
    high, low = trace("948/12", method, rollback={0: 8}).text, trace("948/12", method, rollback={1: 3}).text
    assert verify(high, method).rollbacks == verify(low, method).rollbacks == 1
    for text in (high, low):
        missed = verify(text.replace("W", "" if method == "authors" else "#", 1), method)
        assert not missed.ok and missed.reason.startswith("missed rollback")
    taken = correct.replace("#", "W", 1)
    verdict = verify(taken, method)
    assert not verdict.ok and "nothing is to be taken back" in verdict.reason
    assert verify(trace("948/12", method, rollback={0: [8, 9, 1], 1: [0, 8]}).text, method).rollbacks == 5


REASONS = {
    "revorder": [
        ("12+35=r|75=57", 0, "wrong digit in the sum 12+35"),
        ("12+35=r|74=48", 1, "wrong answer"),
        ("12+35=r|745", 1, "more digits than it should"),
        ("12*4567=12*4000+12*500+12*60+13*7=r|", 0, "a copied digit was changed"),
        ("12*456=12*400+12*50+12*6=r|0084+r|006+r|27=r|0045+r|28=r|2745", 2, "wrong carry-down"),
        ("12-35=r|32=-23", 0, "wrong length or sign"),
        ("12-35=r|32-=23", 1, "wrong answer"),
        ("948/12=7R-(12*70)(r|048)(r|901)", 0, "wrong digit in the difference 948-840"),
        ("12+35=", 0, "ends early"),
        ("12+35", 0, "ends early"),
        ("hello", 0, "no question"),
        ("1/0=0", 0, "division by zero"),
        ("", 0, "no question"),
    ],
    "lean": [
        # a digit where the divisor does not fit yet
        ("120/48=2r|69r|042=2R24", 0, "the divisor does not fit yet: expected '#', found the quotient digit 2"),
        ("120/48=00#2r|69r|042=2R24", 0, "does not fit yet: expected '#', found the quotient digit 0"),
        ("120/48=0#2r|69r|042=2R24", 0, "does not fit yet: expected '#', found the quotient digit 0"),
        ("119/12=1r|21r|999W#", 0, "does not fit yet: expected '#', found the quotient digit 1"),
        ("119/12=10r|21r|999W9r|801r|011=9R11", 1, "does not fit yet: expected '#', found the quotient digit 9"),
        ("119/12=10r|21r|999#9r|801r|011=9R11", 0, "missed rollback of the quotient digit 1, the divisor does not fit"),
        ("119/12=10r|21r|999", 0, "ends early: expected 'W', found ''"),
        ("119/12=10r|21r|999W", 1, "ends early: expected '#', found ''"),
        ("119/12=10r|22r|999W#", 0, "wrong digit in the product 12*1: expected 'r|21', found 'r|22'"),
        ("119/12=10r|21r|989W#", 0, "wrong digit in the difference 11-12: expected '99', found '89'"),
        ("119/12=10r|21r|899W#", 0, "a copied digit was changed: expected 'r|9', found 'r|8'"),
        ("119/12=10r|21r|999WW#", 1, "nothing is to be taken back: expected '#', found 'W'"),
        ("119/12=10r|21r|999W##", 1, "missing quotient digit of 119/12: expected '9', found '#'"),
        # going on where it does not fit yet, once
        ("120/48=##2r|69r|042=2R24", 0, "missing quotient digit of 120/48: expected '2', found '#'"),
        ("120/48=r|021#2r|69r|042=2R24", 0, "not the notation: expected '#', found 'r'"),
        ("120/48=W2r|69r|042=2R24", 0, "nothing is to be taken back: expected '#', found 'W'"),
        ("120/48=", 0, "ends early: expected '#', found ''"),
        ("120/48=#", 0, "ends early: expected '2', found ''"),
        # no digit where the divisor fits
        ("948/12=#70r|48r|801", 0, "missing quotient digit of 94/12: expected '7', found '#'"),
        ("7/12=r|07=0R7", 0, "missing quotient digit of 7/12: expected '0', found 'r'"),
        ("7/12=#0r|07=0R7", 0, "missing quotient digit of 7/12: expected '0', found '#'"),
        ("1212/12=100r|21r|100#r|210", 1, "missing quotient digit of 1/12: expected '0', found 'r'"),
        ("948/12=7r|48r|801", 0, "a copied digit is missing: expected '0', found 'r'"),
        # the 0 that is brought down at last
        ("950/12=70r|48r|011#9r|801r|20=79R2", 1, "a copied digit was changed: expected 'r|0', found 'r|2'"),
        ("950/12=70r|48r|011#9r|801r|120=79R2", 1, "a copied digit was changed: expected 'r|0', found 'r|1'"),
        ("950/12=70r|48r|011#9r|801r|02=79R2", 1, "wrong length or sign in the difference 110-108: expected '20'"),
        ("950/12=70r|48r|011#9r|801r|0200=79R2", 2, "more digits than it should: expected '=79R2', found '0=79R'"),
        ("950/12=70r|48r|011#9r|801r|020=79", 2, "ends early: expected '=79R2', found '=79'"),
        # a zero digit of the multiplier
        ("456*120=20r|0219#100r|00654r|02745", 0, "a copied digit was changed: expected '0', found '2'"),
        ("456*120=0r|000#20r|0219", 1, "not the notation: expected '#', found 'r'"),
        ("4567*102=2r|4319#100r|007654r|438564", 1, "a copied digit was changed: expected '00', found '10'"),
        ("4567*102=2r|4319#0#100r|007654r|438564", 1, "a copied digit is missing: expected '00', found '0#'"),
    ],
}


@pytest.mark.parametrize(
    ("method", "text", "step", "says"), [(method, *case) for method, cases in REASONS.items() for case in cases]
)
def test_reasons(method, text, step, says):
    verdict = verify(text, method)
    assert not verdict.ok and verdict.step == step and says in verdict.reason, verdict


def test_rollbacks_before_the_first_digit_are_counted():
    once, twice = trace("119/12", "lean", rollback={-1: 1}), trace("119/12", "lean", rollback={-1: [1, 9], 0: 8})
    assert verify(once.text, "lean").rollbacks == 1 and verify(twice.text, "lean").rollbacks == 3
    assert verify(trace("119/12", "lean").text, "lean").rollbacks == 0


def test_what_lean_rejects():
    assert "missed sign" in verify("12-35=r|77", "lean").reason or "ends early" in verify("12-35=r|77", "lean").reason
    assert "sum" in verify("4567*12=2r|4319#10r|07654r|40846", "lean").reason
    assert verify("12+35=r|74=47", "lean").ok  # a forward copy is accepted


def test_the_question_must_be_the_one_asked():
    verdict = verify("12+36=r|84=48", problem="12+35")
    assert not verdict.ok and verdict.step == 0 and "question was changed" in verdict.reason and verdict.answer == "48"
    assert verify("12+36=r|84=48", problem="12 + 36").ok


def test_white_space_and_signs_make_no_difference():
    assert verify("948÷12 = 7R − (12×70)(r|048)(r|801) # 9R − (12×9)(r|801)(0) = 79").ok
    assert verify("1,234 + 1 = r|5321 = 1235").ok
    made = trace("9480/120", "goat").text
    assert verify(made.replace("9480", "9,480", 1), "goat", problem="9480/120").ok
    assert verify(made.replace(" ", "\t"), "goat", problem="9480/120").ok
    assert verify("12+35=r|7 4=4 7").ok and not verify("12+35=r|7 5=4 7").ok
    assert verify("１２＋３５＝r|７４＝４７").ok and verify("１２＋３５＝r|７５＝５７").step == 0


def test_spaces_within_a_number_of_the_question_make_two_numbers():
    for text in ("1 2+35=r|74=47", "12+3 5=r|74=47"):
        verdict = verify(text)
        assert not verdict.ok and verdict.step == 0 and "expected an operation" in verdict.reason
    assert verify("1 234+1=r|5321=1235").ok  # a space groups thousands there, as in a problem


@pytest.mark.parametrize(("method", "form"), FORMS)
@pytest.mark.parametrize("problem", ["12+35", "12-35", "12*34", "948/12"])
def test_white_space_around_a_text_makes_no_difference(method, form, problem):
    text = trace(problem, method, form).text
    for blank in (f"\n \n{text}\n\n", f"\t{text} ", text.replace("\n", "\r\n"), text.replace("\n", "\n\n")):
        assert verify(blank, method, form, problem).ok, blank


def test_a_problem_may_be_given_as_text_problem_or_expression():
    for problem in ("12+35", Problem(12, "+", 35), Expression.parse("12+35")):
        assert verify("12+35=r|74=47", problem=problem).ok
        assert verify("12+35=47", "mathglm", problem=problem).ok
        assert "question was changed" in verify("12+36=r|84=48", problem=problem).reason
    with pytest.raises(ProblemError, match="ends where a number is expected"):
        verify("12+35=r|74=47", problem="12+")


@given(st.text(), st.sampled_from(FORMS))
def test_total_on_text(text, form):
    assert verify(text, form[0]).ok in (True, False)


@given(st.binary(), st.sampled_from(FORMS))
@example(b"\xff1+1=r|2", ("revorder", "compact"))
def test_total_on_bytes(data, form):
    assert isinstance(verify(data, form[0]).reason, str)


@pytest.mark.parametrize("method", METHODS)
def test_long_and_deep_texts_get_a_verdict(method):
    nines = "9" * 2000
    for text in (
        "(" * 200_000,
        "1+" * 100_000,
        "7" * 200_000 + "+1=",
        f"{nines}*{nines}=",
        f"{nines}/7=" + "W" * 200_000,
        "1+1=" + "r|" * 100_000,
    ):
        assert not verify(text, method).ok


def test_names_that_are_unknown():
    with pytest.raises(ProblemError, match="accepted: revorder"):
        verify("1+1=r|2", "nope")
    with pytest.raises(ProblemError, match="accepted: compact, expanded"):
        verify("1+1=r|2", form="nope")


def test_expressions_by_mathglm():
    good = "3468*4046/7424=14031528/7424=1890R168"
    assert verify(good, "mathglm").ok and verify(good, "mathglm").answer == "1890R168"
    assert verify(good.replace("14031528", "14031529"), "mathglm").step == 0
    assert verify("7/2+1=3+1=4", "mathglm").reason.count("not exact") == 1


@pytest.mark.parametrize("text", ["5", "-5", "--5", "-(1+2)*3", "-7/2", "7/-2", "2--3", "0*-5", "(4-6)*(1+2)/3"])
def test_signs_in_expressions_by_mathglm(text):
    expression = Expression.parse(text)
    value, remainder = expression.value()
    made = trace(text, "mathglm")
    assert made.answer == (f"{value}R{remainder}" if remainder else str(value))
    assert METHODS["mathglm"].parse_answer(made.text) == made.answer
    verdict = verify(made.text, "mathglm", problem=text)
    assert verdict.ok and verdict.answer == made.answer


def test_steps_of_wrong_quotient_digits_are_not_kept():
    text = trace("948/12", "revorder", "expanded", rollback={0: 8}).text
    assert verify(text, "revorder", "expanded").kept == verify(trace("948/12", "revorder", "expanded").text).kept
    assert verify(text.partition(" W")[0], "revorder", "expanded").kept == 0
    assert verify(text[:-1], "revorder", "expanded").kept == len(trace("948/12", "revorder", "expanded").steps) - 1


def test_reasons_are_short():
    assert len(verify("7" * 2000 + "*" + "8" * 2000 + "=x", "mathglm").reason) < 250
