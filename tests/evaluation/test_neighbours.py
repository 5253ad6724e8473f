"""Neighbours: problems beside the hardest, operands as long as theirs; and how sure a checkpoint is."""

from hypothesis import given
from hypothesis import strategies as st

from revorder import Problem
from revorder.evaluation.neighbours import HARDEST, REACH, hardest_neighbours, neighbours
from revorder.inference.solver import load_runtime


@given(st.integers(0, 10**8), st.sampled_from("+-*/"), st.integers(1, 10**6))
def test_neighbours_are_near_and_as_long(a, op, b):
    problem = Problem(a, op, b)
    found = list(neighbours(problem))
    assert len(found) == len(set(found)) and problem not in found
    for beside in found:
        assert (beside.a == a) != (beside.b == b) and beside.op == op
        old, new = (str(a), str(beside.a)) if beside.b == b else (str(b), str(beside.b))
        assert len(old) == len(new)
        changed = [i for i in range(len(old)) if old[i] != new[i]]
        swapped = len(changed) == 2 and sorted(old) == sorted(new) and changed[1] == changed[0] + 1
        assert len(changed) == 1 or swapped or abs(int(old) - int(new)) <= REACH


def test_the_least_sure_are_looked_around():
    problems = [Problem(1000 + i, "+", 5000) for i in range(0, 4000, 100)]
    drawn = hardest_neighbours(problems, lambda these: [float(p.a) for p in these], 500, seed=1)
    assert len(set(drawn)) == 500 and drawn == hardest_neighbours(
        problems, lambda these: [float(p.a) for p in these], 500, seed=1
    )
    beside = {p for problem in problems[:HARDEST] for p in neighbours(problem)}
    assert set(drawn) <= beside


def test_a_checkpoint_is_surer_of_what_it_was_trained_on():
    inside, beyond = load_runtime().confidence([Problem(123, "+", 46), Problem(10**24 + 7, "+", 10**24 + 5)])
    assert -0.01 < inside <= 0 and beyond < inside
