"""The solver's speed: one problem from a cold start, and many from stdin, as whole processes.

python benchmarks/solver.py [--count 10000] [--rounds 3] [--model calculator]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

from revorder.mixtures.mixture import Mixture, MixturePart
from revorder.mixtures.sampling import sampler
from revorder.model.checkpoint import DEFAULT

SIZES = {"+": (16, 16), "-": (16, 16), "*": (6, 6), "/": (12, 6)}  # the most digits of the operands
PARTS = tuple(MixturePart(op=op, a=(1, a), b=(1, b)) for op, (a, b) in SIZES.items())
MIXTURE = Mixture(name="benchmark", parts=PARTS, method="plain")


def seconds(arguments: list[str], text: str, expected: list[str]) -> float:
    """Wall seconds of a `revorder solve` process whose answers are the expected ones."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "revorder", "solve", *arguments], input=text, capture_output=True, text=True, check=True
    )
    taken = time.perf_counter() - start
    assert done.stdout.splitlines() == expected
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", default=DEFAULT)
    arguments = parser.parse_args()
    model = ["--model", arguments.model]
    problems = [example.problem for example in sampler(MIXTURE).examples(1, 0, arguments.count)]
    text = "".join(f"{problem}\n" for problem in problems)
    answers = [problem.answer for problem in problems]
    one = [seconds(["123456789+987654321", *model], "", ["1111111110"]) for _ in range(arguments.rounds)]
    many = [seconds(["-", *model], text, answers) for _ in range(arguments.rounds)]
    print(f"one problem from a cold start: {statistics.median(one):.2f} s")
    print(
        f"{arguments.count} problems: {statistics.median(many):.1f} s, {arguments.count / statistics.median(many):,.0f}"
        " a second"
    )


if __name__ == "__main__":
    main()
