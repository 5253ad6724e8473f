"""Cost: tokens by characters and by a real tokenizer, and lean against the others on the columns of Table 1."""

import pytest
from hypothesis import given
from strategies import PROBLEMS

from revorder import Problem, ProblemError, trace
from revorder.corpora import bigbench
from revorder.metrics.token_cost import characters, cost, counter, extra


def test_the_mark_is_one_token():
    assert characters("12+35=r|74=47") == len("12+35=r74=47")


def test_addition_and_subtraction_cost_one_extra_token():
    assert extra("123+46") == extra("123-46") == 1


@given(PROBLEMS)
def test_cost_counts_the_whole_trace(problem):
    for method in ("revorder", "lean", "goat"):
        assert cost(problem, method) == characters(trace(problem, method).text)


def test_a_tokenizer_from_a_folder_counts_the_same(tmp_path):
    pytest.importorskip("transformers")
    from revorder.model.hf_tokenizer import save_place_tokenizer

    save_place_tokenizer(tmp_path)
    count = counter(str(tmp_path))
    for text in (trace("12*4567").text, trace("948/12", "lean").text):
        assert count(text) == characters(text)


def test_a_tokenizer_that_is_not_there_is_named():
    pytest.importorskip("transformers")
    with pytest.raises(ProblemError, match="no/such/folder.*give a folder"):
        counter("no/such/folder")


def drawn(op, n, m, count=200):
    """Problems with operands of n and m digits, spread over all of them; a division is exact."""
    problems = []
    for i in range(count):
        a = 10 ** (n - 1) + (7919 * 10 ** (n - 1) * (i + 1) // count + 104729 * i) % (9 * 10 ** (n - 1))
        b = 10 ** (m - 1) + (6101 * 10 ** (m - 1) * (i + 1) // count + 1299709 * i) % (9 * 10 ** (m - 1))
        problems.append(Problem(a - a % b if op == "/" and a >= b else a, op, b))
    return [problem for problem in problems if len(str(problem.a)) == n]


SHARES = {"*": 0.8, "/": 0.6}  # of compact's tokens that lean may take


def mean(problems, method):
    return sum(cost(problem, method) for problem in problems) / len(problems)


@pytest.mark.parametrize(
    ("op", "n", "divisors"),
    [("*", n, [n]) for n in (2, 3, 4, 5, 6)]
    + [("*", 16, [1]), ("*", 8, [4])]
    + [("/", n, range(1, n + 1)) for n in (2, 3, 4, 5)]  # BIG-bench's: a divisor has any number of digits up to n
    + [("/", 16, [1]), ("/", 6, [3]), ("/", 12, [6])],
)
def test_lean_is_the_cheapest_that_decomposes_in_each_column(op, n, divisors):
    every = [drawn(op, n, m) for m in divisors]
    size = min(map(len, every))  # as many of each
    assert size > 50
    problems = [problem for some in every for problem in some[:size]]
    assert mean(problems, "lean") <= SHARES[op] * mean(problems, "revorder")


@pytest.mark.parametrize(
    ("op", "n", "m"),
    [("*", n, n) for n in (2, 3, 4, 5, 6)]
    + [("*", 16, 1), ("*", 8, 4)]
    + [("/", n, m) for n, m in ((2, 1), (3, 2), (4, 2), (5, 3), (16, 1), (6, 3), (12, 6))],
)
def test_lean_is_the_cheapest_that_decomposes_in_each_shape(op, n, m):
    problems = drawn(op, n, m)
    lean = mean(problems, "lean")
    assert lean < mean(problems, "revorder") and lean < mean(problems, "authors")
    assert lean < mean(problems, "scratchpad")
    if m > 1:  # with one digit GOAT answers at once
        assert lean < mean(problems, "goat")


def test_lean_keeps_its_share_on_bigbench_itself(shared):
    for name, problems in bigbench.load(str(shared / "bigbench_arithmetic"), "*/", range(2, 6)).items():
        assert mean(problems, "lean") <= SHARES[problems[0].op] * mean(problems, "revorder"), name
