"""Hard cases: chains, equal operands, boundary remainders, within the digits that a part allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder.mixtures.hard_cases import hard_operands
from revorder.mixtures.mixture import Mixture, MixturePart
from revorder.mixtures.sampling import sampler

WIDTHS = st.tuples(st.integers(1, 32), st.integers(1, 32)).map(sorted).map(tuple)


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_hard_cases_stay_within_their_digits(op):
    drawn = sampler(Mixture(method="plain", parts=(MixturePart(op=op, a=(1, 9), b=(1, 6), hard=1),)))
    problems = [example.problem for example in drawn.examples(0, 0, 1500)]
    assert all(len(str(p.a)) <= 9 and len(str(p.b)) <= 6 for p in problems)
    if op == "-":
        assert any(p.a == p.b for p in problems) and any(p.a < p.b for p in problems)
    if op == "/":
        assert any(p.a < p.b for p in problems) and any(p.remainder == p.b - 1 > 0 for p in problems)
    if op == "+":
        assert sum("9" * 4 in str(p.a) or "0" * 4 in str(p.a) for p in problems) > 100


@given(st.sampled_from("+-*/"), WIDTHS, WIDTHS, st.booleans(), st.integers(2**180, 2**384))
def test_operands_of_any_part_are_within_its_digits(op, first, second, swap, word):
    a, b = (first, second) if op != "/" or first[1] >= second[1] else (second, first)
    part = MixturePart(op=op, a=a, b=b, hard=1, swap_operands=swap)
    left, right = hard_operands(part, word)
    sizes = len(str(left)), len(str(right))
    assert min(left, right) >= 0 and (right or op != "/")
    assert (sizes[0] <= a[1] and sizes[1] <= b[1]) or (swap and sizes[0] <= b[1] and sizes[1] <= a[1])
