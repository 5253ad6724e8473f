"""Mean tokens a trace for every * and / column of Table 1, a character a token and `r|` one.

python benchmarks/cost.py [--n 1000] [--data FOLDER]   (BIG-bench's own problems where its folder is given or found)
"""

from __future__ import annotations

import argparse

from revorder import ProblemError
from revorder.data.sources import bigbench
from revorder.evaluation.suites import EXTRA, Draw, columns
from revorder.evaluation.tables import markdown
from revorder.metrics.token_cost import cost

FORMS = [
    ("revorder", "compact"),
    ("revorder", "expanded"),
    ("authors", None),
    ("goat", None),
    ("lean", None),
    ("plain", None),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--data")
    arguments = parser.parse_args()
    tasks = {}
    try:
        tasks |= bigbench.load(arguments.data, "*/", range(2, 6))
    except ProblemError as error:
        print(f"without BIG-bench: {error}")
    tasks |= columns(EXTRA, Draw("*/", arguments.n, seed=2024))
    rows = []
    for name, problems in tasks.items():
        means = {form: sum(cost(p, *form) for p in problems) / len(problems) for form in FORMS}
        share = means["lean", None] / means["revorder", "compact"]
        rows.append([name, *(f"{means[form]:.1f}" for form in FORMS), f"{100 * share:.0f}%"])
    print(
        markdown(["column", "compact", "expanded", "authors", "goat", "lean", "plain", "lean : compact"], sorted(rows))
    )


if __name__ == "__main__":
    main()
