"""revorder data: a mixture of equations as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Json, Progress, packaged, tell


def command(
    mixture: Annotated[
        str,
        typer.Argument(help=f"A mixture's YAML file, or a packaged one: {packaged('mixtures')}."),
    ],
    out: Annotated[Path, typer.Option(help="The folder for shards and manifest.json.")],
    size: Annotated[Optional[int], typer.Option(min=1, help="Equations; the mixture's size by default.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 42,
    shard_size: Annotated[int, typer.Option(min=1, help="Equations in a shard.")] = 100_000,
    workers: Annotated[int, typer.Option(min=1, help="Processes; the bytes are the same for any number.")] = 1,
    view: Annotated[
        str, typer.Option(help="The kind of row: trace, prompt_completion, messages, or steps with labels.")
    ] = "trace",
    format: Annotated[str, typer.Option(help="jsonl, or parquet, which needs pyarrow.")] = "jsonl",
    json_: Json = False,
) -> None:
    """Write a mixture of equations as a dataset folder with a card; the same command resumes an interrupted run."""
    from revorder.mixtures.dataset_card import write_card
    from revorder.mixtures.mixture import Mixture
    from revorder.mixtures.shards import Run, write_shards

    drawn = Mixture.read(mixture)
    total = size or drawn.size
    with Progress("equations", total) as progress:
        manifest = write_shards(Run(drawn, seed, out, total, shard_size, format, view), workers, progress.advance)
    write_card(out, manifest)
    shards = f"{(count := len(manifest['shards']))} shard{'s' * (count != 1)}"
    tell(f"{total} equations in {shards} and manifest.json in {out}", manifest, json_)
