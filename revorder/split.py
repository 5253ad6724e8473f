"""The train/test split: a hash of the problem itself says which side it is on.

No problem of the test split is ever drawn for training, and none of BIG-bench's fixed problems of 3 to 5 digits.
Problems whose operands have at most 2 digits are too few to hold out: they are in both splits, as in the paper.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

from .problem import Problem

TEST_SHARE = 50  # one problem in so many is held out
_PRIME = 2**61 - 1
_OFFSETS = {"+": 0x1B873593, "-": 0x4CF5AD43, "*": 0x2E1B2138, "/": 0x7A8A4FD5}


def fingerprint(a: int, op: str, b: int) -> int:
    """A hash below 2**61 - 1 of a problem, the same for both orders of + and *.

    >>> fingerprint(12, "*", 34) == fingerprint(34, "*", 12) != fingerprint(12, "+", 34)
    True
    """
    if a < b and op in "+*":
        mixed = (b * 0x9E3779B97F4A7C15 + a * 0xC2B2AE3D27D4EB4F + _OFFSETS[op]) % _PRIME
    else:
        mixed = (a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + _OFFSETS[op]) % _PRIME
    return mixed * mixed % _PRIME  # squared, so that neighbours do not follow each other


@cache
def bigbench_marks() -> frozenset[int]:
    """The low 32 bits of the fingerprints of BIG-bench's problems of 3 to 5 digits."""
    marks = (Path(__file__).parent / "corpora" / "bigbench.marks").read_bytes()
    return frozenset([mark for (mark,) in struct.iter_unpack("<I", marks)])


def split_of(problem: Problem) -> str:
    """`train` or `test`, by a hash of the problem itself; operands of at most 2 digits are in both, and called train.

    >>> split_of(Problem(12, "+", 34))
    'train'
    """
    return "test" if held(problem.a, problem.op, problem.b) else "train"


def held(a: int, op: str, b: int) -> bool:
    """Whether a problem is held out from training."""
    if a < 100 and b < 100:
        return False
    mark = fingerprint(a, op, b)
    return mark % TEST_SHARE == 0 or (a < 100_000 and b < 100_000 and mark & 0xFFFFFFFF in bigbench_marks())
