"""Equations a second on one core, ours and the authors' script's, in turns on the same operands' distribution.

Seconds are of processor time, so that other work on the machine matters less.

python benchmarks/generator.py [--authors PATH/TO/equation_generate.py] [--rounds 5] [--count 20000]
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
import warnings

from revorder.mixtures.mixture import Mixture, MixturePart
from revorder.mixtures.sampling import sampler

# the script's operands: + and - below 10**16, * below 10**8, / with 16 digits shared by divisor and quotient
PARTS = {
    "+": MixturePart(op="+", a=(16, 16), b=(16, 16), draw="values"),
    "-": MixturePart(op="-", a=(16, 16), b=(16, 16), draw="values"),
    "*": MixturePart(op="*", a=(8, 8), b=(8, 8), draw="values"),
    "/": MixturePart(op="/", a=(16, 16), b=(1, 15), draw="values"),
}
DIGITS = {"+": 16, "-": 16, "*": 8, "/": 16}


def ours(op: str, method: str, form: str, count: int, seed: int) -> float:
    """Our equations a second, operands drawn, held-out problems left out, traces written."""
    rollback = 1 / 3 if op == "/" else 0
    mixture = Mixture(name="benchmark", parts=(PARTS[op],), method=method, form=form, rollback=rollback)
    start = time.process_time()
    made = sum(1 for example in sampler(mixture).examples(seed, 0, count) if example.text)
    return made / (time.process_time() - start)


def theirs(script, op: str, count: int) -> float:
    """The script's equations a second; of a division it writes one and a half traces."""
    start = time.process_time()
    made = len(script.expand_eqs(script.generate_eqs(op, count, DIGITS[op])))
    return made / (time.process_time() - start)


def load(path: str):
    spec = importlib.util.spec_from_file_location("authors", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--authors", help="the authors' equation_generate.py")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=20_000)
    arguments = parser.parse_args()
    script = load(arguments.authors) if arguments.authors else None
    print(
        "| op | ours, compact /s | ours, authors' dialect /s | ours, lean /s |"
        + (" the script /s | compact : script |" if script else "")
    )
    print("|---|---|---|---|" + ("---|---|" if script else ""))
    for op in PARTS:
        rates: dict[str, list[float]] = {name: [] for name in ("compact", "authors", "lean", "script")}
        for seed in range(arguments.rounds):
            rates["compact"].append(ours(op, "revorder", "compact", arguments.count, seed))
            if script:
                rates["script"].append(theirs(script, op, arguments.count))
            rates["authors"].append(ours(op, "authors", "authors", arguments.count, seed))
            rates["lean"].append(ours(op, "lean", "lean", arguments.count, seed))
        row = [f"{statistics.median(rates[name]):,.0f}" for name in ("compact", "authors", "lean")]
        if script:
            ratio = statistics.median(a / b for a, b in zip(rates["compact"], rates["script"], strict=True))
            row += [f"{statistics.median(rates['script']):,.0f}", f"{ratio:.2f}"]
        print(f"| `{op}` | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
