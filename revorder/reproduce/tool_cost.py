"""Section 5.4.2: the number of digits from which calling a tool costs less than writing the work."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from revorder.arithmetic.problem import OPS
from revorder.files import write_whole
from revorder.methods import full_name
from revorder.metrics.token_cost import bare_cost, characters
from revorder.reproduce.columns import digits_named, problems_by_digits
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment, Say


@dataclass(frozen=True)
class ToolCostSettings:
    """Each number of digits up to `most` has `n` problems; a tool call adds `call` tokens to those of both numbers."""

    n: int
    most: int
    call: int = 30
    notations: tuple[tuple[str, str], ...] = (("revorder", "compact"), ("lean", "lean"))


def collect(settings: ToolCostSettings, folder: Path, say: Say) -> int:
    """Measure the shipped model's seconds per token, one problem at a time, and the seconds of a Python call."""
    from revorder.inference.ctranslate import Runtime

    out = folder / "seconds.json"
    if not out.exists():
        runtime = Runtime(threads=1)
        problems = problems_by_digits("*", 6, settings.n)
        runtime.generate([f"{problems[0]}="], 1)
        start = time.perf_counter()
        tokens = sum(characters(runtime.generate([f"{problem}="], 400)[0]) for problem in problems)
        seconds = (time.perf_counter() - start) / tokens
        start = time.perf_counter()
        for problem in problems[:5]:
            subprocess.run(
                [sys.executable, "-I", "-c", f"print({problem.a} * {problem.b})"], check=True, capture_output=True
            )
        call = (time.perf_counter() - start) / len(problems[:5])
        write_whole(out, json.dumps({"seconds_per_token": seconds, "seconds_per_call": call}) + "\n")
    return 0


def render(settings: ToolCostSettings, folder: Path) -> list[Exhibit]:
    """Show from which lengths on a tool costs less, in tokens and in seconds, and chart the tokens."""
    measured = json.loads((folder / "seconds.json").read_text())
    token, call = measured["seconds_per_token"], measured["seconds_per_call"]
    rows, series = [], []
    for how, op in product(settings.notations, OPS):
        written, tool, crossing, slower = [], [], None, None
        for digits in range(1, settings.most + 1):
            problems = problems_by_digits(op, digits, settings.n)
            mine = sum(bare_cost(problem, *how) for problem in problems) / len(problems)
            question = sum(characters(f"{problem}={problem.answer}") for problem in problems) / len(problems)
            theirs = 2 * question + settings.call  # question and answer are in the text and again in the call
            written.append((float(digits), mine))
            tool.append((float(digits), theirs))
            shape = digits_named(op, digits)
            crossing = crossing or (shape if mine > theirs else None)
            slower = slower or (shape if mine * token > theirs * token + call else None)
        beyond = f"none up to {digits_named(op, settings.most)}"
        rows.append([full_name(*how), op, crossing or beyond, slower or beyond])
        if op in "*/":
            series.append(Series(f"{op} written, {full_name(*how)}", written))
            series += [Series(f"{op} by a tool", tool)] if how == settings.notations[-1] else []
    note = (
        f"A call costs {settings.call} tokens, plus the question and the result a second time. The shipped model"
        f" writes a token in {1e6 * token:.0f} microseconds, and a call that starts Python takes {1e3 * call:.0f}"
        " milliseconds; models of every notation are assumed to be as fast."
    )
    return [
        Table(
            "Section 5.4.2: where a tool begins to cost less",
            ["notation", "operation", "in tokens", "in seconds"],
            rows,
            note,
        ),
        Chart("Section 5.4.2: tokens, written and by a tool", "digits n", "tokens", series, note, log_y=True),
    ]


TOOL_COST = Experiment(
    "tool-cost",
    "Section 5.4.2",
    "Where a tool costs less",
    {"smoke": ToolCostSettings(3, 4), "cpu": ToolCostSettings(50, 16), "gpu": ToolCostSettings(50, 16)},
    render,
    collect=collect,
)
