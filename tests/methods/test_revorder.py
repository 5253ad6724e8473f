"""RevOrder's traces are true, and the authors': their numbers are read and computed here."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from oracle import backwards, compute, forwards
from strategies import (
    NUMBERS,
    divisions,
)

from revorder import Problem, restore, trace


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
