"""Data: pure, disjoint, spread evenly, and right."""

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import example as example_of
from hypothesis import given
from hypothesis import strategies as st

from revorder import Problem, ProblemError, trace, verify
from revorder.corpora import bigbench
from revorder.data import drawing, example, falls_short, held_out, rollback_of, texts
from revorder.methods import revorder
from revorder.mixture import Mixture, Part
from revorder.split import TEST_SHARE, fingerprint, held, split_of

ROOT = Path(__file__).parent.parent
PACKAGED = ["paper", "authors", "lean", "small"]


def mixture(*parts, **settings):
    return Mixture("test", parts, **{"method": "plain", "form": "plain", **settings})


@pytest.mark.parametrize("name", PACKAGED)
def test_every_example_is_right_and_never_held_out(name):
    drawn = Mixture.read(name)
    for index in range(300):
        made = example(42, index, drawn)
        verdict = verify(made.text, drawn.method, problem=made.problem)
        assert verdict.ok and verdict.rollbacks == bool(made.rollback), (made, verdict)
        assert not held(made.problem.a, made.problem.op, made.problem.b)


@pytest.mark.parametrize("name", PACKAGED)
def test_bulk_and_single_examples_are_the_same(name):
    drawn = Mixture.read(name)
    assert list(texts(drawn, 7, 250, 300)) == [example(7, index, drawn).text for index in range(250, 300)]


def test_golden_first_examples():
    drawn = Mixture.read("paper")
    expected = (Path(__file__).parent / "golden" / "data_paper.txt").read_text().splitlines()
    assert [example(42, index, drawn).text for index in range(len(expected))] == expected


def test_another_process_draws_the_same():
    code = "from revorder.data import *; from revorder.mixture import Mixture; print([example(3, i, Mixture.read('lean')).text for i in range(20)])"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in "12"
    }
    assert runs == {f"{[example(3, i, Mixture.read('lean')).text for i in range(20)]}\n"}


def test_neighbouring_seeds_share_nearly_nothing():
    drawn = Mixture.read("paper")
    a, b = (set(texts(drawn, seed, 0, 2000)) for seed in (42, 43))
    assert len(a & b) < 40  # 1-digit problems


def test_every_length_is_drawn_as_often():
    drawn = mixture(Part("+", (1, 16), (1, 16)))
    lengths = Counter((len(str(p.a)), len(str(p.b))) for p in (example(0, i, drawn).problem for i in range(8000)))
    assert len(lengths) == 256 and (16, 8) in lengths
    assert max(lengths.values()) < 3 * 8000 / 256 and min(lengths.values()) > 8000 / 256 / 4


def test_values_are_uniform_where_asked():
    drawn = mixture(Part("+", (16, 16), (16, 16), draw="values"))
    share = sum(len(str(example(0, i, drawn).problem.a)) == 16 for i in range(2000)) / 2000
    assert 0.87 < share < 0.93


def test_shares_of_rollbacks_remainders_and_hard_cases():
    drawn = Mixture.read({"rollback": 0.5, "parts": [{"op": "/", "a": [4, 9], "b": [1, 3], "remainder": 0.5}]})
    made = [example(0, i, drawn) for i in range(2000)]
    assert 0.45 < sum(bool(m.rollback) for m in made) / 2000 < 0.55
    assert 0.38 < sum(m.problem.remainder > 0 for m in made) / 2000 < 0.52
    up = Mixture.read({"rollback": 1, "rollback_by": [1], "parts": [{"op": "/", "a": [4, 9], "b": [1, 3]}]})
    for i in range(200):
        made_one = example(0, i, up)
        for step, digit in (made_one.rollback or {}).items():
            assert digit == int(str(made_one.problem.value)[step]) + 1


MARGIN = {"op": "/", "a": [1, 12], "b": [1, 6], "remainder": 0.7, "hard": 0.2}


def rounded(method, form, margin, **settings):
    return Mixture.read({"method": method, "form": form, "margin": margin, "parts": [MARGIN], **settings})


def short_of_the_divisor(problem, margin, before):
    """{step: one more than the right digit} where the remainder falls short by at most `margin`, by long division.

    `before`: the step before the quotient's first digit counts where the divisor does not fit into as many digits.
    """
    dividend, b = str(problem.a), problem.b
    first = len(dividend) - len(str(problem.a // b))
    begin = len(str(b)) - 1
    found, left = {}, 0
    for i, char in enumerate(dividend):
        digit, left = divmod(10 * left + int(char), b)
        if digit < 9 and i >= (min(begin, first) if before else first) and b - left <= margin * b:
            found[i - first] = digit + 1
    return found


@pytest.mark.parametrize("margin", [0.03, 0.25, 0.7, 1])
@pytest.mark.parametrize(
    ("method", "form"), [("lean", "lean"), ("revorder", "compact"), ("revorder", "expanded"), ("authors", "authors")]
)
def test_a_margin_rounds_up_the_digits_that_fall_short_and_no_other(method, form, margin):
    drawn = rounded(method, form, margin)
    seen = Counter()
    for index in range(600):
        made = example(5, index, drawn)
        expected = short_of_the_divisor(made.problem, Fraction(str(margin)), method == "lean")
        assert (made.rollback or {}) == (rollback_of(drawn, made.problem) or {}) == expected, made
        assert made.text == trace(made.problem, method, form, made.rollback).text
        verdict = verify(made.text, method, form, made.problem)
        assert verdict.ok and verdict.rollbacks == made.text.count("W") == len(expected), (made, verdict)
        seen.update(expected)
    assert seen[0] and seen[1] and bool(seen[-1]) == (method == "lean")
    assert list(texts(drawn, 5, 250, 300)) == [example(5, index, drawn).text for index in range(250, 300)]


@given(st.integers(1, 10**32), st.integers(0, 10**32), st.integers(0, 100))
@example_of(10, 3, 70)
@example_of(100, 43, 57)
@example_of(100, 42, 57)
@example_of(12, 119, 100)
@example_of(9, 8, 100)
def test_falling_short_is_exact(b, left, percent):
    short = Fraction(b - left % b, b) <= Fraction(percent, 100)
    assert falls_short(left, b, percent / 100) == (short and left // b % 10 < 9)


def test_the_share_of_digits_that_a_margin_rounds_up():
    drawn = Mixture.read({"margin": 0.1, "parts": [{"op": "/", "a": 12, "b": [3, 6], "remainder": 1}]})
    made = [example(0, index, drawn) for index in range(1500)]
    steps = sum(len(str(one.problem.value)) for one in made)
    share = sum(len(one.rollback or {}) for one in made) / steps
    assert 0.08 < share < 0.1  # of ten digits all but 9 can be one too high


def test_where_either_digit_will_do_chance_decides():
    drawn, bound = rounded("lean", "lean", 0.5, unsure=0.25), rounded("lean", "lean", 0.5)
    never, always = (rounded("lean", "lean", margin) for margin in (0.25, 0.75))
    taken = free = 0
    for index in range(600):
        made = example(3, index, drawn)
        digits = (made.rollback or {}).items()
        least, most = ((rollback_of(mixture, made.problem) or {}).items() for mixture in (never, always))
        assert least <= digits <= most, made
        assert rollback_of(drawn, made.problem) == rollback_of(bound, made.problem)
        assert verify(made.text, "lean", problem=made.problem).rollbacks == len(digits)
        taken += len(digits - least)
        free += len(most - least)
    assert 0.45 < taken / free < 0.55 and free > 600


def test_the_share_of_rollbacks_comes_on_top_of_what_a_margin_rounds_up():
    drawn = rounded("lean", "lean", 0.1, rollback=1, rollback_by=[-1, 1])
    alone, none = rounded("lean", "lean", 0.1), rounded("lean", "lean", 0)
    kinds = Counter()
    for index in range(300):
        one, only = example(0, index, drawn), example(0, index, alone)
        assert one.problem == only.problem and example(0, index, none).rollback is None
        planned, taken = only.rollback or {}, one.rollback
        assert planned.items() <= taken.items() and len(taken) <= len(planned) + 1
        assert verify(one.text, "lean", problem=one.problem).rollbacks == len(taken)
        kinds[bool(planned), len(taken) - len(planned)] += 1
    assert kinds[True, 1] > 50 < kinds[False, 1] and kinds[True, 0]


@pytest.mark.parametrize("method", ["lean", "revorder", "authors"])
def test_several_wrong_digits_are_taken_back_in_turn(method):
    form = {"revorder": "compact"}.get(method, method)
    drawn = rounded(method, form, 0.3, rollback=1, rollback_by=[[3, 1], [2, -1, 1]])
    alone = rounded(method, form, 0.3)
    seen = Counter()
    for index in range(300):
        made, planned = example(0, index, drawn), example(0, index, alone).rollback or {}
        chains = {step: wrong for step, wrong in (made.rollback or {}).items() if isinstance(wrong, tuple)}
        for step, wrong in chains.items():
            right = int(str(made.problem.value)[step])
            assert [digit - right for digit in wrong] in ([3, 1], [2, -1, 1])
            seen[len(wrong)] += 1
        assert {**planned, **chains} == (made.rollback or {}) and len(chains) <= 1
        assert made.text == trace(made.problem, method, form, made.rollback).text
        verdict = verify(made.text, method, problem=made.problem)
        taken = sum(1 if isinstance(wrong, int) else len(wrong) for wrong in (made.rollback or {}).values())
        assert verdict.ok and verdict.rollbacks == taken == made.text.count("W")
    assert seen[2] > 50 < seen[3]
    assert list(texts(drawn, 0, 0, 300)) == [example(0, index, drawn).text for index in range(300)]


def test_a_margin_is_for_quotient_digits_that_can_be_taken_back():
    drawn = rounded("lean", "lean", 0.5)
    assert rollback_of(drawn, Problem(119, "+", 12)) is rollback_of(drawn, Problem(960, "/", 12)) is None
    assert rollback_of(drawn, Problem(119, "/", 12)) == {-1: 1}
    direct = mixture(Part("/", (3, 3), (2, 2)), margin=1)
    assert all(example(0, index, direct).rollback is None for index in range(20))


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_hard_cases_stay_within_their_digits(op):
    drawn = mixture(Part(op, (1, 9), (1, 6), hard=1))
    problems = [example(0, i, drawn).problem for i in range(1500)]
    assert all(len(str(p.a)) <= 9 and len(str(p.b)) <= 6 for p in problems)
    if op == "-":
        assert any(p.a == p.b for p in problems) and any(p.a < p.b for p in problems)
    if op == "/":
        assert any(p.a < p.b for p in problems) and any(p.remainder == p.b - 1 > 0 for p in problems)
    if op == "+":
        assert sum("9" * 4 in str(p.a) or "0" * 4 in str(p.a) for p in problems) > 100


def test_the_split_is_a_property_of_the_problem():
    shares = Counter(split_of(Problem(a, op, b)) for op in "+-*/" for a in range(1000, 1100) for b in range(200, 300))
    assert 0.014 < shares["test"] / 40_000 < 0.026
    assert split_of(Problem(123, "*", 45678)) == split_of(Problem(45678, "*", 123))
    assert all(split_of(Problem(a, "+", b)) == "train" for a in range(100) for b in range(100))


@pytest.mark.parametrize(
    ("op", "a", "b"), [("+", 16, 8), ("-", 8, 8), ("*", 8, 4), ("/", 12, 6), ("/", 16, 1), ("*", 3, 1)]
)
def test_held_out_problems(op, a, b):
    problems = held_out(op, a, b, 50, seed=1)
    assert len(set(problems)) == 50 and problems == held_out(op, a, b, 50, seed=1) != held_out(op, a, b, 50, seed=2)
    for p in problems:
        assert (len(str(p.a)), len(str(p.b)), p.remainder, split_of(p)) == (a, b, 0, "test")


def test_short_problems_are_all_there_are():
    assert len(held_out("*", 1, 1, 1000, 0)) == 100


def test_no_bigbench_problem_of_three_digits_or_more_is_drawn(shared):
    tasks = bigbench.load(str(shared / "bigbench_arithmetic"))
    assert sum(map(len, tasks.values())) == 15_023
    for problem in (p for task in tasks.values() for p in task):
        assert held(problem.a, problem.op, problem.b) or max(problem.a, problem.b) < 100
    fixed = {(p.a, p.op, p.b) for task in tasks.values() for p in task if max(p.a, p.b) > 99}
    drawn = mixture(*(Part(op, (3, 5), (1, 5)) for op in "+-*"), Part("/", (3, 4), (1, 2)))
    for index in range(20_000):
        p = example(0, index, drawn).problem
        assert (p.a, p.op, p.b) not in fixed


ONE = {"op": "+", "a": 1, "b": 1}


def mixture_of(**changes):
    return {"parts": [{**ONE, **changes}]}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "list of parts"),
        ({"parts": [ONE], "sise": 2}, "'sise' is unknown; accepted: name, parts, method"),
        ({"parts": [ONE], "method": "nope"}, "'nope' is unknown; accepted: revorder"),
        ({"parts": [ONE], "method": ["lean"]}, "'method' is"),
        ({"parts": [ONE], "method": "plain", "rollback": 0.5}, "accepted: revorder, lean, authors"),
        ({"parts": [ONE], "rollback": 2}, "'rollback' is 2; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "rollback_by": []}, "'rollback_by' is []"),
        ({"parts": [ONE], "rollback_by": [1, []]}, "'rollback_by' is [1, []]; accepted: a list of numbers"),
        ({"parts": [ONE], "rollback_by": [[2, 0]]}, "'rollback_by' is [[2, 0]]; accepted: a list of numbers"),
        ({"parts": [ONE], "rollback_by": [[[1]]]}, "'rollback_by' is [[[1]]]; accepted: a list of numbers"),
        ({"parts": [ONE], "margin": 1.01}, "'margin' is 1.01; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "margin": -0.1}, "'margin' is -0.1; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "margin": True}, "'margin' is True; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "margin": "3%"}, "'margin' is '3%'; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "margin": float("nan")}, "'margin' is nan; accepted: a number from 0 to 1"),
        (
            {"parts": [ONE], "method": "goat", "margin": 0.1},
            "'margin' is for a method that takes digits back; accepted",
        ),
        (
            {"parts": [ONE], "unsure": 0.1},
            "'unsure' is about the bound of 'margin'; accepted: both above 0, or neither",
        ),
        ({"parts": [ONE], "answer": "no"}, "'answer' is 'no'; accepted: true or false"),
        ({"parts": [ONE], "size": 1.5}, "'size' is 1.5"),
        ({"parts": [ONE], "name": "../up"}, "'name' is '../up'"),
        (mixture_of(c=2), "'c' is unknown; accepted: op, a, b"),
        (mixture_of(op="^"), "'op' is '^'; accepted: + - * /"),
        (mixture_of(a=[5, 2]), "'a' is [5, 2]; accepted: a digit count from 1 to 32"),
        (mixture_of(a=True), "'a' is True"),
        (mixture_of(weight=float("inf")), "'weight' is inf"),
        (mixture_of(either="no"), "'either' is 'no'"),
        (mixture_of(op="/", a=3, b=5), "accepted: dividends as long as divisors"),
        ({"parts": [{"op": "+", "b": 1}]}, "'a' is missing"),
    ],
)
def test_a_wrong_mixture_is_named(settings, says, tmp_path):
    path = tmp_path / "mixture.yaml"
    path.write_text(yaml.safe_dump(settings))
    with pytest.raises(ProblemError) as error:
        Mixture.read(path)
    assert says in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


digits = st.integers(1, 18).flatmap(lambda n: st.integers(10 ** (n - 1), 10**n - 1)) | st.just(0)


@given(digits, st.sampled_from("+-"), digits)
def test_equations_are_what_the_method_writes(a, op, b):
    assert revorder.equation(a, op, b) == trace(Problem(a, op, b)).text


@given(digits, digits.filter(bool), st.data())
def test_quotient_equations_are_what_the_method_writes(a, b, data):
    quotient = str(a // b)
    steps = st.integers(0, len(quotient) - 1).flatmap(lambda i: st.tuples(st.just(i), st.integers(0, 9)))
    rollback = {i: wrong for i, wrong in data.draw(st.lists(steps, max_size=3)) if wrong != int(quotient[i])}
    assert revorder.quotient_equation(a, b, rollback) == trace(Problem(a, "/", b), rollback=rollback).text


def test_values_of_divisions_share_out_the_digits_as_the_released_script_does():
    drawn = mixture(Part("/", (16, 16), (1, 15), draw="values"))
    problems = [example(0, i, drawn).problem for i in range(3000)]
    assert all(p.remainder == 0 and len(str(p.b)) + len(str(p.value)) == 16 for p in problems)
    lengths = Counter(len(str(p.b)) for p in problems)
    assert set(lengths) == set(range(1, 16)) and min(lengths.values()) > 130 and max(lengths.values()) < 270


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
@pytest.mark.parametrize(("n", "m"), [(4, 1), (8, 4), (16, 16)])
def test_every_bucket_of_the_split_is_as_full(op, n, m):
    drawn = mixture(Part(op, (n, n), (m, m), remainder=1))
    words = (word for block in range(40) for word in drawing(drawn).words(5, block))
    problems = {drawing(drawn).draw(word)[:3] for word in words}
    buckets = Counter(fingerprint(*problem) % TEST_SHARE for problem in problems)
    expected = len(problems) / TEST_SHARE
    assert (
        sum((buckets[i] - expected) ** 2 / expected for i in range(TEST_SHARE)) < 95
    )  # chi-squared, 49 degrees: 0.01%


def test_held_out_gives_all_there_are_without_searching_on():
    every = {Problem(a, "/", b) for b in range(100, 1000) for a in range(b, 10_000, b) if a > 999 and held(a, "/", b)}
    assert set(held_out("/", 4, 3, 10_000, 0)) == every


def test_held_out_divisions_leave_remainders_where_asked():
    problems = held_out("/", 6, 3, 50, 0, exact=False)
    assert sum(p.remainder > 0 for p in problems) > 40 and all(split_of(p) == "test" for p in problems)


@pytest.mark.parametrize("wrong", [("^", 3, 3, 1, 0), ("+", 0, 3, 1, 0), ("/", 3, 5, 1, 0), ("+", 3, 3, 0, 0)])
def test_held_out_problems_that_cannot_be_are_refused(wrong):
    with pytest.raises(ProblemError, match="held-out problems: .*accepted: "):
        held_out(*wrong)
