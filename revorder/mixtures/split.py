"""The split: a hash of each problem assigns it to training, validation or testing.

Problems of the validation and test splits are never drawn for training. BIG-bench's fixed problems of 3 to 5 digits are
all in the test split. Problems whose operands have at most 2 digits are too few to hold out: they are in every split,
as in the paper.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

from revorder.arithmetic.problem import Problem
from revorder.errors import ProblemError

BUCKETS = 50  # one is the test split, one the validation split
SPLITS = {"test": 0, "validation": 1}  # the buckets that are held out
_PRIME = 2**61 - 1
_OFFSETS = {"+": 0x1B873593, "-": 0x4CF5AD43, "*": 0x2E1B2138, "/": 0x7A8A4FD5}


def fingerprint(a: int, op: str, b: int) -> int:
    """Return a hash of a problem, below 2**61 - 1; it is the same for both orders of + and *.

    >>> fingerprint(12, "*", 34) == fingerprint(34, "*", 12) != fingerprint(12, "+", 34)
    True
    """
    if a < b and op in "+*":
        a, b = b, a
    mixed = (a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + _OFFSETS[op]) % _PRIME
    return mixed * mixed % _PRIME  # squared, so that neighbouring problems get unrelated hashes


@cache
def bigbench_fingerprints() -> frozenset[int]:
    """Return the low 32 bits of the fingerprints of BIG-bench's problems of 3 to 5 digits."""
    packed = (Path(__file__).parent / "bigbench.fingerprints").read_bytes()
    return frozenset([mark for (mark,) in struct.iter_unpack("<I", packed)])


def split_of(problem: Problem) -> str:
    """Return `train`, `validation` or `test`; `train` if both operands have at most 2 digits."""
    return next((split for split in SPLITS if in_split(problem.a, problem.op, problem.b, split)), "train")


def in_split(a: int, op: str, b: int, split: str) -> bool:
    """Whether a problem is in a held-out split, `validation` or `test`; raises ProblemError for another name."""
    if split not in SPLITS:
        raise ProblemError(f"split {split!r} is unknown; accepted: {', '.join(SPLITS)}")
    if a < 100 and b < 100:
        return False
    mark = fingerprint(a, op, b)
    if a < 100_000 and b < 100_000 and mark & 0xFFFFFFFF in bigbench_fingerprints():
        return split == "test"
    return mark % BUCKETS == SPLITS[split]


def is_held_out(a: int, op: str, b: int) -> bool:
    """Whether a problem is held out from training, for validation or for testing."""
    if a < 100 and b < 100:
        return False
    mark = fingerprint(a, op, b)
    return mark % BUCKETS < len(SPLITS) or (
        a < 100_000 and b < 100_000 and mark & 0xFFFFFFFF in bigbench_fingerprints()
    )
