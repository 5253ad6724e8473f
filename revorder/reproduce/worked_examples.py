"""Figure 1 and section 3: one worked example of each operation, in the notations of the paper and in ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from revorder.judge import verify
from revorder.methods import full_name, trace
from revorder.metrics.csid import csid
from revorder.metrics.token_cost import characters
from revorder.reproduce.experiment import Block, Experiment, Sample, nothing

PROBLEMS = (("123+46", {}), ("12-35", {}), ("12*4567", {}), ("948/12", {}), ("948/12", {0: 8}))
WRITTEN = (("revorder", "expanded"), ("revorder", "compact"), ("lean", "lean"))


@dataclass(frozen=True)
class Settings:
    """None: every preset shows the same."""


def blocks(settings: Settings, folder: Path) -> list[Block]:
    """A sample an operation: its text in each notation, with tokens, CSID and the judge's word."""
    found: list[Block] = []
    for problem, rollback in PROBLEMS:
        lines = []
        for method, form in WRITTEN:
            written = trace(problem, method, form, rollback or None)
            text = written.text
            verdict = verify(text, method, form, problem)
            hardest = csid(written)
            what = "every step right" if verdict.ok else verdict.reason
            lines.append(f"{full_name(method, form)} ({characters(text)} tokens, CSID {hardest}, {what})\n{text}")
        taken = "with a wrong digit that is taken back" if rollback else ""
        found.append(Sample(f"Figure 1: {problem} {taken}".rstrip(), "\n\n".join(lines)))
    return found


WORKED_EXAMPLES = Experiment(
    "worked-examples",
    "Figure 1",
    "Worked examples",
    {preset: Settings() for preset in ("smoke", "cpu", "gpu")},
    nothing,
    blocks,
)
