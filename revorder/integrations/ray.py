"""Ray Data: the rows of a mixture as a Dataset, and its shards written by the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revorder.errors import ProblemError, needs
from revorder.mixtures import shards
from revorder.mixtures.dataset_card import write_card
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.shards import Run, claim_folder, write_part
from revorder.mixtures.streaming import ranges, rows
from revorder.mixtures.views import find_view

if TYPE_CHECKING:
    from ray.data import Dataset


def dataset(
    mixture: Mixture, seed: int = 42, size: int | None = None, view: str = "trace", blocks: int = 1024
) -> Dataset:
    """Return the examples 0 to `size` of a mixture, by default its own size, as rows of a view, drawn as they are read.

    Workers share up to `blocks` ranges of examples. Raises ProblemError for bad arguments, or if Ray is missing.
    """
    size = mixture.size if size is None else size
    for what, number in (("size", size), ("blocks", blocks)):
        if number < 1:
            raise ProblemError(f"{what} is {number}; accepted: at least 1")
    found = find_view(view)
    parts = ranges(size, blocks)
    indices = ray_data().range(len(parts), override_num_blocks=len(parts))
    return indices.flat_map(lambda row: rows(mixture, seed, found, [parts[row["id"]]]))


def write_shards(run: Run) -> dict[str, Any]:
    """Write a run's shards, each by a task of the cluster, then the manifest and the card, and return the manifest.

    All machines of the cluster must share the folder. Raises ProblemError like revorder.mixtures.shards.write_shards,
    and if Ray is missing.
    """
    data = ray_data()
    count = len(claim_folder(run)[1])

    def write(row: dict[str, Any]) -> dict[str, Any]:
        for _ in write_part(run, row["id"], count):
            pass
        return row

    data.range(count, override_num_blocks=count).map(write).materialize()
    manifest = shards.write_shards(run)  # checks each shard, and notes its digest
    write_card(run.out, manifest)
    return manifest


def ray_data() -> Any:
    """Import Ray Data; raises ProblemError if it is missing."""
    with needs("revorder.integrations.ray", "ray"):
        import ray.data
    return ray.data
