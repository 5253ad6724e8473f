"""Figure 1 and section 4: worked examples of each operation, in the paper's notations and in ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from revorder.judge import verify
from revorder.methods import full_name, trace
from revorder.metrics.csid import csid
from revorder.metrics.token_cost import characters
from revorder.reproduce.exhibits import Exhibit, Sample
from revorder.reproduce.experiment import Experiment

REVORDER = (("revorder", "expanded"), ("revorder", "compact"), ("lean", "lean"))
EXAMPLES = (  # title, problem, rollbacks, notations
    ("Figure 1", "123+46", {}, (("plain", "plain"), ("scratchpad", "scratchpad"), *REVORDER)),
    ("Section 4.1", "12-35", {}, REVORDER),
    ("Section 4.2", "12*4567", {}, REVORDER),
    ("Section 4.2", "948/12", {}, REVORDER),
    ("Section 4.2", "948/12", {0: 8}, REVORDER),
)


@dataclass(frozen=True)
class WorkedExamplesSettings:
    """No settings: presets don't differ."""


def render(settings: WorkedExamplesSettings, folder: Path) -> list[Exhibit]:
    """Show each example in every notation, with its tokens, CSID and verdict."""
    found: list[Exhibit] = []
    for section, problem, rollback, notations in EXAMPLES:
        lines = []
        for method, form in notations:
            written = trace(problem, method, form, rollback or None)
            text = written.text
            verdict = verify(text, method, form, problem)
            hardest = csid(written)
            what = "every step right" if verdict.ok else verdict.reason
            lines.append(f"{full_name(method, form)} ({characters(text)} tokens, CSID {hardest}, {what})\n{text}")
        taken = "with a wrong digit that is taken back" if rollback else ""
        found.append(Sample(f"{section}: {problem} {taken}".rstrip(), "\n\n".join(lines)))
    return found


WORKED_EXAMPLES = Experiment(
    "worked-examples",
    "Figure 1",
    "Worked examples",
    {preset: WorkedExamplesSettings() for preset in ("smoke", "cpu", "gpu")},
    render,
)
