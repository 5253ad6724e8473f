"""revorder eval: score a checkpoint or a server's model on a suite."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from revorder.arithmetic.problem import OPS
from revorder.cli.common import Errors, Json, Model, Out, RunAgain, Wide, run_once, say
from revorder.cli.endpoint import Api, BaseUrl, Timeout, identity, open_endpoint
from revorder.cli.report import print_report
from revorder.errors import ProblemError, quote
from revorder.evaluation.suites import SUITES, Draw, Tasks, find_suite, hash_of, split_covered, suite_tasks
from revorder.model.checkpoint import DEFAULT, checkpoint
from revorder.reading.scanner import CUT

if TYPE_CHECKING:
    from revorder.evaluation.runner import Writer
    from revorder.evaluation.scores import Result

DRAW = "The problems"
PROBLEMS = "; ".join(["1000", *(f"{name}: {suite.n or 'all'}" for name, suite in SUITES.items() if suite.n != 1000)])
OTHER = "A model that was not trained here"


def command(
    suite: Annotated[
        str, typer.Argument(help="; ".join(f"{name}: {suite.tasks.__doc__}" for name, suite in SUITES.items()) + ".")
    ],
    ops: Annotated[
        Optional[list[str]], typer.Argument(metavar="OPS", help="Operations, such as + -; by default all.")
    ] = None,
    model: Model = None,
    out: Out = None,
    overwrite: RunAgain = False,
    errors: Errors = False,
    wide: Wide = False,
    json_: Json = False,
    n: Annotated[
        Optional[int],
        typer.Option(
            "--n",
            "-n",
            min=1,
            help="Problems of each task.",
            show_default=PROBLEMS,
            rich_help_panel=DRAW,
        ),
    ] = None,
    seed: Annotated[
        Optional[int], typer.Option(help="The seed.", show_default="the suite's own", rich_help_panel=DRAW)
    ] = None,
    data: Annotated[
        Optional[str],
        typer.Option(help="BIG-bench's folder; $REVORDER_DATA names it too.", rich_help_panel=DRAW),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Include tasks that the checkpoint was not trained for.", rich_help_panel=DRAW)
    ] = False,
    method: Annotated[
        Optional[str],
        typer.Option(
            help="The notation to ask for and to judge; plain is the answer only.",
            show_default="plain for a server",
            rich_help_panel=OTHER,
        ),
    ] = None,
    shots: Annotated[int, typer.Option(min=0, help="Worked examples in the prompt.", rich_help_panel=OTHER)] = 0,
    max_tokens: Annotated[
        int,
        typer.Option(
            min=1, help="The most tokens of a reply; raised if the right work needs more.", rich_help_panel=OTHER
        ),
    ] = 1024,
    base_url: BaseUrl = None,
    api: Api = "chat",
    timeout: Timeout = 60,
) -> None:
    """Score a checkpoint or a server's model on a suite: exact match with 95% intervals.

    The exit status is 1 if the judge verified a wrong answer, or if no reply of a server states an answer.

    --model also takes a Hugging Face model (a folder or a name on the Hub), with --method.

    Examples:
      revorder eval table1 -n 100 -o results.jsonl
      revorder eval extra + - --base-url http://localhost:8000/v1 -m NAME
    """
    from revorder.evaluation.runner import run

    if suite.endswith(".jsonl"):
        raise ProblemError(f"{suite!r} is a file of results; to score it: revorder report {suite}")
    chosen = find_suite(suite)
    if base_url is not None:
        asked = {"method": method or "plain", "shots": shots, "api": api, "timeout": timeout}
        writer, written_by = open_endpoint(model, base_url, max_tokens, **asked)
    else:
        writer, written_by = open_writer(model, method, shots, max_tokens)
    confidence = getattr(writer, "confidence", None)
    draw = Draw(read_ops(ops), n or chosen.n, chosen.seed if seed is None else seed, data, say, confidence)
    tasks = suite_tasks(suite, draw)
    if not (everything or chosen.untrained):
        tasks = trained_tasks(suite, writer, tasks)
    settings = {"suite": suite, "ops": draw.ops, "n": draw.n, "seed": draw.seed, "problems": hash_of(tasks)}
    settings |= written_by | {"method": writer.info.method, "form": writer.info.form}
    total = sum(map(len, tasks.values()))
    reply_tokens = written_by.get("max_tokens", 0)
    results = run_once(out, settings, overwrite, total, partial(run, writer, tasks, out, settings, reply_tokens))
    status = print_report(results, errors, wide, json_, out and out.with_suffix(".md"))
    if base_url is not None and (silence := why_silent(results, writer)):
        say(silence)
        status = 1
    raise typer.Exit(status)


def why_silent(results: Sequence[Result], writer: Any) -> str:
    """Return why no reply of a server states a number, or an empty string if one does.

    >>> why_silent([], None)
    ''
    """
    if not results or any(result.answer is not None for result in results):
        return ""
    replies = [result.reply or result.text.partition("=")[2] for result in results]
    if not (some := next((reply for reply in replies if reply.strip(f"{CUT} \n")), "")):
        if writer.reasoned:
            return "every reply is empty beside reasoning; give a larger --max-tokens, or turn reasoning off"
        return "every reply is empty; look at the server's log, or try another --api"
    method = writer.info.method
    hint = (
        "--method plain, or --shots 4"
        if method != "plain"
        else "--method lean"
        if "r|" in some
        else "a larger --max-tokens"
    )
    return f"no reply states an answer by method {method}, such as {quote(some)}; does this model want {hint}?"


def read_ops(named: list[str] | None) -> str:
    """Return the operations in `+ -`, `+-` or `+,-`; all of them for None.

    >>> read_ops(["-,+", "/"]), read_ops(None)
    ('+-/', '+-*/')
    """
    if not named:
        return OPS
    ops = "".join(named).replace(",", "").replace(" ", "")
    if not ops or any(op not in OPS for op in ops):
        raise ProblemError(f"ops {' '.join(named)!r}: accepted: some of + - * /")
    return "".join(op for op in OPS if op in ops)


def open_writer(model: str | None, method: str | None, shots: int, max_tokens: int) -> tuple[Writer, dict[str, Any]]:
    """Return the model, and the settings that its texts depend on."""
    if method or shots:
        from revorder.inference.transformers_runtime import TransformersRuntime

        folder = checkpoint(model)
        asked = {"method": method, "shots": shots}
        runtime = TransformersRuntime(folder, method, shots)
        return runtime, identity(model or DEFAULT, folder) | {"max_tokens": max_tokens} | asked
    from revorder.inference.solver import load_runtime

    runtime = load_runtime(model)
    return runtime, identity(model or DEFAULT, runtime.folder)


def trained_tasks(suite: str, writer: Writer, tasks: Tasks) -> Tasks:
    """Return the tasks that the model was trained for, and name the others; raises ProblemError if none is left."""
    kept, others = split_covered(writer.info, tasks)
    if others:
        left_out = f"left out, beyond what the model was trained on: {', '.join(others)}"
        if not kept:
            raise ProblemError(f"suite {suite!r}: all {left_out}; pass --all to run it all the same")
        say(left_out)
    return kept
