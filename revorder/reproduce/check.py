"""The check judges every stored text again, and compares the docs with the stored results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from revorder.arithmetic.expression import Expression
from revorder.errors import ProblemError
from revorder.evaluation.runner import judge_text, load
from revorder.evaluation.scores import Result
from revorder.evaluation.word_problems.solving import result_of
from revorder.files import read_text
from revorder.reproduce.cells import SOLUTIONS, read_cells
from revorder.reproduce.experiment import results_in, texts_file, texts_in
from revorder.reproduce.harness import refuse_changed
from revorder.reproduce.page import fill_docs, pages_in, source_of


@dataclass(frozen=True)
class Difference:
    """A stored result, or a page, that differs from today's."""

    where: str
    what: str


def check(out: Path, docs: list[Path]) -> Iterator[Difference]:
    """Yield every difference of verdicts from the judge's and settings from today's, and the first of each page."""
    shown = {}
    for info, folder in results_in(out):
        try:
            yield from check_texts(folder)
            experiment, settings = source_of(info, folder)
            if info.done and experiment.stores_results:
                shown[info.experiment] = refuse_changed(experiment, settings, folder)
        except ProblemError as error:
            yield Difference(str(folder), str(error))
    for path in pages_in(docs):
        text = read_text(path)
        lines = zip_longest(text.splitlines(), fill_docs(text, out, shown=shown).splitlines(), fillvalue="")
        for number, (found, expected) in enumerate(lines, 1):
            if found != expected:
                yield Difference(f"{path}, line {number}", f"expected {expected!r}, found {found!r}")
                break


def check_texts(folder: Path) -> Iterator[Difference]:
    """Yield the stored verdicts that the judge no longer gives; raises ProblemError if the texts can't be read."""
    for path in texts_in(folder / SOLUTIONS).values():
        for line, result in enumerate(load(path), 2):
            if result != result_of(result.problem, result.text, result.expected):
                yield Difference(f"{path}, line {line}", "its score has changed")
    for name, (what, results) in read_cells(folder).items():
        for line, result in enumerate(results, 2):
            if wrong := misjudged(result, what["method"], what["form"]):
                yield Difference(f"{texts_file(folder, name)}, line {line}", wrong)


def misjudged(result: Result, method: str, form: str) -> str:
    """Return the first stored field that the judge no longer gives, in words; empty if all agree."""
    problem = Expression.parse(result.problem).problem()
    now = judge_text(result.task, problem, result.text, method, form, result.reply)
    if now == result:
        return ""
    for key, value in asdict(now).items():
        if (stored := getattr(result, key)) != value:
            return f"{result.problem}: {key} is stored as {stored!r}, and is {value!r}"
    return ""
