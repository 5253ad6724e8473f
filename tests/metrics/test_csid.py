"""CSID: the paper's figures for single equations, and no equation above the worst case of its operation."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import FORMS, OPS, SHORT, plans, quotient_digits

from revorder import Problem, ProblemError, csid, trace
from revorder.metrics.csid import explain, worst_case


@pytest.mark.parametrize(
    ("problem", "count"),
    [("111+111", 0), ("123+179", 2), ("999+1", 3), ("1+2", 0), ("100-99", 2), ("12-35", 2), ("3*4", 0), ("63/7", 0)],
)
def test_direct_equations(problem, count):
    assert csid(problem) == count


@pytest.mark.parametrize("n", range(1, 13))
def test_the_longest_carry_chain_reaches_the_worst_case_and_revorder_stays_at_one(n):
    problem = Problem(10**n - 1, "+", 1)
    assert csid(problem) == n == worst_case("+", n)
    assert csid(problem, "revorder") == csid(problem, "lean") == 1


def test_the_worst_cases_of_the_paper():
    assert [worst_case("*", n) for n in (1, 2, 8)] == [1, 6 * 4 + 2, 6 * 64 + 8]
    assert csid("99*2285438") == csid("2285438*99") <= worst_case("*", 7, 2)
    assert worst_case("/", 12, 6) == 2 * 144 - 2 * 36
    for op in "+*/":
        assert worst_case(op, 16, 8, "revorder") == worst_case(op, 16, 8, "revorder", "expanded") == 1
    assert worst_case("-", 16, 8, "lean") == 1
    with pytest.raises(ProblemError, match="n >= m"):
        worst_case("/", 3, 4)


@given(a=SHORT, b=SHORT, op=OPS, how=st.sampled_from(FORMS))
def test_no_equation_exceeds_its_worst_case(a, b, op, how):
    if op == "/":
        a, b = max(a, b), min(a, b)
        a -= a % b  # the paper divides exactly
    problem = Problem(a, op, b)
    n, m = sorted((len(str(a)), len(str(b))), reverse=True)
    assert csid(problem, *how) <= worst_case(op, n, m, *how)


@given(a=SHORT, b=SHORT, op=OPS, form=st.sampled_from(["compact", "expanded"]))
def test_revorder_is_at_one_but_for_the_sign_and_the_quotient(a, b, op, form):
    problem = Problem(a, op, b)
    if op != "-" or a >= b:
        assert csid(problem, "revorder", form) <= 1
    assert csid(problem, "lean") <= 1  # for a < b too
    estimates = [digit for digit in explain(problem, "revorder", form) if digit.estimated]
    assert len(estimates) == (len(str(a // b)) if op == "/" else 0)


def test_where_revorder_is_not_at_one():
    assert csid("12-35", "revorder") == 2  # the lowest digit needs to know that 12 < 35
    assert csid("123456-123457", "revorder") == 6
    assert csid("948/12", "revorder") == 1
    assert csid("948/12", "revorder", estimation=True) == 5  # an estimate needs the product and the remainder
    assert csid("63/7", "revorder", estimation=True) == 0  # one digit by one digit is basic
    assert csid(trace("948/12", rollback={0: 8})) == 2  # the sign of a rejected remainder


def test_explain_names_what_a_digit_is_computed_from():
    first = explain("123+179")[0]
    assert (first.char, first.place, first.sources, first.sids) == ("3", 3, ("a3=1", "b3=1"), ("carry 2", "carry 1"))
    assert [digit.char for digit in explain("12+39", "revorder")] == ["1", "5"]
    assert [len(digit.sids) for digit in explain("948/12", "lean") if digit.estimated] == [5, 5]


def test_what_lean_brings_down_is_a_copy():
    assert [digit.char for digit in explain("120/48", "lean")] == list("2" + "69" + "42")
    assert [digit.char for digit in explain(trace("119/12", "lean", rollback={-1: 1}))] == list(
        "1" + "21" + "99" + "9801" + "11"
    )
    assert [digit.char for digit in explain("456*120", "lean")] == list("0219" + "00654" + "02745")


@given(st.builds(lambda a, b: Problem(a, "/", b), SHORT, SHORT), st.data())
@example(Problem(119, "/", 12), None)
def test_lean_is_at_one_with_any_digits_taken_back(problem, data):
    everywhere = {step: (int(digit) + 1) % 10 for step, digit in quotient_digits("lean", "lean", problem).items()}
    for wrong in [everywhere, data.draw(plans("lean", "lean", problem)) if data else {}]:
        assert csid(trace(problem, "lean", rollback=wrong)) <= 1


def sids_of(problem, method, form):
    """(digit, how many unwritten digits it needs) of every digit that is computed."""
    return [(digit.char, len(digit.sids)) for digit in explain(problem, method, form)]


def test_products_by_two_digits_at_once_by_hand():
    # 12*34 = 48 + 360. 8 is 4*2 alone; 0 is the last digit of 4 + 6; 4 is the 3 of 36 and the carry of 4 + 6
    assert [(d.char, d.sids) for d in explain("12*34", "blocks", "2")] == [
        ("8", ()),
        ("0", ("product 1 digit 2", "product 2 digit 1")),
        ("4", ("product 2 digit 2", "column 2 carry digit 1", "product 1 digit 2", "product 2 digit 1")),
    ]
    # 4567*23 = 13701 + 91340, with the carries 2 2 1 1 and 1 1 1 0. The 5, fourth: 3 with three carries below it, 1
    # with two, the carry from the third column, and that column's 7 and 3
    assert sids_of("23*4567", "blocks", "2") == list(zip("140501", [0, 3, 5, 10, 8, 9], strict=True))
    # 99*99 = 891 + 8910. The 8, third: 8 and 9 with a carry each, the carry of 9 + 1, and that column's 9 and 1
    assert sids_of("99*99", "blocks", "2") == list(zip("1089", [0, 3, 7, 6], strict=True))
    # a digit and zeros are as good as a digit
    assert sids_of("17*60", "blocks", "2") == list(zip("0201", [0, 0, 1, 1], strict=True))


def test_quotients_of_two_digits_at_once_by_hand():
    # 950/12: 7 is estimated; 9 needs 84, its carry, 11 and no borrow: 5; the product 12*79 = 108 + 840 has at most 5
    assert [(d.char, len(d.sids), d.estimated) for d in explain("950/12", "blocks", "2")][:2] == [
        ("7", 5, True),
        ("9", 5, False),
    ]
    assert sids_of("950/12", "blocks", "2")[2:5] == [("8", 0), ("4", 3), ("9", 4)]
    assert csid("950/12", "blocks", "1") == csid("950/12", "lean") == 1


def test_the_family_goes_from_lean_up():
    for problem in ("123456*654321", "12345678*8765", "121932631112635/987654", "802099890453/610850"):
        counts = [csid(problem, "blocks", form) for form in "123"]
        assert counts[0] == csid(problem, "lean") == 1 < counts[1] < counts[2] < csid(problem, "plain")
    assert [worst_case("*", 6, 6, "blocks", form) for form in "123"] == [1, 15, 22]
    assert csid("999999*99", "blocks", "2") == 15
    assert [worst_case("/", 12, 6, "blocks", form) for form in "123"] == [1, 24, 48]


@given(a=SHORT, b=SHORT)
def test_direct_addition_counts_the_longest_run_of_carries(a, b):
    longest = run = carry = 0
    for i in range(max(len(str(a)), len(str(b)))):
        carry = (a // 10**i % 10 + b // 10**i % 10 + carry) // 10
        run = run + 1 if carry else 0
        longest = max(longest, run)
    # the run that ends in the top place is needed by the leading 1
    assert csid(Problem(a, "+", b)) == longest


@pytest.mark.parametrize("equation", [f"{'9' * 600}/{'7' * 300}", f"{'9' * 600}*{'7' * 600}"])
def test_what_would_fill_the_memory_is_refused(equation):
    with pytest.raises(ProblemError, match="its unwritten work is too long to list; give fewer digits"):
        csid(equation, "reverse")
