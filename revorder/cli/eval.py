"""revorder eval: a suite, written by a checkpoint or a server's model, judged and scored."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional
from urllib.parse import urlsplit

import typer

from revorder.arithmetic.problem import OPS
from revorder.cli.common import Json, Model, Progress, Wide, emit, say, show_table
from revorder.cli.report import Errors, print_report, write_report
from revorder.errors import ProblemError
from revorder.evaluation.suites import SUITES, Draw, Tasks, find_suite, fingerprint, split_covered, suite_tasks
from revorder.files import digest
from revorder.model.checkpoint import DEFAULT

if TYPE_CHECKING:
    from revorder.evaluation.runner import Writer

SERVER = "A model behind a server"
DRAW = "What is drawn"
REPLY_TOKENS = 1024


def command(
    suite: Annotated[
        str,
        typer.Argument(
            help="; ".join(f"{name}: {suite.tasks.__doc__}" for name, suite in SUITES.items())
            + "; gsm8k: word problems, solved in a file of --solutions."
        ),
    ],
    more_ops: Annotated[Optional[list[str]], typer.Argument(metavar="[OPS]...", help="More operations.")] = None,
    model: Model = None,
    out: Annotated[
        Optional[Path],
        typer.Option(help="A JSONL file for every problem, trace and verdict; a table beside it in .md. Resumes."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Run again what is in that file.")] = False,
    errors: Errors = False,
    wide: Wide = False,
    json_: Json = False,
    ops: Annotated[
        Optional[str], typer.Option(help="Operations, such as '+ -'; all if none.", rich_help_panel=DRAW)
    ] = None,
    n: Annotated[
        Optional[int],
        typer.Option("--n", min=1, help="Problems a task; 1000 if none, all for hard.", rich_help_panel=DRAW),
    ] = None,
    seed: Annotated[
        Optional[int], typer.Option(help="The seed; the suite's own if none.", rich_help_panel=DRAW)
    ] = None,
    data: Annotated[
        Optional[str],
        typer.Option(
            help="BIG-bench's folder, or a Hugging Face dataset; $REVORDER_DATA names the folder too.",
            rich_help_panel=DRAW,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what the checkpoint was not trained for.", rich_help_panel=DRAW)
    ] = False,
    solutions: Annotated[
        Optional[Path],
        typer.Option(help="gsm8k: a JSONL file of solutions beside the right ones.", rich_help_panel=DRAW),
    ] = None,
    base_url: Annotated[
        Optional[str],
        typer.Option(
            help="An OpenAI-compatible server, such as http://localhost:8000/v1; --model is its name there.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    method: Annotated[
        Optional[str],
        typer.Option(
            help="How it is asked and judged; plain, the default: the answer only. Also for a --model that was not fine-tuned here.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    shots: Annotated[
        Optional[int], typer.Option(min=0, help="Worked examples in the prompt; 0 if none.", rich_help_panel=SERVER)
    ] = None,
    api: Annotated[
        Optional[str], typer.Option(help="chat, the default, or completions.", rich_help_panel=SERVER)
    ] = None,
    max_tokens: Annotated[
        Optional[int],
        typer.Option(
            min=1, help=f"Tokens that a reply may always have; {REPLY_TOKENS} if none.", rich_help_panel=SERVER
        ),
    ] = None,
    timeout: Annotated[
        Optional[float],
        typer.Option(min=0.01, help="Seconds that it may be silent; 60 if none.", rich_help_panel=SERVER),
    ] = None,
) -> None:
    """Score a checkpoint, or a model behind a server: exact match with 95% intervals, beside the paper's Table 1.

    Exit status 1 where a wrong answer was verified.
    """
    from revorder.evaluation.runner import finished, partial_of, run

    if (suite == "gsm8k") != (solutions is not None):
        raise ProblemError(f"suite {suite!r}: accepted: gsm8k with --solutions, any other without")
    if solutions:
        drawn = {"model": model, "out": out, "ops": ops or more_ops, "n": n, "seed": seed, "data": data}
        if others := [name for name, value in (drawn | {"base_url": base_url}).items() if value is not None]:
            raise ProblemError(f"{', '.join(others)}: nothing is run with --solutions; accepted: --wide, --json")
        return score_solutions_file(solutions, wide, json_)
    if suite.endswith(".jsonl"):
        raise ProblemError(f"suite {suite!r}: a file of results; accepted: revorder report {suite}")
    if out and out.suffix != ".jsonl":
        raise ProblemError(f"out {str(out)!r}: accepted: a name that ends in .jsonl")
    server = {"method": method, "shots": shots, "api": api, "max_tokens": max_tokens, "timeout": timeout}
    server = {name: value for name, value in server.items() if value is not None}
    asked_here = model and "method" in server and server.keys() <= {"method", "shots", "max_tokens"}
    if server and base_url is None and not asked_here:
        raise ProblemError(f"{', '.join(server)}: of a server; accepted: together with --base-url")
    chosen = find_suite(suite)
    writer, reply_tokens, written_by = open_writer(model, base_url, server)
    sureness = getattr(writer, "sureness", None)
    draw = Draw(read_ops(ops, more_ops), n or chosen.n, chosen.seed if seed is None else seed, data, say, sureness)
    tasks = suite_tasks(suite, draw)
    if not (everything or chosen.untrained):
        tasks = trained_tasks(suite, writer, tasks)
    settings = {"suite": suite, "ops": draw.ops, "n": draw.n, "seed": draw.seed, "problems": fingerprint(tasks)}
    settings |= written_by
    if out and overwrite:
        for path in (out, partial_of(out)):
            path.unlink(missing_ok=True)
    results = finished(out, settings) if out else None
    if results is None:
        with Progress("problems", sum(map(len, tasks.values()))) as progress:
            results = run(writer, tasks, out, settings, reply_tokens, progress.advance)
    else:
        say(f"{out} holds this run already; accepted: --overwrite to run it again")
    if out:
        write_report(out.with_suffix(".md"), results, errors)
    raise typer.Exit(print_report(results, errors, wide, json_))


def score_solutions_file(path: Path, wide: bool, json_: bool) -> None:
    """Print the scores of a file of GSM8K solutions, and what went wrong first."""
    from revorder.evaluation import gsm8k

    scores = gsm8k.score_solutions(gsm8k.read_solutions(path))
    if json_:
        for score in scores:
            emit(asdict(score))
        return
    show_table(*gsm8k.table(scores, wide or not sys.stdout.isatty()), wide=wide)
    show_table(*gsm8k.errors_table(scores), wide=wide)


def read_ops(ops: str | None, more: list[str] | None) -> str:
    """Operations named in any way, `+ -`, `+-`, `+,-`; all of them where none is.

    >>> read_ops("-,+", ["/"]), read_ops(None, None)
    ('+-/', '+-*/')
    """
    if ops is None and not more:
        return OPS
    named = "".join([ops or "", *(more or [])]).replace(",", "").replace(" ", "")
    if not named or any(op not in OPS for op in named):
        raise ProblemError(f"ops {' '.join([ops or '', *(more or [])]).strip()!r}: accepted: some of + - * /")
    return "".join(op for op in OPS if op in named)


def open_writer(model: str | None, base_url: str | None, server: dict[str, Any]) -> tuple[Writer, int, dict[str, Any]]:
    """What is asked, the tokens that a text of it may always have, and what its texts depend on."""
    if base_url is None and server:
        from revorder.inference.transformers_runtime import TransformersRuntime

        asked = {"method": server["method"], "shots": server.get("shots", 0)}
        tokens = server.get("max_tokens", REPLY_TOKENS)
        return TransformersRuntime(str(model), **asked), tokens, {"model": model, "max_tokens": tokens} | asked
    if base_url is None:
        from revorder.inference.solver import load_runtime

        runtime = load_runtime(model)
        weights = "".join(digest(path)[:12] for path in sorted(runtime.folder.glob("*.safetensors")))
        return runtime, 0, {"model": model or DEFAULT, "weights": weights}
    from revorder.inference.openai_server import Endpoint

    if not model:
        raise ProblemError("model: missing; accepted: the name under which the server has it")
    tokens = server.pop("max_tokens", REPLY_TOKENS)
    endpoint = Endpoint(base_url, model, **server)
    url = urlsplit(base_url)
    place = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"  # without a password in it
    asked = {"method": endpoint.info.method, "shots": endpoint.shots, "api": endpoint.api, "max_tokens": tokens}
    return endpoint, tokens, {"model": model, "base_url": place} | asked


def trained_tasks(suite: str, writer: Writer, tasks: Tasks) -> Tasks:
    """The tasks that the model was trained for; says which are left out, raises ProblemError where all are."""
    kept, others = split_covered(writer.info, tasks)
    if others:
        left_out = f"left out, beyond what the model was trained on: {', '.join(others)}"
        if not kept:
            raise ProblemError(f"suite {suite!r}: all {left_out}; accepted: --all to run it all the same")
        say(left_out)
    return kept
