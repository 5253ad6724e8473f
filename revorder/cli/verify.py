"""revorder verify: judge the traces of stdin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any, Optional

import typer

from revorder.arithmetic.expression import Expression
from revorder.cli.common import Json, emit, stdin_batches
from revorder.errors import ProblemError, shorten
from revorder.judge import Verdict, verify
from revorder.methods import METHODS, Method, find_method, trace
from revorder.reading.questions import read_expression


def command(
    method: Annotated[
        Optional[str], typer.Option(help=f"One of {', '.join(METHODS)}; by default that of a JSON line, or revorder.")
    ] = None,
    form: Annotated[
        Optional[str], typer.Option(help="revorder: compact or expanded; blocks: 1, 2 or 3; by default any of them.")
    ] = None,
    problem: Annotated[Optional[str], typer.Option(help="The problem that every trace must solve.")] = None,
    json_: Json = False,
) -> None:
    r"""Judge traces from stdin, one a line, or JSON lines that `show` and `solve` write, or, with its --method, `data`.

    A trace of several lines ends at a blank line, or has its line ends written as \n. Each trace gets one verdict; the
    exit status is 1 if any fails.
    """
    writer, _ = find_method(method or "revorder", form if method else None)
    asked = None if problem is None else Expression.parse(problem)
    failed, some = False, False
    for text in traces(chain.from_iterable(stdin_batches()), writer):
        verdict = judge_line(text, method, form, asked)
        failed, some = failed or not verdict.ok, True
        if json_:
            emit(asdict(verdict))
        elif verdict.ok:
            print(f"ok {verdict.answer}")
        else:
            print(f"wrong at step {verdict.step}: {verdict.reason}")
    if not some:
        raise ProblemError("stdin is empty; give it traces")
    raise typer.Exit(1 if failed else 0)


def traces(lines: Iterable[str], method: Method) -> Iterator[str]:
    r"""Yield lines as traces: each line, or each block up to a blank line if the method writes several lines.

    The lines after a lone question belong to it if they begin with `=`. A line of JSON, or one with its line ends
    written as \n, is a trace of its own.

    >>> list(traces(["1+1=r|2=2", "12+35", "=r|74", "=47", "", "1+2=r|3=3"], METHODS["revorder"]))
    ['1+1=r|2=2', '12+35\n=r|74\n=47', '1+2=r|3=3']
    """
    block: list[str] = []
    several = False
    for line in map(str.strip, chain(lines, [""])):
        alone = line.startswith("{") or "\\n" in line
        if block and line and not alone and (several or line.startswith("=")):
            block.append(line)
            continue
        if block:
            yield "\n".join(block)
        block, several = [], method.multiline and not alone and writes_several_lines(method, line)
        if alone or ("=" in line and not several):
            yield line if line.startswith("{") else line.replace("\\n", "\n")
        elif line:
            block = [line]


def writes_several_lines(method: Method, question: str) -> bool:
    """Whether a method's trace of a question has line ends; true if the question can't be read.

    >>> writes_several_lines(METHODS["goat"], "12+35=47"), writes_several_lines(METHODS["goat"], "948/12=")
    (False, True)
    """
    try:
        return "\n" in trace(method.parse_question(question), method.name).text
    except ProblemError:
        return True


def judge_line(text: str, method: str | None, form: str | None, asked: Expression | None) -> Verdict:
    """Return the verdict on a trace, or on a line of JSON with a trace (`text_of`) or a solution's `steps`."""
    item: Any = None
    if text.startswith("{"):
        try:
            item = json.loads(text)
        except (ValueError, RecursionError):
            pass  # a trace that begins with a brace, which is wrong
    found = text_of(item) if isinstance(item, dict) else None
    if isinstance(item, dict) and found is None and not isinstance(item.get("steps"), list):
        keys = ", ".join(map(repr, item)) or "none"
        accepted = "accepted: text, trace, prompt and completion, or steps"
        return Verdict(False, None, 0, f"a row has the keys {shorten(keys)}; {accepted}")
    try:
        if isinstance(item, dict) and "text" not in item and isinstance(item.get("steps"), list):
            return judge_solution(item, asked)
        if found is not None:
            if method is None:
                method, form = str(item.get("method", "revorder")), form or item.get("form")
            if asked is None and "problem" in item:
                asked = read_expression(str(item["problem"]))
            elif asked is None and {"a", "op", "b"} <= item.keys():  # a row of data
                asked = read_expression(f"{item['a']}{item['op']}{item['b']}")
            verdict = verify(found, method, form, asked)
            if verdict.ok and item.get("answer") is not None and str(item["answer"]) != verdict.answer:
                reason = f"wrong answer: expected {verdict.answer!r}, found {item['answer']!r}"
                return Verdict(False, None, 0, reason, verdict.rollbacks)
            return verdict
    except ProblemError as error:
        return Verdict(False, None, 0, f"{error}")
    except (KeyError, TypeError):
        return Verdict(False, None, 0, "not what solve writes: a problem, and steps that have a method and a text")
    return verify(text, method or "revorder", form, asked)


def text_of(item: dict[str, Any]) -> str | None:
    """Return the trace of a row: its `text`, its `trace`, or its `prompt` and `completion`; None if it has none.

    >>> text_of({"prompt": "12+35=", "completion": "r|74=47"}), text_of({"messages": []})
    ('12+35=r|74=47', None)
    """
    prompt, completion = item.get("prompt"), item.get("completion")
    joined = prompt + completion if isinstance(prompt, str) and isinstance(completion, str) else None
    return next((found for found in (item.get("text"), item.get("trace"), joined) if isinstance(found, str)), None)


def judge_solution(item: dict[str, Any], asked: Expression | None) -> Verdict:
    """Return the verdict on a line of `solve --json`: each step is the next operation, as its method writes it."""
    expression = read_expression(str(item["problem"]))
    if asked is not None and expression != asked:
        return Verdict(False, None, 0, f"the question was changed: expected '{asked}', found '{expression}'")
    reduction = expression.reduce_to_answer(item.get("decimals"))
    steps, at, rollbacks = item["steps"], 0, 0
    try:
        problem = next(reduction)
        while at < len(steps):
            verdict = verify(str(steps[at]["text"]), str(steps[at]["method"]), steps[at].get("form"), problem)
            rollbacks += verdict.rollbacks
            if not verdict.ok:
                return Verdict(False, None, at, f"{problem}: {verdict.reason}", rollbacks)
            at += 1
            problem = reduction.send((problem.value, problem.remainder))
        return Verdict(False, None, at, f"the steps end before {problem}", rollbacks)
    except StopIteration as done:
        answer = done.value.text
    if at < len(steps):
        return Verdict(False, answer, at, "nothing is left to compute", rollbacks)
    if item.get("answer") != answer:
        return Verdict(False, None, at, f"wrong answer: expected {answer!r}, found {item.get('answer')!r}", rollbacks)
    return Verdict(True, answer, None, "", rollbacks)
