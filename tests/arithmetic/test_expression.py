"""Expressions: read as written, and exact."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import Expression, Problem, ProblemError
from revorder.arithmetic.expression import MAX_TERMS, infix, read_number
from revorder.arithmetic.numbers import Number, decimal_text
from revorder.arithmetic.problem import MAX_DIGITS
from revorder.arithmetic.reduction import signed_problem
from revorder.errors import quote

LEAVES = st.integers(0, 10**6)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.tuples(inner, st.sampled_from("+-*/"), inner), st.tuples(st.sampled_from("+-"), inner)),
    max_leaves=12,
)


def text_of(tree, brackets="()"):
    """A tree with brackets wherever one could want them."""
    opening, closing = brackets
    if isinstance(tree, int):
        return str(tree)
    if len(tree) == 2:
        return f"{tree[0]}{opening}{text_of(tree[1], brackets)}{closing}"
    left, op, right = tree
    return f"{opening}{text_of(left, brackets)}{closing}{op}{opening}{text_of(right, brackets)}{closing}"


def value_of(tree):
    """The value by fractions; None where a division inside is by zero or not exact."""
    if isinstance(tree, int):
        return Fraction(tree)
    values = [value_of(item) for item in tree if not isinstance(item, str)]
    if None in values:
        return None
    if len(tree) == 2:
        return -values[0] if tree[0] == "-" else values[0]
    a, b = values
    if tree[1] == "/":
        return a / b if b and a % b == 0 else None
    return a + b if tree[1] == "+" else a - b if tree[1] == "-" else a * b


@given(TREES, st.sampled_from(["()", "[]", "{}"]))
def test_values_are_exact(tree, brackets):
    expected = value_of(tree)
    expression = Expression.parse(text_of(tree, brackets))
    if expected is not None:
        assert expression.value() == (expected, 0)
    assert Expression.parse(str(expression)).postfix == expression.postfix
    assert Expression.parse(text_of(tree)) == expression


@given(TREES, st.data())
def test_brackets_match_in_kind(tree, data):
    text = f"({text_of(tree)})"
    at = data.draw(st.sampled_from([i for i, char in enumerate(text) if char in "()"]))
    other = data.draw(st.sampled_from("[{" if text[at] == "(" else "]}"))
    with pytest.raises(ProblemError, match=r"closes nothing"):
        Expression.parse(text[:at] + other + text[at + 1 :])


@given(TREES)
def test_reduction_asks_only_problems_and_ends_at_the_value(tree):
    steps = Expression.parse(text_of(tree)).reduce()
    sent = None
    try:
        while True:
            problem = steps.send(sent)
            assert isinstance(problem, Problem)
            sent = (problem.value, problem.remainder)
    except StopIteration as done:
        if value_of(tree) is not None:
            assert done.value == (value_of(tree), 0)
    except ProblemError:
        assert value_of(tree) is None


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6), st.booleans())
def test_remainders_have_the_dividends_sign(a, b, negative):
    b = -b if negative else b
    value, remainder = Expression.parse(f"({a})/({b})").value()
    assert value * b + remainder == a and abs(remainder) < abs(b)


@given(st.integers(-999, 999), st.sampled_from("+-*"), st.integers(-999, 999))
def test_signs_are_moved_by_rule(a, op, b):
    problem, negate = signed_problem(a, op, b)
    assert (-problem.value if negate else problem.value) == {"+": a + b, "-": a - b, "*": a * b}[op]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12×4567", 54804),
        ("948 ÷ 12 =", 79),
        ("5 − 8", -3),
        ("1 234 567 + 1", 1234568),
        ("1_000+1", 1001),
        ("1'000+1", 1001),
        ("2+3*4-5", 9),
        ("(2+3)*4", 20),
        ("--5", 5),
        ("2*-3", -6),
        ("007+1=?", 8),
        ("10-4-3", 3),
        ("100/5/2", 10),
        ("[2+3]*{4-1}", 15),
        ("{[(2+3)*4]-1}*2", 38),
        ("+5+3", 8),
        ("5++3", 8),
        ("2*+3", 6),
        ("-+-5", 5),
        ("(+5)*+(2)", 10),
        ("+" * 100_000 + "5", 5),
        ("１２＋３４", 46),
        ("［２＋３］＊｛４－１｝", 15),
        ("（９４８／１２）＝？", 79),
        ("１，０００＋1", 1001),
        ("\ufeff12+35", 47),
        ("\ufeff 12 + 35 =\n", 47),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_what_is_accepted(text, value):
    assert Expression.parse(text).value() == (value, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing to read"),
        ("  =", "nothing to read"),
        ("\ufeff", "nothing to read"),
        ("1+", "ends where a number is expected"),
        ("+", "ends where a number is expected"),
        ("1 2+3", "expected an operation"),
        ("1,23+4", "a comma separates thousands"),
        ("1+x", "character 3, not 'x'"),
        ("2+0x1F", "a hexadecimal number at character 3"),
        ("1\ufeff+x", "character 2"),
        ("1.+2", "character 2, not '.'"),
        ("(1+2", "a '(' is never closed"),
        ("{1+2", "a '{' is never closed"),
        ("1+2)", "')' at character 4 closes nothing"),
        ("(1+2]", "']' at character 5 closes nothing"),
        ("[(1+2])", "']' at character 6 closes nothing"),
        ("()", "expected a number at character 2"),
        ("1**2", "powers are not supported"),
        ("*5", "expected a number"),
        ("١+٢", "expected a number"),
        ("9" * (MAX_DIGITS + 1) + "+1", f"more than {MAX_DIGITS}"),
        ("1+" * MAX_TERMS + "1", f"more than {MAX_TERMS}"),
        ("1\x00+1", "character 2"),
        ("€5 + $3", "'$' at character 6 is another currency than '€'"),
        ("$5*(£2-1)", "another currency"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(ProblemError) as error:
        Expression.parse(text)
    message = str(error.value)
    assert (
        says in message and "\n" not in message and len(message) < 400 and quote(text.removeprefix("\ufeff")) in message
    )


def test_answers_that_do_not_exist():
    with pytest.raises(ProblemError, match="division by zero"):
        Expression.parse("1/(2-2)").value()
    with pytest.raises(ProblemError, match=r"7/2 inside it is not exact \(3R1\)"):
        Expression.parse("7/2+1").value()
    with pytest.raises(ProblemError, match="grows beyond"):
        Expression.parse("*".join(["9" * 1500] * 3)).value()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(1+2) ÷ (3 − 3)", "division by zero"),
        ("[1+2]/{3-3} =", "division by zero"),
        ("７÷2 + １", "not exact"),
    ],
)
def test_what_has_no_answer_is_quoted_as_it_was_written(text, says):
    for typed in (text, f"  {text}\n", f"\ufeff{text}"):
        expression = Expression.parse(typed)
        assert expression.source == text
        with pytest.raises(ProblemError) as error:
            expression.value()
        assert f"problem '{text}': " in str(error.value) and says in str(error.value)


def test_the_source_is_no_part_of_what_an_expression_is():
    assert Expression.parse("1 + 2") == Expression.parse("(1+2)") == Expression((1, 2, "+"))
    with pytest.raises(ProblemError, match=r"problem '1/\(2-2\)': division by zero"):
        Expression((1, 2, 2, "-", "/")).value()


def test_long_chains_need_no_recursion():
    expression = Expression.parse("+".join(["1"] * 4000))
    assert expression.value() == (4000, 0)
    assert str(expression).count("+") == 3999
    assert Expression.parse("(" * 3000 + "1" + ")" * 3000).value() == (1, 0)


# Decimals, percent, currency


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        (".5", "1/2", 1),
        ("1.50", "3/2", 2),
        ("-0.05", "-1/20", 2),
        ("+7", "7", 0),
        ("10%", "1/10", 2),
        ("33.3 %", "333/1000", 3),
        ("$1,234,567.89", "123456789/100", 2),
        ("-$5", "-5", 0),
        ("$-5", "-5", 0),
        ("€ 1 234.5", "2469/2", 1),
        ("１２.５", "25/2", 1),
        ("＄１，０００．５０", "2001/2", 2),
        ("１０％", "1/10", 2),
        ("−3", "-3", 0),
        ("(4)", "4", 0),
        ("007", "7", 0),
    ],
)
def test_a_number_is_read_exactly(text, value, places):
    assert read_number(text) == Number(Fraction(value), places)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("48/2", "24"),
        ("1/3+1/6", "1/2"),
        ("2+3*4", "14"),
        ("(2+3)*4", "20"),
        ("100-50-30-15", "5"),
        ("60/(2/3)", "90"),
        ("-21/3", "-7"),
        ("-(1.5+.5)*2", "-4"),
        ("3*-2", "-6"),
        ("560//10", "56"),
        ("-7//2", "-4"),
        ("7.5//2*2", "6"),
        ("20 x 5 × 2 ÷ 4", "50"),
        ("80 x -47", "-3760"),
        ("50%*$20", "10"),
        ("[1+{2-(3)}]=?", "0"),
        ("\ufeff1+1=", "2"),
    ],
)
def test_an_expression_is_computed_exactly(text, value):
    assert Expression.parse(text).fraction() == Fraction(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing to read"),
        ("12+", "ends where a number"),
        ("$", "ends where a number"),
        (".", "expected a number at character 1"),
        ("%", "expected a number at character 1"),
        ("0." + "1" * 2000, "more than 2000;"),
        ("2x+1", "expected an operation at character 2"),
        ("2x -1", "expected an operation at character 2"),
        ("1,5", "a comma separates thousands; write a decimal point"),
        ("1,2345", "expected an operation at character 2"),
        ("5.", "expected an operation at character 2"),
        ("1..5", "expected an operation"),
        ("2(3)", "a product needs its sign"),
        ("2**3", "powers are not supported"),
        ("10%3", "expected an operation"),
        ("3 apples*2", "expected an operation at character 3, not 'a'"),
        ("(1+2", "never closed"),
        ("1+2)", "closes nothing"),
        ("__import__('os')", "expected a number at character 1"),
        ("1" * 2001, "more than 2000;"),
        ("1+" * 10_000 + "1", "more than 10000"),
    ],
)
def test_what_is_no_arithmetic_is_refused_in_one_line(text, reason):
    with pytest.raises(ProblemError, match=reason) as error:
        Expression.parse(text)
    assert "\n" not in str(error.value) and quote(text) in str(error.value)


def test_a_division_by_zero_and_what_grows_too_long_are_refused():
    with pytest.raises(ProblemError, match="'1/\\(2-2\\)': division by zero"):
        Expression.parse("1/(2-2)").fraction()
    with pytest.raises(ProblemError, match="grows beyond 2000 digits"):
        Expression.parse("*".join(["9" * 1500] * 2)).fraction()


def test_time_is_linear_in_the_length():
    for text in ("1+" * 4999 + "1", "(" * 9000, "-" * 9000 + "1", "9" * 100_000, " " * 100_000, "1," * 100_000):
        start = time.perf_counter()
        try:
            Expression.parse(text).fraction()
        except ProblemError:
            pass
        assert time.perf_counter() - start < 5, text[:4]


DECIMALS = st.builds(lambda n, places: decimal_text(n, places), st.integers(0, 10**6), st.integers(0, 4))


def joined(part):
    """The text and the value of an operation; None for a division by zero, or by what has none."""
    (left, a), op, (right, b) = part
    text = f"({left}){op}({right})"
    if None in (a, b) or (b == 0 and op in ("/", "//")):
        return text, None
    return text, {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "//": lambda: a // b}[
        op
    ]()


EXPRESSIONS = st.recursive(
    st.one_of(
        DECIMALS.map(lambda text: (text, Fraction(text))),
        DECIMALS.map(lambda text: (f"{text}%", Fraction(text) / 100)),
        DECIMALS.map(lambda text: (f"${text}", Fraction(text))),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//"]), inner).map(joined),
        inner.map(lambda part: (f"-({part[0]})", None if part[1] is None else -part[1])),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_expressions_have_the_value_of_pythons_fractions(pair):
    text, expected = pair
    expression = Expression.parse(text)
    if expected is None:
        with pytest.raises(ProblemError, match="division by zero"):
            expression.fraction()
        return
    assert expression.fraction() == expected
    assert Expression.parse(str(expression)) == expression
    again = infix(expression.signed(), bracket_signs=True)
    assert Expression.parse(again).fraction() == expected and again.count("(") <= text.count("(")


@given(TREES)
def test_integers_have_the_same_value_with_points_and_without(tree):
    text = text_of(tree)
    whole = Expression.parse(text)
    pointed = Expression(tuple(Number(Fraction(n), 1) if isinstance(n, int) else n for n in whole.postfix))
    assert whole.is_whole and not pointed.is_whole
    if value_of(tree) is not None:
        assert whole.answer == pointed.answer == str(whole.fraction()) == str(pointed.fraction())


@pytest.mark.parametrize("text", ["1.5+2", "10%", "7//2", "1.0", "1+2*.5"])
def test_what_is_for_integers_refuses_others_in_one_line(text):
    expression = Expression.parse(text)
    assert not expression.is_whole and not expression.is_problem
    with pytest.raises(ProblemError, match="one operation on two non-negative integers is accepted here"):
        expression.problem()
    with pytest.raises(ProblemError, match="accepted here: integers") as error:
        expression.value()
    assert str(error.value).startswith(f"problem '{text}': ") and "\n" not in str(error.value)


def test_an_inexact_division_says_what_goes_on():
    with pytest.raises(ProblemError, match="solve --decimals 6"):
        Expression.parse("7/2+1").answer  # noqa: B018
