"""Every problem of two operands of up to N digits, each step judged: what the model is shown to do without exception.

python benchmarks/every.py [--digits 3] [--ops "+-*/"] [--model calculator]
"""

from __future__ import annotations

import argparse
import sys
import time

from revorder.arithmetic.problem import OPS, Problem
from revorder.evaluation.runner import judged
from revorder.inference.ctranslate import Runtime
from revorder.model.checkpoint import DEFAULT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--digits", type=int, default=3)
    parser.add_argument("--ops", default="".join(OPS))
    parser.add_argument("--model", default=DEFAULT)
    given = parser.parse_args()
    runtime, most = Runtime(given.model), 10**given.digits
    for op in given.ops:
        start, right, wrong = time.monotonic(), 0, list[str]()
        for a in range(most):
            problems = [Problem(a, op, b) for b in range(1 if op == "/" else 0, most)]
            limit = max(map(runtime.info.max_new_tokens, problems))
            results = list(judged(runtime, [("", problem) for problem in problems], limit))
            right += sum(result.verified for result in results)
            wrong += [result.text for result in results if not result.verified]
            print(f"\r{op} {a + 1} of {most}", end="", file=sys.stderr, flush=True)
        seconds = time.monotonic() - start
        print(f"\r{op}: {right:,} right, {len(wrong):,} not; {seconds:,.0f} s", *wrong[:20], sep="\n", flush=True)


if __name__ == "__main__":
    main()
