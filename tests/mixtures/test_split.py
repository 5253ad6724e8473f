"""The split: train, validation and test are disjoint, and BIG-bench is test."""

from collections import Counter

import pytest
from hypothesis import given
from strategies import PROBLEMS

from revorder import Problem, ProblemError
from revorder.corpora import bigbench
from revorder.mixtures.mixture import Mixture, MixturePart
from revorder.mixtures.sampling import MixtureSampler, block_words, held_out, sampler
from revorder.mixtures.split import BUCKETS, bigbench_fingerprints, fingerprint, in_split, is_held_out, split_of


@given(PROBLEMS)
def test_a_problem_is_of_one_split(problem):
    key = problem.a, problem.op, problem.b
    held = [split for split in ("validation", "test") if in_split(*key, split)]
    assert (held or ["train"]) == [split_of(problem)] and is_held_out(*key) == bool(held)
    if problem.op in "+*":
        assert split_of(Problem(problem.b, problem.op, problem.a)) == split_of(problem)


def test_the_shares_of_the_splits():
    shares = Counter(split_of(Problem(a, op, b)) for op in "+-*/" for a in range(1000, 1100) for b in range(200, 300))
    assert 0.014 < shares["test"] / 40_000 < 0.026 and 0.014 < shares["validation"] / 40_000 < 0.026
    assert sum(shares.values()) == 40_000 and set(shares) == {"train", "validation", "test"}
    assert split_of(Problem(123, "*", 45678)) == split_of(Problem(45678, "*", 123))
    assert all(split_of(Problem(a, "+", b)) == "train" for a in range(100) for b in range(100))


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
@pytest.mark.parametrize(("n", "m"), [(4, 1), (8, 4), (16, 16)])
def test_every_bucket_of_the_split_is_as_full(op, n, m):
    drawn = MixtureSampler(Mixture(method="plain", parts=(MixturePart(op=op, a=n, b=m, remainder=1),)))
    problems = {drawn.draw(word)[:3] for block in range(40) for word in block_words(5, block)}
    buckets = Counter(fingerprint(*problem) % BUCKETS for problem in problems)
    expected = len(problems) / BUCKETS
    # chi-squared, 49 degrees: 0.01%
    assert sum((buckets[i] - expected) ** 2 / expected for i in range(BUCKETS)) < 95


def test_bigbench_is_test_and_never_drawn(shared):
    tasks = bigbench.load(str(shared / "bigbench_arithmetic"))
    assert sum(map(len, tasks.values())) == 15_023
    fixed = {problem for task in tasks.values() for problem in task if max(problem.a, problem.b) > 99}
    assert {split_of(problem) for problem in fixed} == {"test"}
    for problem in (problem for task in tasks.values() for problem in task):
        assert is_held_out(problem.a, problem.op, problem.b) or max(problem.a, problem.b) < 100
    parts = [MixturePart(op=op, a=(3, 5), b=(1, 5)) for op in "+-*"] + [MixturePart(op="/", a=(3, 4), b=(1, 2))]
    drawn = sampler(Mixture(method="plain", parts=tuple(parts))).examples(0, 0, 20_000)
    assert not fixed & {example.problem for example in drawn}
    for op in "+-*/":
        assert not fixed & set(held_out(op, 4, 2, 500, 0, split="validation"))


def test_the_packed_fingerprints_are_bigbenchs(shared):
    packed = bigbench.packed_fingerprints(str(shared / "bigbench_arithmetic"))
    assert len(bigbench_fingerprints()) == len(packed) // 4
    assert {int.from_bytes(packed[i : i + 4], "little") for i in range(0, len(packed), 4)} == bigbench_fingerprints()


@pytest.mark.parametrize(
    ("op", "a", "b"), [("+", 16, 8), ("-", 8, 8), ("*", 8, 4), ("/", 12, 6), ("/", 16, 1), ("*", 3, 1)]
)
def test_held_out_problems(op, a, b):
    problems = {}
    for split in ("test", "validation"):
        drawn = problems[split] = held_out(op, a, b, 50, seed=1, split=split)
        assert len(set(drawn)) == 50
        assert drawn == held_out(op, a, b, 50, seed=1, split=split) != held_out(op, a, b, 50, seed=2, split=split)
        for p in drawn:
            assert (len(str(p.a)), len(str(p.b)), p.remainder, split_of(p)) == (a, b, 0, split)
    assert problems["test"] == held_out(op, a, b, 50, seed=1)
    assert not set(problems["test"]) & set(problems["validation"])


def test_short_problems_are_all_there_are():
    assert len(held_out("*", 1, 1, 1000, 0)) == 100


@pytest.mark.parametrize("split", ["test", "validation"])
def test_held_out_gives_all_there_are_without_searching_on(split):
    every = {
        Problem(a, "/", b)
        for b in range(100, 1000)
        for a in range(b, 10_000, b)
        if a > 999 and in_split(a, "/", b, split)
    }
    assert set(held_out("/", 4, 3, 10_000, 0, split=split)) == every


def test_held_out_divisions_leave_remainders_where_asked():
    problems = held_out("/", 6, 3, 50, 0, exact=False)
    assert sum(p.remainder > 0 for p in problems) > 40 and all(split_of(p) == "test" for p in problems)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("^", 3, 3, 1, 0), "key 'op' is \"\\^\"; accepted: "),
        (("+", 0, 3, 1, 0), "key 'a' is 0; accepted: "),
        (("/", 3, 5, 1, 0), "key 'a' is at most 3 digits, less than 'b'; dividends must be as long"),
        (("+", 3, 3, 0, 0), "0 of them; accepted: "),
    ],
)
def test_held_out_problems_that_cannot_be_are_refused(wrong, says):
    with pytest.raises(ProblemError, match=f"held-out problems: {says}"):
        held_out(*wrong)


@pytest.mark.parametrize("split", ["train", "dev", ""])
def test_a_split_that_is_not_held_out_is_refused(split):
    for digits in (2, 3):
        with pytest.raises(ProblemError, match=f"split '{split}' is unknown; accepted: test, validation"):
            held_out("+", digits, digits, 5, 0, split=split)
