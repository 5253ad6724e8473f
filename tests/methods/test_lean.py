"""Lean traces are true, and those of blocks: their numbers are read and computed here."""

import re

from hypothesis import example, given
from hypothesis import strategies as st
from oracle import backwards
from strategies import (
    NUMBERS,
    block_size,
    divisions,
    does_not_reach,
)

from revorder import Problem, trace

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
