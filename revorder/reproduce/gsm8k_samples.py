"""Figures 7 and 8: a GSM8K problem and a sample of the enhancement data, as models are trained on them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from revorder.corpora import enhancement, gsm8k
from revorder.corpora.gsm8k import question_prompt
from revorder.corpora.rewriting import rewrite
from revorder.errors import ProblemError
from revorder.files import write_whole
from revorder.reading.equations import find_annotations
from revorder.reading.numbers import NOTATIONS
from revorder.reproduce.exhibits import Exhibit, Sample
from revorder.reproduce.experiment import Experiment, Say

FILE = "samples.json"


@dataclass(frozen=True)
class SamplesSettings:
    """`data` is the argument of `corpora.gsm8k.load`; `index` is that of the enhancement data's sample."""

    data: str | None = None
    index: int = 3


def converted_sample(notation: str = NOTATIONS[0], data: str | None = None) -> str:
    """Return the first training problem whose rewritten solution solves an expression in pairs.

    Raises ProblemError if GSM8K is missing or has no such problem.
    """
    for row in gsm8k.load(data):
        text = rewrite(row.answer, notation)
        if any(equation.steps.count("=") > 1 for equation in find_annotations(text)):
            return question_prompt(row.question) + text
    raise ProblemError(
        f"GSM8K {data or ''!r}: no solution has an expression to solve in pairs; give the whole training set"
    )


def enhancement_sample(notation: str = NOTATIONS[0], index: int = 3) -> str:
    """Return one sample of the enhancement data.

    >>> print(enhancement_sample("@@"))
    Question: 449+8977+6
    Answer:
    449+8977+6=<<449+8977+6=@@6249@@+6=@@2349@@=9432>>9432
    #### 9432
    """
    row = enhancement.example(0, index, notation)
    return question_prompt(row.question) + row.answer


def collect(settings: SamplesSettings, folder: Path, say: Say) -> int:
    """Store both samples in each notation, since GSM8K may be missing later; returns 0."""
    found = {f"Figure 7: a problem in {notation}": converted_sample(notation, settings.data) for notation in NOTATIONS}
    for notation in NOTATIONS:
        found[f"Figure 8: enhancement data in {notation}"] = enhancement_sample(notation, settings.index)
    write_whole(folder / FILE, json.dumps(found, indent=2) + "\n")
    return 0


def render(settings: SamplesSettings, folder: Path) -> list[Exhibit]:
    """Show the samples."""
    note = "The problem is GSM8K's (Cobbe et al., 2021; MIT licence)."
    return [
        Sample(title, text, note if "Figure 7" in title else "")
        for title, text in json.loads((folder / FILE).read_text()).items()
    ]


FIGURES7_8 = Experiment(
    "figures7-8",
    "Figures 7 and 8",
    "What GSM8K and the enhancement data look like, rewritten",
    {preset: SamplesSettings() for preset in ("smoke", "cpu", "gpu")},
    render,
    collect=collect,
)
