"""revorder reproduce: the paper's tables and figures."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Json, say, tell
from revorder.errors import ProblemError
from revorder.processes import is_first_process, wait_passively

RESULTS = Path("results")


def command(
    names: Annotated[Optional[list[str]], typer.Argument(help="Experiments; by default all of the preset.")] = None,
    preset: Annotated[
        Optional[str],
        typer.Option(
            help=(
                "smoke: tiny models, a minute or two for all; cpu: models that two cores train; gpu: models of the"
                " paper's size."
            ),
            show_default="cpu",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder of the results; experiments with results are not run again.")
    ] = RESULTS,
    check: Annotated[
        bool, typer.Option("--check", help="Judge the texts in --out again, and compare the docs.")
    ] = False,
    docs: Annotated[
        Optional[list[Path]], typer.Option(help="--check: these pages of the docs, or folders of pages.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Only name the experiments.")] = False,
    json_: Json = False,
) -> None:
    """Reproduce the paper's tables and figures, each from its own settings; `revorder report DIR` makes the page.

    The exit status is 1 if --check finds a difference.
    """
    wait_passively()
    from revorder.reproduce import EXPERIMENTS
    from revorder.reproduce.experiment import PRESETS
    from revorder.reproduce.harness import perform

    if preset and preset not in PRESETS:
        raise ProblemError(f"preset {preset!r}: accepted: {', '.join(PRESETS)}")
    if unknown := [name for name in names or [] if name not in EXPERIMENTS]:
        raise ProblemError(f"experiment {unknown[0]!r} is unknown; accepted: {', '.join(EXPERIMENTS)}")
    if docs and not check:
        raise ProblemError(f"docs {str(docs[0])!r} are compared by --check; pass both")
    if check:
        if names:
            raise ProblemError(f"experiment {names[0]!r}: --check judges everything in --out; drop the name")
        if preset:
            raise ProblemError(f"preset {preset!r}: --check judges everything in --out; drop --preset")
        print_differences(out, docs or [], json_)
    preset = preset or "cpu"
    chosen = [EXPERIMENTS[name] for name in names or EXPERIMENTS]
    failed: list[str] = []
    first = is_first_process()  # of torchrun's processes, the one that prints
    for experiment in chosen:
        if list_:
            about = {"experiment": experiment.name, "shows": experiment.shows, "title": experiment.title}
            tell("{experiment}: {shows}, {title}".format(**about), about, json_)
            continue
        try:
            with redirect_stdout(sys.stderr):
                folder = perform(experiment, preset, out, say if first else lambda line: None)
        except ProblemError as error:
            if names:
                raise
            failed.append(experiment.name)
            say(str(error))
            continue
        if first:
            tell(folder, {"experiment": experiment.name, "folder": str(folder)}, json_)
    if failed:
        raise ProblemError(f"{', '.join(failed)}: not run, for the reasons above; give what each of them needs")


def print_differences(out: Path, docs: list[Path], json_: bool) -> None:
    """Print the differences from the stored results; exit with status 1 if there are any."""
    from revorder.reproduce.check import check

    count = 0
    for difference in check(out, docs):
        count += 1
        tell(f"{difference.where}: {difference.what}", asdict(difference), json_)
    if not json_:
        print(f"differences: {count}" if count else "every stored result agrees with the docs")
    raise typer.Exit(int(count > 0))
