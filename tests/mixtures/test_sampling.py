"""Sampling: pure, spread evenly, correct, and never of a held-out split.

`python tests/mixtures/test_sampling.py` writes the golden file again.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from revorder import ProblemError, verify
from revorder.mixtures.mixture import MIXTURES, Mixture, MixturePart
from revorder.mixtures.sampling import BLOCK, sampler
from revorder.mixtures.split import is_held_out

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden" / "data_paper.txt"
PACKAGED = sorted(file.stem for file in MIXTURES.glob("*.yaml"))


def drawn(n, **part):
    """The problems of the first `n` examples of a mixture of one part."""
    mixture = Mixture(method="plain", parts=(MixturePart(**part),))
    return [example.problem for example in sampler(mixture).examples(0, 0, n)]


def written(n):
    """The first `n` examples of the paper's mixture, one a line."""
    return "".join([f"{example.text}\n" for example in sampler(Mixture.read("paper")).examples(42, 0, n)])


@pytest.mark.parametrize("name", PACKAGED)
def test_every_example_is_correct_and_never_held_out(name):
    mixture = Mixture.read(name)
    for made in sampler(mixture).examples(42, 0, 300):
        verdict = verify(made.text, mixture.method, problem=made.problem)
        assert verdict.ok and verdict.rollbacks == len(made.rollback), (made, verdict)
        assert mixture.estimate_digits or len(made.rollback) <= 1
        assert not is_held_out(made.problem.a, made.problem.op, made.problem.b)


@pytest.mark.parametrize("name", PACKAGED)
def test_bulk_and_single_examples_are_the_same(name):
    examples = sampler(Mixture.read(name))
    across = range(BLOCK - 6, 2 * BLOCK + 5)
    assert list(examples.examples(7, across.start, across.stop)) == [examples.example(7, index) for index in across]
    assert list(examples.examples(7, 300, 300)) == []


def test_golden_first_examples():
    assert written(len(GOLDEN.read_text().splitlines())) == GOLDEN.read_text()


def test_another_process_draws_the_same():
    texts = [example.text for example in sampler(Mixture.read("lean")).examples(3, 0, 20)]
    code = (
        "from revorder.mixtures.mixture import Mixture; from revorder.mixtures.sampling import sampler; "
        "print([example.text for example in sampler(Mixture.read('lean')).examples(3, 0, 20)])"
    )
    for seed in "12":
        run = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        )
        assert run.stdout == f"{texts}\n", run.stderr


def test_neighbouring_seeds_share_nearly_nothing():
    examples = sampler(Mixture.read("paper"))
    a, b = ({example.text for example in examples.examples(seed, 0, 2000)} for seed in (42, 43))
    assert len(a & b) < 40  # 1-digit problems


def test_every_length_is_drawn_as_often():
    lengths = Counter((len(str(p.a)), len(str(p.b))) for p in drawn(8000, op="+", a=(1, 16), b=(1, 16)))
    assert len(lengths) == 256 and (16, 8) in lengths
    assert max(lengths.values()) < 3 * 8000 / 256 and min(lengths.values()) > 8000 / 256 / 4


def test_values_are_uniform_where_asked():
    problems = drawn(2000, op="+", a=16, b=16, draw="values")
    assert 0.87 < sum(len(str(p.a)) == 16 for p in problems) / 2000 < 0.93


def test_the_share_of_remainders():
    problems = drawn(2000, op="/", a=(4, 9), b=(1, 3), remainder=0.5)
    assert 0.38 < sum(p.remainder > 0 for p in problems) / 2000 < 0.52


def test_operands_are_swapped_half_of_the_time():
    problems = drawn(2000, op="*", a=(5, 9), b=1, swap_operands=True)
    assert 0.45 < sum(p.a < 10 for p in problems) / 2000 < 0.55
    assert all(min(p.a, p.b) < 10 < max(p.a, p.b) for p in problems)


def test_values_of_divisions_share_out_the_digits_as_the_released_script_does():
    problems = drawn(3000, op="/", a=16, b=(1, 15), draw="values")
    assert all(p.remainder == 0 and len(str(p.b)) + len(str(p.value)) == 16 for p in problems)
    lengths = Counter(len(str(p.b)) for p in problems)
    assert set(lengths) == set(range(1, 16)) and min(lengths.values()) > 130 and max(lengths.values()) < 270


def test_retries_estimate_two_digits_in_a_row_too_high():
    part = {"op": "/", "a": [6, 12], "b": [3, 6], "draw": "retries", "remainder": 0.5}
    examples = list(
        sampler(Mixture.read({"method": "lean", "estimate_digits": 2, "parts": [part]})).examples(0, 0, 2000)
    )
    assert sum(any(step + 1 in example.rollback for step in example.rollback) for example in examples) > 1600
    assert 700 < sum(example.rollback.get(-1) == 1 and example.rollback.get(0) == 9 for example in examples) < 1900
    assert all(len(str(e.problem.b)) in (3, 4, 5, 6) and e.problem.a < 10**12 for e in examples)
    assert 0.4 < sum(example.problem.remainder > 0 for example in examples) / 2000 < 0.6


def test_sparse_multipliers_have_two_digits_and_zeros():
    problems = drawn(2000, op="*", a=(6, 7), b=(5, 6), draw="sparse")
    assert {(len(str(p.a)), len(str(p.b))) for p in problems} == {(6, 5), (6, 6), (7, 5), (7, 6)}
    assert all(len(str(p.b).replace("0", "")) in (1, 2) for p in problems)
    assert len({p.b for p in problems}) > 600


def test_dividends_may_have_up_to_17_digits_and_zeros():
    problems = drawn(2000, op="/", a=(20, 24), b=(3, 5), draw="zeros")
    assert {len(str(p.a)) for p in problems} == {20, 21, 22, 23, 24} and {len(str(p.b)) for p in problems} == {3, 4, 5}
    digits = Counter(len(str(p.a).rstrip("0")) for p in problems)
    assert set(digits) == set(range(1, 18)) and min(digits.values()) > 60


def test_dividends_may_be_near_a_multiple_of_the_divisor():
    problems = drawn(2000, op="/", a=(6, 8), b=(3, 4), draw="near")
    assert {len(str(p.b)) for p in problems} == {3, 4} and {len(str(p.a)) for p in problems} <= {5, 6, 7, 8}
    first = [any(50 * abs(p.a - p.b * 10**k) <= p.b * 10**k for k in range(1, 6)) for p in problems]
    assert 0.4 < sum(first) / 2000 < 0.6
    quotients = [str(p.a // p.b) for p in problems]
    assert 0.4 < sum("0" in q[1:] for q in quotients) / 2000 < 0.8
    assert 0.2 < sum("99" in q or "98" in q for q in quotients) / 2000 < 0.6


def test_first_operands_may_end_in_0_or_5():
    problems = drawn(2000, op="*", a=(2, 4), b=(1, 3), draw="fives")
    assert {(len(str(p.a)), len(str(p.b))) for p in problems} == {(a, b) for a in (2, 3, 4) for b in (1, 2, 3)}
    assert {p.a % 10 for p in problems} == {0, 5} and {p.b % 10 for p in problems} == set(range(10))


def test_weights_are_the_parts_shares():
    parts = [{"op": op, "a": 5, "b": 3, "weight": weight} for op, weight in zip("+-*/", (1, 2, 3, 4), strict=True)]
    examples = sampler(Mixture.read({"method": "plain", "parts": parts})).examples(0, 0, 4000)
    shares = Counter(example.problem.op for example in examples)
    for op, weight in zip("+-*/", (1, 2, 3, 4), strict=True):
        assert abs(shares[op] / 4000 - weight / 10) < 0.03


if __name__ == "__main__":
    GOLDEN.write_text(written(40))


def test_a_part_that_would_never_be_drawn_is_refused():
    parts = [{"op": op, "a": 1, "b": 1, "weight": weight} for op, weight in (("+", 5000), ("-", 1))]
    with pytest.raises(ProblemError, match="part '-': weight 1 of 5001 is too little; accepted: one in 1024 or more"):
        sampler(Mixture.read({"parts": parts}))
