"""Score GSM8K solutions: the final answer, the equations in total and by operator, and the first error.

Annotations are read in their own and in both converted notations.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from revorder.arithmetic.expression import Expression, read_number
from revorder.arithmetic.problem import ascii_signs
from revorder.corpora.gsm8k import final_answer, final_answers
from revorder.errors import ProblemError, first_line, quote
from revorder.evaluation.scores import wilson
from revorder.evaluation.word_problems.equations import (
    ARITHMETIC,
    COPY,
    NOTATION,
    OPERATORS,
    REVERSAL,
    Checked,
    check_annotation,
)
from revorder.reading.answers import extract_answer, one_box
from revorder.reading.equations import find_annotations
from revorder.reading.numbers import BARE_POINT, NUMBER, OPERAND_OF, read_reversed
from revorder.reading.scanner import CUT, final_part, plain_text

# Table 3 of the paper: LLaMA2-7B on the test set, percent
PAPER: dict[str, dict[str, float]] = {
    "LLaMA2-7B, original text (paper)": {"score": 41.6, "equations": 88.9, "+": 96.7, "-": 97.0, "*": 95.8},
    "LLaMA2-7B, RevOrder (paper)": {"score": 44.4, "equations": 94.1, "+": 99.8, "-": 99.6, "*": 98.8},
}

REASONING = "reasoning"  # all equations are right, but not the final answer
NO_ANSWER = "no answer"

_ANNOTATION = re.compile(r"<<[^<>]*>>")
_SYMBOLS = re.compile("[$€£%]")  # these change no final answer
_COUNTED = re.compile(
    r"(?:step|part|case|method|option|problem|question|example|section)\b.{0,3}[0-9]+\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"[0-9]{1,2}[.)] +[A-Za-z]")  # 1. Add, or 5. Apples
_OR = re.compile(r"=[^=.\n]*\bor\b[^=.\n]*\Z", re.IGNORECASE)
_REMARK = re.compile(
    r"\W*(?:note|notes|verification|check|explanation|confidence|would you|shall i|let me know|i hope|if you)\b",
    re.IGNORECASE,
)
_NAMES_ANSWER = re.compile(r"\banswer(?: is)?[\s:=*$€£(]*-?[0-9]", re.IGNORECASE)
_TEXTS = ("solution", "completion", "prediction", "output", "response")  # a record's solution
_REFERENCES = ("ground_truth", "reference", "target", "answer")  # the right solution


class Attempt(NamedTuple):
    """A system's solution of a problem, and the problem's right final answer."""

    system: str
    text: str
    reference: str
    question: str = ""


class CheckedSolution(NamedTuple):
    """A scored solution: its final answer, which may be None, its equations, and its first error."""

    attempt: Attempt
    final: Fraction | None
    correct: bool
    equations: tuple[Checked, ...]
    cause: str


@dataclass(frozen=True, slots=True)
class SolutionScore:
    """The scores of a system's solutions: right and all equations by operator, and the causes of wrong solutions."""

    system: str
    total: int
    correct: int
    equations: dict[str, tuple[int, int]]
    wrong_equations: dict[str, int]
    causes: dict[str, int]
    examples: dict[str, str] = field(repr=False)

    @property
    def all_equations(self) -> tuple[int, int]:
        """The numbers of right equations and of all."""
        return sum(right for right, _ in self.equations.values()), sum(n for _, n in self.equations.values())


def check_solution(attempt: Attempt) -> CheckedSolution:
    """Score one solution; raises ProblemError if its reference is not a number.

    >>> check_solution(Attempt("", "48/2 = <<48/2=24>>24\\n#### 24", "24")).correct
    True
    >>> check_solution(Attempt("", "48+24 = <<48+24=r|27=73>>73\\n#### 73", "72")).cause
    'reversal'
    """
    text, wanted = ascii_signs(attempt.text), read_reference(attempt.reference)
    equations = tuple(filter(None, (check_annotation(equation, text) for equation in find_annotations(text))))
    found = read_final(text)
    correct = found is not None and found == wanted
    cause = ""
    if not correct:
        causes = (equation.cause for equation in equations if equation.cause)
        cause = NO_ANSWER if found is None else next(causes, REASONING)
    return CheckedSolution(attempt, found, correct, equations, cause)


def read_reference(text: str) -> Fraction:
    """Return the value of a right final answer, without a percent sign; raises ProblemError if it is not a number.

    >>> read_reference("1,234"), read_reference("10%")
    (Fraction(1234, 1), Fraction(10, 1))
    """
    return read_number(text.replace("%", "")).value


def read_final(text: str) -> Fraction | None:
    """Return the number behind `####` or `A:`, also a reversed one, or else the number that its final paragraph states.

    None if no number is found, if two of them differ, if the text is cut off, or if a number can be read in two ways:
    `72 or 73`, `3/4`, `6 * 6`, `5 million`, `- 5`. A `####` before a heading is ignored.

    >>> list(map(read_final, ("A: $1,234.50 a year", "#### r|27", "#### <<48+24=72>>72", "72 or 73")))
    [Fraction(2469, 2), Fraction(72, 1), Fraction(72, 1), None]
    """
    text = ascii_signs(final_part(text))
    if text.rstrip().endswith(CUT):
        return None
    try:
        marked = [answer for answer in final_answers(text) if not is_heading(answer)]
    except ProblemError:
        marked = []
    if _NAMES_ANSWER.search(text):
        marked = [answer for answer in marked if not _NUMBERED.match(answer)]
    if not marked and "<<" in text:  # a solution in GSM8K's style that ends before its final answer
        return None
    found = {read_stated(answer) for answer in marked or [final_paragraph(text)]}
    return found.pop() if len(found) == 1 else None


def final_paragraph(text: str) -> str:
    """Return the one box of a text, or its last paragraph; the paragraph that names an answer, if the last is a remark.

    >>> final_paragraph("The answer is 47.\\n\\nShall I explain step 3?")
    'The answer is 47.'
    """
    paragraphs = text.strip().split("\n\n")
    if (box := one_box(text)) is not None:
        return box
    named = next(filter(_NAMES_ANSWER.search, reversed(paragraphs)), "") if _REMARK.match(paragraphs[-1]) else ""
    return named or paragraphs[-1]


def is_heading(answer: str) -> bool:
    """Whether the text after `####` is a heading: words without a number, or a counted one (`Step 1`).

    >>> is_heading("Step 1: add"), is_heading("Solution"), is_heading("minus 5"), is_heading("72 clips")
    (True, True, False, False)
    """
    return bool(_COUNTED.match(answer)) or (answer[:1].isalpha() and not any(map(str.isdigit, answer)))


def read_stated(answer: str) -> Fraction | None:
    """Return the only number that a final answer states; None if it could be another one."""
    equation, _, answer = plain_text(read_reversed(_ANNOTATION.sub("", answer))).rpartition("=")
    if _OR.search(equation):  # x = 3 or x =
        return None
    stated = extract_answer(BARE_POINT.sub("0.", _SYMBOLS.sub("", answer)))
    numbers = list(NUMBER.finditer(answer))
    if stated is None or "R" in stated or any(OPERAND_OF.match(answer, number.end()) for number in numbers):
        return None
    try:
        value, *others = {read_reference(number) for number in (stated, *(number[0] for number in numbers))}
    except ProblemError:  # it is too long
        return None
    return None if others else value


# Files of solutions


def read_solutions(path: Path) -> Iterator[Attempt]:
    """Yield the solutions of a JSONL file.

    A line has the right solution, or its final answer, as `ground_truth`, `reference`, `target` or `answer`. It has a
    solution as `solution`, `completion`, `prediction`, `output` or `response`, or those of several systems as objects
    with one of these keys. It may have a `question`. Raises ProblemError that names the line.
    """
    number = 0
    systems: set[str] = set()
    try:
        with path.open("rb") as lines:
            for line in lines:
                number += 1
                if not line.strip():
                    continue
                found = solutions_of(json.loads(line))
                here = {attempt.system for attempt in found}
                if missing := sorted((systems or here) ^ here):  # left out, it would raise the score
                    raise ProblemError(
                        f"solution of {missing[0]!r}: not in every line; give an empty one if it is missing"
                    )
                systems = here
                yield from found
    except OSError as error:
        raise ProblemError(f"file {str(path)!r} can't be read: {error.strerror}; give JSONL of solutions") from None
    except ProblemError as error:
        raise ProblemError(f"file {str(path)!r}, line {number}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"file {str(path)!r}, line {number}: {first_line(error)}; give JSONL of solutions") from None
    if not systems:
        raise ProblemError(f"file {str(path)!r}: nothing in it; give JSONL of solutions")


def solutions_of(row: Any) -> list[Attempt]:
    """Return the solutions of a record.

    >>> row = {"answer": "#### 72", "small": {"solution": "#### 71"}, "solution": "#### 72"}
    >>> [found.system for found in solutions_of(row)]
    ['small', 'solution']
    """
    if not isinstance(row, dict):
        raise ProblemError("not a JSON object; give one with a reference and solutions")
    reference = next((str(row[key]) for key in _REFERENCES if key in row), None)
    if reference is None:
        raise ProblemError(f"no reference; accepted: one of the keys {', '.join(_REFERENCES)}")
    try:
        read_reference(wanted := reference)
    except ProblemError:
        read_reference(wanted := final_answer(reference))
    found: list[Attempt] = []
    for key, value in row.items():
        texts = value if isinstance(value, dict) else {key: value} if key in _TEXTS else {}
        text = next((texts[name] for name in _TEXTS if texts.get(name) is not None), None)
        if isinstance(text, str):
            found.append(Attempt(key, text, wanted, str(row.get("question", ""))))
        elif text is not None or texts.keys() & set(_TEXTS):  # left out, it would raise the score
            raise ProblemError(f"solution of {key!r} is {quote(str(text))}; give a text, which may be empty")
    if not found:
        raise ProblemError(f"no solution; accepted: one of the keys {', '.join(_TEXTS)}, or objects with one of them")
    return found


def check_solutions(attempts: Iterable[Attempt]) -> dict[str, list[CheckedSolution]]:
    """Return the scored solutions of each system, in the order in which the systems first appear."""
    systems: dict[str, list[CheckedSolution]] = {}
    for attempt in attempts:
        systems.setdefault(attempt.system, []).append(check_solution(attempt))
    return systems


def score_system(system: str, solutions: list[CheckedSolution]) -> SolutionScore:
    """Return the score of one system."""
    equations = once_each(solutions)
    wrong = Counter(equation.cause for equation in equations if equation.cause)
    examples = {equation.cause: equation.text for equation in reversed(equations) if equation.cause}
    return SolutionScore(
        system,
        total=len(solutions),
        correct=sum(solution.correct for solution in solutions),
        equations={
            op: (sum(e.right for e in equations if e.op == op), sum(e.op == op for e in equations)) for op in OPERATORS
        },
        wrong_equations=dict(wrong.most_common()),
        causes=dict(Counter(solution.cause for solution in solutions if solution.cause).most_common()),
        examples=examples,
    )


def once_each(solutions: Iterable[CheckedSolution]) -> list[Checked]:
    """Return the equations that count.

    One that a solution repeats counts once, since a model may repeat it in a loop; it is wrong if it is wrong anywhere.
    """
    return [
        once
        for solution in solutions
        for once in {found.text: found for found in sorted(solution.equations, key=lambda e: bool(e.cause))}.values()
    ]


def percent_of(right: int, total: int, wide: bool = True) -> str:
    """Return a share in percent; `wide` adds its 95% interval (Wilson) and the total.

    >>> percent_of(3, 4), percent_of(3, 4, wide=False), percent_of(0, 0)
    ('75.0 (30.1-95.4) of 4', '75.0', '-')
    """
    if not total:
        return "-"
    low, high = wilson(right, total)
    return f"{100 * right / total:.1f}" + (f" ({low:.1f}-{high:.1f}) of {total:,}" if wide else "")


def table(scores: Iterable[SolutionScore], wide: bool = True) -> tuple[list[str], list[list[str]]]:
    """Return the header and rows of a score table, the paper's Table 3 below; `wide` as in `percent_of`."""
    rows = []
    for score in scores:
        shares = [(score.correct, score.total), score.all_equations, *(score.equations[op] for op in OPERATORS)]
        rows.append([score.system, *(percent_of(right, total, wide) for right, total in shares)])
    columns = ("score", "equations", *OPERATORS)
    for name, numbers in PAPER.items():
        rows.append([name, *(f"{numbers[key]:.1f}" if key in numbers else "-" for key in columns)])
    return ["system", *columns], rows


def errors_table(scores: Iterable[SolutionScore]) -> tuple[list[str], list[list[str]]]:
    """Return the header and rows of the errors: equations by cause, and wrong solutions by their first error."""
    header = ["system", "cause", "equations", "solutions", "example"]
    rows = []
    for score in scores:
        for cause in (ARITHMETIC, REVERSAL, COPY, NOTATION, REASONING, NO_ANSWER):
            counts = [found.get(cause, 0) for found in (score.wrong_equations, score.causes)]
            if any(counts):
                rows.append([score.system, cause, *map(str, counts), score.examples.get(cause, "")])
    return header, rows


def unanswered(score: SolutionScore) -> str:
    """Return one line on how many of a system's solutions state no final answer; empty if all do.

    >>> unanswered(SolutionScore("small", 3, 1, {}, {}, {NO_ANSWER: 2}, {}))
    'small: 2 of 3 solutions state no answer; warning: most, so that the score says little of the model'
    """
    if not (silent := score.causes.get(NO_ANSWER, 0)):
        return ""
    most = "; warning: most, so that the score says little of the model" if 2 * silent > score.total else ""
    return f"{score.system}: {silent:,} of {score.total:,} solutions state no answer{most}"


def group_wrong(solutions: Iterable[CheckedSolution]) -> dict[str, list[CheckedSolution]]:
    """Return the wrong solutions by their first error, the most frequent cause first."""
    groups: dict[str, list[CheckedSolution]] = {}
    for solution in solutions:
        if not solution.correct:
            groups.setdefault(solution.cause, []).append(solution)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def errors_text(solutions: Iterable[CheckedSolution]) -> str:
    """Return the number of wrong solutions of each cause, and the first of them in full, with its errors."""
    groups = group_wrong(solutions)
    total = sum(map(len, groups.values()))
    parts = []
    for cause, wrong in groups.items():
        parts.append(f"{cause}: first in {len(wrong):,} of {total:,} wrong solutions")
        parts.append(in_full(wrong[0]))
    return "\n\n".join(parts) or "no wrong solutions"


def in_full(solution: CheckedSolution) -> str:
    """Return a wrong solution in full, with its errors.

    >>> print(in_full(check_solution(Attempt("", "48+24 = <<48+24=r|27=73>>73\\n#### 73", "72", "How many?"))))
    How many?
    48+24 = <<48+24=r|27=73>>73
    #### 73
    -> reversal in 48+24=r|27=73, which is 72; the final answer is 73, not 72
    """
    attempt = solution.attempt
    wrong = NO_ANSWER
    if solution.final is not None:
        wrong = f"the final answer is {solution.final}, not {attempt.reference}"
    if first := next((equation for equation in solution.equations if equation.cause), None):
        wrong = f"{first.cause} in {first.text}{value_of(first)}; {wrong}"
    return "\n".join([*filter(None, [attempt.question.strip(), attempt.text.strip()]), f"-> {wrong}"])


def value_of(equation: Checked) -> str:
    """Return the value that a wrong equation should state, as the end of a sentence, or an empty string."""
    try:
        value = Expression.parse(read_reversed(equation.text.partition("=")[0])).fraction()
    except ProblemError:
        return ""
    return "" if equation.right else f", which is {value}"
