"""revorder eval: a suite, written by a checkpoint or a server's model, judged and scored."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from revorder.arithmetic.problem import OPS
from revorder.cli.common import Json, Model, Wide, given, run_once, say
from revorder.cli.gsm8k import score_file, solve_problems
from revorder.cli.report import Errors, print_report
from revorder.errors import ProblemError
from revorder.evaluation.suites import SUITES, Draw, Tasks, find_suite, hash_of, split_covered, suite_tasks
from revorder.files import weights_digest
from revorder.model.checkpoint import DEFAULT, INFO_FILE, CheckpointInfo, checkpoint

if TYPE_CHECKING:
    from revorder.evaluation.runner import Writer
    from revorder.evaluation.word_problems.solving import Completer
    from revorder.inference.openai_server import Endpoint

SERVER = "A model behind a server"
DRAW = "What is drawn"
WORDS = "Word problems"
REPLY_TOKENS = 1024


def command(
    suite: Annotated[
        str,
        typer.Argument(
            help="; ".join(f"{name}: {suite.tasks.__doc__}" for name, suite in SUITES.items())
            + "; gsm8k: its test set, solved by a --model, or in a file of --solutions."
        ),
    ],
    ops: Annotated[
        Optional[list[str]], typer.Argument(metavar="[OPS]...", help="Operations, such as + -; all if none.")
    ] = None,
    model: Model = None,
    out: Annotated[
        Optional[Path],
        typer.Option(help="A JSONL file for every problem, trace and verdict; a table beside it in .md. Resumes."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Run again what is in that file.")] = False,
    errors: Errors = False,
    wide: Wide = False,
    json_: Json = False,
    n: Annotated[
        Optional[int],
        typer.Option("--n", min=1, help="Problems a task; 1000 if none, all for hard and gsm8k.", rich_help_panel=DRAW),
    ] = None,
    seed: Annotated[
        Optional[int], typer.Option(help="The seed; the suite's own if none.", rich_help_panel=DRAW)
    ] = None,
    data: Annotated[
        Optional[str],
        typer.Option(
            help="BIG-bench's or GSM8K's folder, or a Hugging Face dataset; $REVORDER_DATA names the folder too.",
            rich_help_panel=DRAW,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what the checkpoint was not trained for.", rich_help_panel=DRAW)
    ] = False,
    solutions: Annotated[
        Optional[Path],
        typer.Option(help="gsm8k: a JSONL file of solutions beside the right ones.", rich_help_panel=WORDS),
    ] = None,
    batch: Annotated[
        Optional[int],
        typer.Option(min=1, help="gsm8k: problems that are solved at once; 64 if none.", rich_help_panel=WORDS),
    ] = None,
    device: Annotated[
        Optional[str],
        typer.Option(help="gsm8k: such as cpu or cuda:1; a GPU if there is one.", rich_help_panel=WORDS),
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
            min=1,
            help=f"Tokens that a reply may always have; {REPLY_TOKENS} if none, 512 for gsm8k.",
            rich_help_panel=SERVER,
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
    from revorder.evaluation.runner import run

    if suite.endswith(".jsonl"):
        raise ProblemError(f"suite {suite!r}: a file of results; accepted: revorder report {suite}")
    if out and out.suffix != ".jsonl":
        raise ProblemError(f"out {str(out)!r}: accepted: a name that ends in .jsonl")
    server = given(method=method, shots=shots, api=api, max_tokens=max_tokens, timeout=timeout)
    if suite == "gsm8k":
        refuse(given(ops=ops, seed=seed, all=everything or None, method=method, shots=shots), suite)
        if solutions:
            asked = given(model=model, base_url=base_url, out=out, n=n, data=data, batch=batch, device=device)
            refuse(server | asked | given(overwrite=overwrite or None), "--solutions")
            return score_file(solutions, errors, wide, json_)
        if base_url is not None:
            refuse(given(batch=batch, device=device), "--base-url")
        from revorder.evaluation.word_problems.solving import load_problems

        problems = load_problems(data, n)
        solver, written_by = open_solver(model, base_url, server, batch, device)
        return solve_problems(solver, problems, written_by, out, overwrite, errors, wide, json_)
    refuse(given(solutions=solutions, batch=batch, device=device), suite)
    asked_here = model and "method" in server and server.keys() <= {"method", "shots", "max_tokens"}
    if server and base_url is None and not asked_here:
        raise ProblemError(
            f"{', '.join(server)}: of a server; accepted: together with --base-url, or method, shots and max_tokens with --model"
        )
    chosen = find_suite(suite)
    writer, written_by = open_writer(model, base_url, server)
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
    raise typer.Exit(print_report(results, errors, wide, json_, out and out.with_suffix(".md")))


def refuse(options: Iterable[str], where: str) -> None:
    """Raise ProblemError where there are any of these options, which do nothing there."""
    if options := ", ".join(options):
        raise ProblemError(f"{options}: not with {where}; accepted: {where} without")


def read_ops(named: list[str] | None) -> str:
    """Operations named in any way, `+ -`, `+-`, `+,-`; all of them where none is.

    >>> read_ops(["-,+", "/"]), read_ops(None)
    ('+-/', '+-*/')
    """
    if not named:
        return OPS
    ops = "".join(named).replace(",", "").replace(" ", "")
    if not ops or any(op not in OPS for op in ops):
        raise ProblemError(f"ops {' '.join(named)!r}: accepted: some of + - * /")
    return "".join(op for op in OPS if op in ops)


def open_writer(model: str | None, base_url: str | None, server: dict[str, Any]) -> tuple[Writer, dict[str, Any]]:
    """What is asked, and what its texts depend on: `max_tokens`, where a text may always have so many, among it."""
    if base_url is not None:
        return open_endpoint(model, base_url, server)
    if server:
        from revorder.inference.transformers_runtime import TransformersRuntime

        asked = {"method": server["method"], "shots": server.get("shots", 0)}
        tokens = {"max_tokens": server.get("max_tokens", REPLY_TOKENS)}
        folder = checkpoint(model)
        return TransformersRuntime(folder, **asked), identity(str(model), folder) | tokens | asked
    from revorder.inference.solver import load_runtime

    runtime = load_runtime(model)
    return runtime, identity(model or DEFAULT, runtime.folder)


def open_endpoint(model: str | None, base_url: str, server: dict[str, Any]) -> tuple[Endpoint, dict[str, Any]]:
    """The same for a server's model."""
    from revorder.inference.openai_server import Endpoint, without_password

    if not model:
        raise ProblemError("model: missing; accepted: the name under which the server has it")
    tokens = server.pop("max_tokens", REPLY_TOKENS)
    endpoint = Endpoint(base_url, model, **server)
    asked = {"method": endpoint.info.method, "shots": endpoint.shots, "api": endpoint.api, "max_tokens": tokens}
    return endpoint, {"model": model, "base_url": without_password(base_url)} | asked


def open_solver(
    model: str | None, base_url: str | None, server: dict[str, Any], batch: int | None, device: str | None
) -> tuple[Completer, dict[str, Any]]:
    """What solves word problems, and what its solutions depend on."""
    from revorder.evaluation.word_problems.solving import MAX_TOKENS
    from revorder.inference.transformers_runtime import BATCH, TransformersRuntime

    if not model:
        raise ProblemError(
            "gsm8k: no model; accepted: --model, a Hugging Face folder or name, or --solutions with a file"
        )
    tokens = server.setdefault("max_tokens", MAX_TOKENS)
    if base_url is not None:
        return open_endpoint(model, base_url, server)
    if others := server.keys() - {"max_tokens"}:
        raise ProblemError(f"{', '.join(sorted(others))}: of a server; accepted: together with --base-url")
    trained = (checkpoint(model) / INFO_FILE).exists()
    if trained and CheckpointInfo.load(checkpoint(model)).places:
        raise ProblemError(f"model {model!r} knows no text but equations; accepted for gsm8k: a language model")
    method = None if trained else "plain"  # which solutions have none of
    runtime = TransformersRuntime(model, method, batch=batch or BATCH, device=device)
    return runtime, identity(model) | {"max_tokens": tokens}


def identity(model: str, folder: Path | None = None) -> dict[str, str]:
    """A model's name and the digest of its weights, none for the Hub's."""
    return {"model": model, "weights": weights_digest(folder or Path(model))}


def trained_tasks(suite: str, writer: Writer, tasks: Tasks) -> Tasks:
    """The tasks that the model was trained for; says which are left out, raises ProblemError where all are."""
    kept, others = split_covered(writer.info, tasks)
    if others:
        left_out = f"left out, beyond what the model was trained on: {', '.join(others)}"
        if not kept:
            raise ProblemError(f"suite {suite!r}: all {left_out}; accepted: --all to run it all the same")
        say(left_out)
    return kept
