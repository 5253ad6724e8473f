"""The command line: thin commands over the package's functions.

Exit status: 0 done, 1 something is wrong or not verified, 2 bad input (one line on stderr says what).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.exceptions import TyperException

from .methods import METHODS, method_named, trace
from .problem import OPS, Expression, Problem, ProblemError
from .runtime import DEFAULT, checkpoint, shipped
from .verify import verify as judge

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Exact arithmetic by language models: traces, judge, data, training and a small model that shows its work.",
)
LOOSE = {"ignore_unknown_options": True}  # a problem may begin with a minus sign

Json = Annotated[bool, typer.Option("--json", help="JSON, a line an item.")]
Method = Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")]
Form = Annotated[Optional[str], typer.Option(help="revorder: compact (the default) or expanded.")]
Model = Annotated[
    Optional[str],
    typer.Option(help=f"A checkpoint folder, or a shipped model's name: {', '.join(shipped())}; {DEFAULT} if none."),
]
Problems = Annotated[list[str], typer.Argument(help="Problems such as 12*4567; - reads one a line from stdin.")]


def main() -> None:
    """Run the command line; bad input is one line on stderr and exit status 2."""
    try:
        status = app(standalone_mode=False)
    except (ProblemError, TyperException) as error:
        status, message = 2, getattr(error, "format_message", error.__str__)()
        if message:  # there is none where help was printed
            print(f"revorder: {message}", file=sys.stderr)
    if status == 130:
        print("revorder: interrupted", file=sys.stderr)
    sys.exit(status)


def emit(item: Any) -> None:
    print(json.dumps(item, ensure_ascii=False))


def read_problems(problems: list[str]) -> list[str]:
    """The arguments, `-` replaced by the lines of stdin that are not empty; raises ProblemError for a mistyped option."""
    lines: list[str] = []
    for problem in problems:
        if re.match("--?[A-Za-z]", problem):
            raise ProblemError(f"option {problem!r} is unknown; accepted: those that --help lists")
        lines += [line.strip() for line in stdin_lines()] if problem == "-" else [problem]
    return lines


def stdin_lines() -> Iterator[str]:
    """The lines of stdin that are not empty; bytes that are no UTF-8 are replaced."""
    for line in sys.stdin.buffer:
        text = line.decode("utf-8", errors="replace").rstrip("\r\n")
        if text.strip():
            yield text


def read_rollback(items: list[str]) -> dict[int, list[int]]:
    """STEP:DIGIT items as {step: digits}."""
    plan: dict[int, list[int]] = {}
    for item in items:
        step, colon, digit = item.partition(":")
        if not (colon and step.removeprefix("-").isdecimal() and digit.isdecimal()):
            raise ProblemError(f"rollback {item!r}: accepted: STEP:DIGIT, such as 0:8 (steps from 0)")
        plan.setdefault(int(step), []).append(int(digit))
    return plan


def show_table(header: list[str], rows: list[list[str]], title: str | None = None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, title=title)
    for row in rows:
        table.add_row(*map(Text, row))  # what a model wrote is no markup
    Console(width=None if sys.stdout.isatty() else 160).print(table)


@app.command(context_settings=LOOSE)
def show(
    problems: Problems,
    method: Method = "revorder",
    form: Form = None,
    rollback: Annotated[
        list[str], typer.Option(metavar="STEP:DIGIT", help="Write a wrong quotient digit and take it back.")
    ] = [],
    answer: Annotated[Optional[bool], typer.Option("--answer/--no-answer", help="End with the forward answer.")] = None,
    json_: Json = False,
) -> None:
    """Write the trace of a problem with a method."""
    plan = read_rollback(rollback)
    for problem in read_problems(problems):
        made = trace(problem, method, form, plan, answer)
        if json_:
            steps = [step.text for step in made.steps]
            emit(
                {
                    "problem": str(made.problem),
                    "method": method,
                    "form": made.form,
                    "text": made.text,
                    "answer": made.answer,
                    "steps": steps,
                }
            )
        else:
            print(made.text)


@app.command()
def verify(
    method: Method = "revorder",
    form: Form = None,
    problem: Annotated[Optional[str], typer.Option(help="The problem that every trace must be of.")] = None,
    json_: Json = False,
) -> None:
    r"""Judge traces from stdin, one a line (a line end within a trace written as \n), or JSON lines with a "text".

    One verdict a line; exit status 1 where any fails.
    """
    method_named(method, form)
    asked = None if problem is None else Expression.parse(problem)
    failed = False
    for line in stdin_lines():
        text = line.replace("\\n", "\n")
        if line.startswith("{"):
            try:
                text = str(json.loads(line)["text"])
            except (ValueError, KeyError, TypeError, RecursionError):
                pass  # then it is a trace that begins with a brace, and wrong
        verdict = judge(text, method, form, asked)
        failed |= not verdict.ok
        if json_:
            emit(asdict(verdict))
        elif verdict.ok:
            print(f"ok {verdict.answer}")
        else:
            print(f"wrong at step {verdict.step}: {verdict.reason}")
    raise typer.Exit(1 if failed else 0)


@app.command(context_settings=LOOSE)
def csid(
    problems: Problems,
    method: Method = "plain",
    form: Form = None,
    explain: Annotated[bool, typer.Option("--explain", help="What each written digit is computed from.")] = False,
    estimation: Annotated[bool, typer.Option("--estimation", help="Count quotient estimates too.")] = False,
    json_: Json = False,
) -> None:
    """The Count of Sequential Intermediate Digits of an equation as a method writes it (section 3)."""
    from .csid import csid as count
    from .csid import explain as digits_of
    from .csid import worst_case

    for text in read_problems(problems):
        problem = Expression.parse(text.partition("=")[0]).problem()
        value = count(problem, method, form, estimation=estimation)
        n, m = sorted((len(str(problem.a)), len(str(problem.b))), reverse=True)
        worst = None if problem.remainder else worst_case(problem.op, n, m, method, form)
        digits = digits_of(problem, method, form) if explain else []
        if json_:
            emit(
                {"problem": str(problem), "method": method, "csid": value, "worst_case": worst}
                | ({"digits": [asdict(d) for d in digits]} if explain else {})
            )
            continue
        print(value)
        if explain:
            header = ["digit", "of", "place", "from", "SIDs (needed, not written)"]
            rows = [
                [
                    d.char,
                    d.of,
                    str(d.place),
                    " ".join(d.sources),
                    ", ".join(d.sids) + (" (estimate)" if d.estimated else ""),
                ]
                for d in digits
            ]
            known = "" if worst is None else f", worst case {worst}"
            show_table(header, rows, f"{problem} by {method}: CSID {value}{known}")


@app.command(context_settings=LOOSE)
def cost(
    problems: Problems,
    tokenizer: Annotated[
        Optional[str], typer.Option(help="A Hugging Face tokenizer's folder or name; by characters otherwise.")
    ] = None,
    json_: Json = False,
) -> None:
    """Tokens of a problem's trace by every method, and how many beyond the plain equation (section 5.4.2)."""
    from .cost import cost as tokens
    from .cost import counter, extra

    count = counter(tokenizer)
    for text in read_problems(problems):
        problem = Problem.parse(text)
        rows: list[dict[str, Any]] = []
        for name, form in [(name, form) for name, module in METHODS.items() for form in module.FORMS]:
            row = {"problem": str(problem), "method": name, "form": form, "tokens": None, "extra": None}
            with suppress(ProblemError):  # a method may refuse what is too long for it
                row |= {"tokens": tokens(problem, name, form, count), "extra": extra(problem, name, form, count)}
            rows.append(row)
        if json_:
            for row in rows:
                emit(row)
        else:
            cells = [["-" if cell is None else str(cell) for cell in list(row.values())[1:]] for row in rows]
            show_table(["method", "form", "tokens", "extra"], cells, str(problem))


@app.command(context_settings=LOOSE)
def solve(
    problems: Problems,
    model: Model = None,
    max_digits: Annotated[
        Optional[int], typer.Option(min=0, help="Operands with more digits go to Python's integers.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Show the work as the model writes it.")] = False,
    json_: Json = False,
) -> None:
    """Solve expressions with the model, every step judged: one answer a line on stdout.

    Exit status: 0 all verified, 1 something not verified, 2 bad input.
    """
    from .solve import solve_many

    texts = read_problems(problems)
    status = 0
    out = (lambda piece: print(piece, end="", flush=True)) if show and not json_ else None
    with progress_bar("solving", len(texts), quiet=show or len(texts) < 100) as step:
        for solution in solve_many(texts, model, max_digits, out, batch=1 if show else 1024):
            step(1)
            status = max(status, 2 if solution.error else 0 if solution.verified else 1)
            if json_:
                item = asdict(solution)
                item.pop("steps")
                emit(item)
            elif solution.error:
                print("error")
            elif solution.verified:
                print(solution.answer)
            else:
                print("not verified" + (f": {solution.answer}" if solution.answer else ""))
            if solution.error or solution.reason:
                print(f"revorder: {solution.error or solution.reason}", file=sys.stderr)
    raise typer.Exit(status)


class progress_bar:
    """A progress bar on stderr where that is a terminal; entering gives a function that takes how many more are done."""

    def __init__(self, what: str, total: int | None, quiet: bool = False) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, disable=quiet or not console.is_terminal, transient=True)
        self._what, self._total = what, total

    def __enter__(self) -> Any:
        self._bar.start()
        task = self._bar.add_task(self._what, total=self._total)
        return lambda n=1: self._bar.advance(task, n)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def read_ops(*texts: str) -> str:
    """Operations named in any way: `+ -`, `+-`, `+,-`."""
    ops = "".join(texts).replace(",", "").replace(" ", "")
    if not ops or any(op not in OPS for op in ops):
        raise ProblemError(f"ops {' '.join(texts).strip()!r}: accepted: some of + - * /")
    return "".join(op for op in OPS if op in ops)


def writer_of(model: str | None, base_url: str | None, settings: dict[str, Any]) -> tuple[Any, int, str]:
    """What eval asks, the tokens that a text of it may always have, and a name for all that its texts depend on."""
    if base_url is None:
        from .shards import digest
        from .solve import loaded

        return loaded(model), 0, f"{model or DEFAULT} {digest(checkpoint(model) / 'model.safetensors')[:12]}"
    from .endpoint import Endpoint

    if not model:
        raise ProblemError("model: missing; accepted: the name under which the server has it")
    tokens = settings.get("max_tokens", 1024)
    server = Endpoint(base_url, model, **{key: value for key, value in settings.items() if key != "max_tokens"})
    name = f"{model} at {base_url}, {server.card.method}, {server.shots} shots, {server.api}, {tokens} tokens"
    return server, tokens, name


@app.command(name="eval", context_settings=LOOSE)
def evaluate(
    suite: Annotated[
        str,
        typer.Argument(
            help="bigbench, extra (Table 1's larger columns), table1 (both), one-digit (n-digit by 1-digit products), "
            "hard (20,000 hard problems), beyond (longer operands); or a JSONL file of results, to report it again."
        ),
    ],
    more_ops: Annotated[Optional[list[str]], typer.Argument(metavar="[OPS]...", help="More operations.")] = None,
    ops: Annotated[Optional[str], typer.Option(help="Operations, such as '+ -'; all if none.")] = None,
    model: Model = None,
    data: Annotated[
        Optional[str],
        typer.Option(help="BIG-bench's folder, or a Hugging Face dataset; $REVORDER_DATA names the folder too."),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Problems a drawn column.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of drawn columns and hard problems.")] = 2024,
    out: Annotated[
        Optional[Path],
        typer.Option(help="A JSONL file for every problem, trace and verdict; a table beside it in .md."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what the checkpoint is not meant for.")] = False,
    errors: Annotated[bool, typer.Option("--errors", help="Group what is wrong by the first wrong step.")] = False,
    base_url: Annotated[
        Optional[str], typer.Option(help="An OpenAI-compatible server, such as http://localhost:8000/v1.")
    ] = None,
    method: Annotated[
        Optional[str],
        typer.Option(help="How a server's model is asked and judged; plain, the default: the answer only."),
    ] = None,
    shots: Annotated[
        Optional[int], typer.Option(min=0, help="Worked examples in a server's prompt; 0 if none.")
    ] = None,
    api: Annotated[Optional[str], typer.Option(help="chat, the default, or completions.")] = None,
    max_tokens: Annotated[
        Optional[int], typer.Option(min=1, help="Tokens that a server's reply may always have; 1024 if none.")
    ] = None,
    timeout: Annotated[
        Optional[float], typer.Option(min=0.01, help="Seconds a server may be silent; 60 if none.")
    ] = None,
    json_: Json = False,
) -> None:
    """Score a checkpoint, or a model behind a server: exact match with 95% intervals, beside the paper's Table 1.

    Exit status 1 where a wrong answer was verified.
    """
    from . import evals
    from .report import errors_table, markdown, summary, table
    from .shards import write_whole

    wanted = read_ops(ops or "", *(more_ops or [])) if ops is not None or more_ops else OPS
    settings = {"method": method, "shots": shots, "api": api, "timeout": timeout, "max_tokens": max_tokens}
    settings = {key: value for key, value in settings.items() if value is not None}
    if settings and base_url is None:
        raise ProblemError(f"{', '.join(settings)}: of a server; accepted: together with --base-url")
    again = suite.endswith(".jsonl")
    if out and (again or out.suffix != ".jsonl"):
        raise ProblemError(f"out {str(out)!r}: accepted: a name that ends in .jsonl, and a suite to run")
    if again:
        results = evals.load(Path(suite))
    else:
        tasks = evals.tasks_of(suite, wanted, n, seed, data)
        writer, tokens, name = writer_of(model, base_url, settings)
        if suite != "beyond" and not everything:
            tasks, untrained = evals.covered(writer.card, tasks)
            if untrained:
                left = f"left out, beyond what the model was trained on: {', '.join(untrained)}"
                if not tasks:
                    raise ProblemError(f"suite {suite!r}: all {left}; accepted: --all to run it all the same")
                print(f"revorder: {left}", file=sys.stderr)
        with progress_bar("problems", sum(map(len, tasks.values()))) as step:
            name = f"{suite} {wanted} n={n} seed={seed} of {name}"
            results = evals.run(writer, tasks, out, step, name, tokens)
    scores = evals.scores(results)
    groups = evals.errors(results) if errors else {}
    if out:
        parts = [markdown(*table(scores)), summary(scores), *([markdown(*errors_table(groups))] if groups else [])]
        write_whole(out.with_suffix(".md"), "\n\n".join(parts) + "\n")
    if json_:
        for score in scores:
            emit(asdict(score) | {"percent": score.percent, "interval": score.interval})
        for (op, kind), rows in groups.items():
            emit({"op": op, "first_wrong": kind, "problems": len(rows), "examples": [asdict(row) for row in rows[:3]]})
    else:
        show_table(*table(scores))
        if errors:
            show_table(*errors_table(groups), title=None if groups else "no errors")
        print(summary(scores))
    raise typer.Exit(1 if any(score.false_passes for score in scores) else 0)


@app.command()
def data(
    recipe: Annotated[
        str, typer.Argument(help="A mixture's YAML file, or a packaged one: paper, authors, lean, small.")
    ],
    out: Annotated[Path, typer.Option(help="The folder for shards and manifest.json.")],
    size: Annotated[Optional[int], typer.Option(min=1, help="Equations; the recipe's size by default.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 42,
    shard_size: Annotated[int, typer.Option(min=1, help="Equations a shard.")] = 100_000,
    workers: Annotated[int, typer.Option(min=1, help="Processes; the bytes are the same for any number.")] = 1,
    format: Annotated[str, typer.Option(help="jsonl, or parquet with the extra `data`.")] = "jsonl",
    json_: Json = False,
) -> None:
    """Write a mixture of equations as shards; interrupted and run again, it goes on."""
    from .mixture import Mixture
    from .shards import write_shards

    mixture = Mixture.read(recipe)
    total = size or mixture.size
    with progress_bar("equations", total) as step:
        manifest = write_shards(mixture, seed, out, total, shard_size, workers, format, step)
    if json_:
        emit(manifest)
    else:
        print(f"{total} equations in {len(manifest['shards'])} shards and manifest.json in {out}")


@app.command()
def train(
    recipe: Annotated[str, typer.Argument(help="A training recipe's YAML file, or a packaged one.")],
    out: Annotated[Path, typer.Option(help="The checkpoint folder; a run that was interrupted there goes on.")],
    steps: Annotated[Optional[int], typer.Option(min=1, help="As many steps instead of the recipe's.")] = None,
    json_: Json = False,
) -> None:
    """Train a model with transformers' Trainer (the extra `train`)."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        raise ProblemError("train: torch and transformers are missing; pip install 'revorder[train]'") from None
    from .train import train as run

    with redirect_stdout(sys.stderr):  # what is said along the way
        made = run(recipe, out, steps)
    if json_:
        emit({"checkpoint": str(made), **json.loads((made / "revorder.json").read_text())})
    else:
        print(made)


if __name__ == "__main__":
    main()
