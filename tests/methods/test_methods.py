"""What each method writes is true: its numbers are read and computed here, apart from the package that wrote them.

The judge replays the writers, so it can't tell that a writer is wrong; these tests can.
"""

import ast
import operator
import re
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import (
    FORMS,
    NUMBERS,
    POSITIVE,
    PROBLEMS,
    ROLLING,
    answer_of,
    block_size,
    divisions,
    does_not_reach,
    quotient_digits,
    value_of,
)

from revorder import METHODS, Expression, Problem, ProblemError, restore, trace, verify
from revorder.arithmetic.trace import Kind
from revorder.methods import scripted_digits

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: Fraction}


def compute(text):
    """The value of digits, + - * / and parentheses; division is exact."""

    def walk(node):
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp):
            assert isinstance(node.op, ast.USub)
            return -walk(node.operand)
        assert isinstance(node, ast.Constant) and isinstance(node.value, int)
        return node.value

    return walk(ast.parse(text.strip(), mode="eval").body)


def backwards(digits):
    """The number whose digits are written lowest first, a minus sign last."""
    return int(digits[::-1])


def forwards(text):
    """A text with its `r|21-` or `r21-` turned round, however many digits it has."""
    return re.sub(r"r\|?([0-9]+)(-(?![0-9r]))?", lambda m: str(backwards(m[1] + (m[2] or ""))), text)


@given(st.sampled_from(FORMS), PROBLEMS, st.booleans())
def test_the_answer_is_pythons(how, problem, answer):
    name, form = how
    expected = answer_of(problem)
    made = trace(problem, name, form, answer=answer)
    method = METHODS[name]
    assert made.answer == expected and method.parse_question(made.text) == problem
    assert "".join([step.text for step in made.steps]) == made.text and all(step.text for step in made.steps)
    # without the forward answer a quotient is nowhere written whole
    if answer or problem.op != "/" or name not in ("revorder", "authors"):
        assert method.parse_answer(made.text) == expected
    for known in (None, problem):
        for judged in (form, None):
            verdict = verify(made.text, name, judged, known)
            assert verdict.ok and verdict.answer == expected and verdict.rollbacks == 0, verdict


@pytest.mark.parametrize("op", ["+", "-", "*"])
@pytest.mark.parametrize("how", [("revorder", "compact"), ("revorder", "expanded"), ("authors", "authors")])
@given(NUMBERS, NUMBERS)
def test_every_field_of_an_equation_has_its_value(how, op, a, b):
    text = trace(Problem(a, op, b), *how).text
    fields = text.replace("\n", "").split("=")
    assert fields[0] == f"{a}{op}{b}" and len(fields) >= 3
    assert {compute(forwards(field)) for field in fields} == {compute(fields[0])}
    if op != "*":
        assert len(fields) == 3
        return
    values = [digit + "0" * (len(str(b)) - 1 - i) for i, digit in enumerate(str(b)) if digit != "0"] or ["0"]
    work = fields[1:-1]
    if len(values) > 1 or how[0] == "authors":
        assert work.pop(0) == "+".join(f"{a}*{value}" for value in values)
    numbers = [[int(n) for n in re.findall("[0-9]+", forwards(field))] for field in work if "(" not in field]
    assert numbers[0] == [a * int(value) for value in values]
    for before, after in pairwise(numbers):  # adjacent pairs; an odd last one carried down
        assert after == [sum(before[i : i + 2]) for i in range(0, len(before), 2)]
    assert len(numbers[-1]) == 1


@given(divisions([("revorder", "compact")]))
def test_compact_divisions_are_true(case):
    method, form, problem, plan = case
    text = trace(problem, method, form, plan).text
    question, _, work = text.partition("=")
    work, _, answer = work.rpartition("=")
    assert question == f"{problem.a}/{problem.b}"
    left, quotient, taken = problem.a, "", 0
    pattern = re.compile(r"([0-9])R-\(([0-9]+)\*([0-9]+)\)\(r\|([0-9]+)\)\((?:(-?)r\|([0-9]+)|0)\)(W?)(#?)")
    at = 0
    while match := pattern.match(work, at):
        digit, b, value, product, minus, rest, wrong, more = match.groups()
        assert int(b) == problem.b and value[0] == digit and int(value[1:] or 0) == 0
        assert backwards(product) == problem.b * int(value)
        rem = backwards(rest or "0") * (-1 if minus else 1)
        assert rem == left - problem.b * int(value)
        place = 10 ** (len(str(problem.a // problem.b)) - 1 - len(quotient))
        assert bool(wrong) == (not 0 <= rem < problem.b * place)
        assert not (wrong and more)
        at = match.end()
        if wrong:
            taken += 1
        else:
            left, quotient = rem, quotient + digit
            assert bool(more) == (at < len(work))
    assert at == len(work) and taken == sum(map(len, plan.values()))
    assert (int(quotient), left) == divmod(problem.a, problem.b)
    assert answer == (f"{quotient}R{left}" if left else quotient)


@given(divisions([("authors", "authors")]))
def test_the_authors_divisions_are_true(case):
    method, form, problem, plan = case
    work, _, answer = trace(problem, method, form, plan).text.partition("=")[2].rpartition("=")
    left, quotient, taken = problem.a, "", 0
    for step in work.split("#"):
        digit, again, scaled, product, rest, wrong = re.fullmatch(
            r"([0-9])R\(-([0-9])\*([0-9]+)~r([0-9]+)~r([0-9]+-?)\)(W?)", step
        ).groups()
        assert digit == again and backwards(product) == int(digit) * int(scaled)
        assert backwards(rest) == left - backwards(product)
        assert int(scaled) == problem.b * 10 ** (len(str(problem.a // problem.b)) - 1 - len(quotient))
        assert bool(wrong) == (not 0 <= backwards(rest) < int(scaled))
        taken += bool(wrong)
        if not wrong:
            left, quotient = backwards(rest), quotient + digit
    assert taken == sum(map(len, plan.values())) and answer == (f"{quotient}R{left}" if left else quotient)
    assert (int(quotient), left) == divmod(problem.a, problem.b)


@given(divisions([("revorder", "expanded")]))
def test_every_line_of_an_expanded_division_is_the_dividend(case):
    method, form, problem, plan = case
    first, *lines, last = trace(problem, method, form, plan).text.split("\n=")
    assert first == f"{problem.a}/{problem.b}" and last == problem.answer
    width = len(str(problem.a // problem.b))
    settled = ""
    for i in range(0, len(lines), 3):  # the product named, computed, subtracted
        wrong = lines[i + 2].endswith(" W")
        heads, rems = [], []
        for line in lines[i : i + 3]:
            head, _, rem = line.removesuffix(" W").partition(" Rem ")
            heads.append(head)
            rems.append(compute(restore(rem)))
        assert len(set(heads)) == 1 and heads[0][:-1] == settled
        place = 10 ** (width - len(heads[0]))
        assert {int(heads[0]) * place * problem.b + rem for rem in rems} == {problem.a}
        assert wrong == (not 0 <= rems[0] < problem.b * place)
        settled = settled if wrong else heads[0]
    assert int(settled) == problem.a // problem.b
    assert sum(line.endswith(" W") for line in lines) == sum(map(len, plan.values()))


LEAN_LIKE = [("lean", "lean"), ("blocks", "1"), ("blocks", "2"), ("blocks", "3")]


@given(divisions(LEAN_LIKE))
@example(("lean", "lean", Problem(948, "/", 12), {0: [8]}))
@example(("lean", "lean", Problem(120, "/", 48), {}))
@example(("lean", "lean", Problem(119, "/", 12), {-1: [1, 9], 0: [8]}))
@example(("lean", "lean", Problem(100000, "/", 7), {-1: [1, 9], 1: [5]}))
@example(("blocks", "2", Problem(1234567, "/", 12), {0: [9, 11], 2: [0, 99]}))
@example(("blocks", "3", Problem(1234567, "/", 1240), {-1: [1], 0: [996]}))
def test_lean_divisions_are_true(case):
    method, form, problem, plan = case
    work, _, answer = trace(problem, method, form, plan).text.partition("=")[2].rpartition("=")
    dividend, b = str(problem.a), problem.b
    size = block_size(method, form)
    width = min(len(dividend), len(str(b)))  # of a difference, and of what the division begins with
    count = (len(dividend) - width) % size + 1  # digits of the first block; for each beyond one, one more is read
    unread, left = dividend[width + count - 1 :], int(dividend[: width + count - 1])
    quotient, done, taken = "", 0, {}
    lead = does_not_reach(problem) and count == 1  # then `#` comes first, and no digit is right before it
    for step in re.findall(r"[^#W]*[#W]|[^#W]+$", work):
        if step == "#":  # the divisor does not fit yet
            assert lead
            left, unread, count, lead = int(f"{left}{unread[:size]}"), unread[size:], size, False
            continue
        wrong = step[-1] == "W"
        written, *numbers = step.rstrip("#W").split("r|")
        digit = int(written[:count])
        assert written[count:] == "0" * len(unread)
        assert [backwards(number) for number in numbers[:-1]] == ([digit * b] if digit else [])
        rest = left - digit * b
        assert wrong == (lead or not 0 <= rest < b)
        down, shown = unread[:size] or "0" * size, numbers[-1]
        assert shown.startswith(down[::-1]) and len(down) == size
        shown = shown[size:]
        assert (backwards(shown) - rest) % 10 ** len(shown) == 0  # a negative one leaves a borrow
        if wrong:
            taken.setdefault(done - lead, []).append(digit)
            assert len(shown) >= width
            continue
        assert len(shown) == width and backwards(shown) == rest
        quotient, done = quotient + written[:count], done + 1
        assert step.endswith("#") == bool(unread)
        left, unread, count = int(f"{rest}{down}") if unread else rest, unread[size:], size
    assert size > 1 or quotient[0] != "0" or problem.a < b
    quotient = str(int(quotient))
    assert taken == plan and not unread and answer == (f"{quotient}R{left}" if left else quotient)
    assert (int(quotient), left) == divmod(problem.a, b)


@given(NUMBERS, NUMBERS)
def test_lean_differences_are_true(a, b):
    work = trace(Problem(a, "-", b), "lean").text.removeprefix(f"{a}-{b}=")
    width = max(len(str(a)), len(str(b)))
    first, borrow, second = work.partition("W")
    digits = first.removeprefix("r|")
    assert first.startswith("r|") and len(digits) == width
    assert backwards(digits) == (a - b) % 10**width
    assert bool(borrow) == (a < b)
    if borrow:
        assert second == "r|" + str(b - a)[::-1].ljust(width, "0") + "-"


@given(NUMBERS, NUMBERS, st.sampled_from(LEAN_LIKE))
@example(456, 120, ("lean", "lean"))
@example(4567, 102, ("lean", "lean"))
@example(4567, 1020300, ("blocks", "2"))
def test_lean_products_are_true(a, b, how):
    work, size = trace(Problem(a, "*", b), *how).text.removeprefix(f"{a}*{b}="), block_size(*how)
    many, few = (a, str(b)) if len(str(a)) >= len(str(b)) else (b, str(a))
    if len(few) <= size:  # by one block: the product alone
        assert work.startswith("r|") and backwards(work[2:]) == a * b
        return
    steps = work.split("#")
    assert len(steps) == -(-len(few) // size)
    total = 0
    for i, step in enumerate(steps):
        written, *numbers = step.split("r|")
        assert written == few[: len(few) - i * size][-size:] + "0" * i * size
        product = many * int(written)
        running = [product, total + product] if total else [product]
        assert numbers == ([str(number)[::-1] for number in running] if product else [])
        total += product
    assert total == a * b and backwards(numbers[-1]) == total


@given(NUMBERS, NUMBERS)
def test_goats_products_are_true(a, b):
    fields = trace(Problem(a, "*", b), "goat").text.split(" = ")
    assert fields[0] == f"{a} * {b}" and {compute(field) for field in fields} == {a * b}


@given(NUMBERS, POSITIVE)
def test_goats_divisions_are_true(a, b):
    *lines, last = trace(Problem(a, "/", b), "goat").text.split("\n")
    answer = Problem(a, "/", b).answer.replace("R", " R ")
    assert last == (f"Therefore, {a} / {b} = {answer}" if lines else f"{a} / {b} = {answer}")
    left = a
    for line in lines:
        fields = line.split(" = ")
        assert re.fullmatch(rf"{left} - {b} \* [1-9]0*", fields[0]) and len(fields) == 3
        assert len({compute(field) for field in fields}) == 1
        assert 0 <= int(fields[-1]) < left
        left = int(fields[-1])
    assert not lines or left == a % b


@settings(max_examples=250)
@given(NUMBERS, st.sampled_from("+-*"), NUMBERS)
def test_every_line_of_a_scratchpad_has_the_value_of_its_block(a, op, b):
    question, opened, *lines, closed, answer = trace(Problem(a, op, b), "scratchpad").text.split("\n")
    assert (opened, closed) == ("<scratch>", "</scratch>")
    assert question.replace(" ", "") == f"{a}{op}{b}"
    expected = str({"+": a + b, "-": a - b, "*": a * b}[op])
    assert answer.replace(" ", "") == expected
    value, op_now, totals = None, "", []
    for line in lines:
        joined = line.replace(" ", "")
        head, comma, tail = joined.partition(",")
        if not comma:  # the carry and the digits done: the block's result
            assert int(joined) == value
            totals.append(value)
            value = None
            continue
        done, carry = tail.split("C:")
        if value is None:
            body = head.removeprefix("-")
            op_now = next(char for char in "+-*" if char in body)
            left, right = body.split(op_now)
            value = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op_now](int(left), int(right))
            assert (done, carry) == ("", "0")
            continue
        left, _, right = head.partition(op_now)
        left, right = int(left or 0), int(right or 0)
        rest = left + right + int(carry) if op_now == "+" else left - right - int(carry) if op_now == "-" else None
        if rest is None:
            rest = left * right + int(carry)
        assert rest * 10 ** len(done) + int(done) == value, line
    one_digit = op == "*" and len(str(b).strip("0")) == 1  # then the zeros behind it are put on the answer alone
    zeros = len(str(b)) - 1 if one_digit else 0
    assert value is None and totals[-1] * 10**zeros == abs(int(expected))


@given(NUMBERS, POSITIVE)
def test_scratchpad_divisions_are_true(a, b):
    text = trace(Problem(a, "/", b), "scratchpad").text
    steps = re.findall(r"^([0-9 ]+) / ([0-9 ]+) , ([0-9])$", text.replace("<scratch>", ""), re.M)
    assert len(steps) == len(str(a // b))
    digits = str(a)
    left = int(digits[: len(digits) - len(steps) + 1])
    for i, (shown, divisor, digit) in enumerate(steps):
        assert int(shown.replace(" ", "")) == left and int(divisor.replace(" ", "")) == b and int(digit) == left // b
        if i + 1 < len(steps):
            left = left % b * 10 + int(digits[len(digits) - len(steps) + 1 + i])
    assert text.rpartition("\n")[2].replace(" ", "") == Problem(a, "/", b).answer


@given(PROBLEMS)
def test_reverse_writes_the_answer_turned_round(problem):
    field = trace(problem, "reverse").text.partition("=")[2]
    value, _, remainder = field.partition("R")
    assert (backwards(value), backwards(remainder or "0")) == value_of(problem)


@given(st.recursive(st.integers(0, 999).map(str), lambda e: st.builds("({}{}{})".format, e, st.sampled_from("+-*"), e)))
def test_every_rewriting_of_mathglm_has_the_value(text):
    made = trace(text, "mathglm")
    fields = made.text.split("=")
    assert {compute(field) for field in fields} == {compute(text)}
    assert len(fields) == max(2, 1 + len(re.findall(r"[-+*]", text)))
    assert verify(made.text, "mathglm", problem=text).ok


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
