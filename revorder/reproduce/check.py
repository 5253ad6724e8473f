"""The check: every stored trace is judged again, and every result that the docs state is written again from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from revorder.evaluation.runner import load
from revorder.evaluation.scores import Result
from revorder.evaluation.word_problems import result_of
from revorder.judge import verify
from revorder.methods import METHODS
from revorder.reproduce.cells import read_cells
from revorder.reproduce.experiment import results_in
from revorder.reproduce.page import fill_docs, stated
from revorder.reproduce.table3 import SOLUTIONS


@dataclass(frozen=True)
class Difference:
    """Something that is not as it is stored: where, and what it is."""

    where: str
    what: str


def check(out: Path, docs: list[Path]) -> Iterator[Difference]:
    """What differs: between stored results and what the judge says of their texts, and between the docs and the results."""
    for _, folder in results_in(out):
        for path in sorted(folder.glob(f"{SOLUTIONS}/*.jsonl")):
            for line, result in enumerate(load(path), 2):
                if result != result_of(result.problem, result.text, result.expected):
                    yield Difference(f"{path}, line {line}", "it is scored otherwise now")
        for name, what, results in read_cells(folder):
            for line, result in enumerate(results, 2):
                if wrong := misjudged(result, what["method"], what["form"]):
                    yield Difference(f"{folder / name}.jsonl, line {line}", wrong)
    for path in stated(docs):
        text = path.read_text()
        filled = fill_docs(text, out)
        for number, (found, expected) in enumerate(zip(text.splitlines(), filled.splitlines(), strict=False), 1):
            if found != expected:
                yield Difference(f"{path}, line {number}", f"expected {expected!r}, found {found!r}")
                break
        else:
            if text != filled:
                yield Difference(str(path), "it ends before its results, or after")


def misjudged(result: Result, method: str, form: str) -> str:
    """What is stored of a result otherwise than the judge has it; empty where nothing is."""
    verdict = verify(result.text, method, form, result.problem)
    answer = verdict.answer if verdict.ok else METHODS[method].parse_answer(result.text)
    for key, now in (("verified", verdict.ok), ("answer", answer), ("correct", answer == result.expected)):
        if getattr(result, key) != now:
            return f"{result.problem}: {key} is stored as {getattr(result, key)!r}, and is {now!r}"
    return ""
