"""Shards: a mixture written to files with a manifest; the bytes are the same for any number of workers.

A shard is written whole or not at all. An interrupted run resumes, and keeps the shards that are complete.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from revorder.errors import ProblemError, needs
from revorder.files import digest, make_folder, write_whole, written_whole
from revorder.helpers import Helpers
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.views import VIEWS
from revorder.provenance import __version__

FORMATS = ("jsonl", "parquet")
MANIFEST = "manifest.json"
PROGRESS = "manifest.partial.json"
STALE = 60  # seconds without a write after which a temporary file is abandoned
MAX_SHARDS = 99_999  # so that names with five digits sort in order


class Run(NamedTuple):
    """The shards to write: examples 0 to `size` of a mixture, as rows of a view.

    Attributes:
        mixture: the mixture.
        seed: the seed of the examples.
        out: the folder of the shards.
        size: the number of examples.
        shard_size: the examples in a shard; the last shard may have fewer.
        format: `jsonl` or `parquet`.
        view: the name of a view (revorder.mixtures.views.VIEWS).
    """

    mixture: Mixture
    seed: int
    out: str | Path
    size: int
    shard_size: int = 100_000
    format: str = "jsonl"
    view: str = "trace"


class Job(NamedTuple):
    """A shard to write: the examples of a run from `start` to `stop`."""

    run: Run
    start: int
    stop: int
    file: Path


def write_shards(run: Run, workers: int = 1, progress: Callable[[int], None] = lambda done: None) -> dict[str, Any]:
    """Write a run's shards and return the manifest, which has each shard's sha256. Existing shards are kept.

    Args:
        run: the shards to write.
        workers: the number of processes.
        progress: called with the number of further examples that are done.

    Raises:
        ProblemError: if the folder holds another run, a library is missing, or a worker was stopped.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [shard["rows"] for shard in write_shards(Run(Mixture.read("small"), 42, folder, 25, 10))["shards"]]
    [10, 10, 5]
    """
    if workers < 1:
        raise ProblemError(f"workers is {workers}; accepted: at least 1")
    out = Path(run.out)
    spec, jobs, noted = claim_folder(run)
    sweep(out, run.mixture)
    shards = known_shards(jobs, noted)
    write_whole(out / PROGRESS, json.dumps(spec, indent=2))
    (out / MANIFEST).unlink(missing_ok=True)  # written again once all of its shards exist

    def landed(shard: dict[str, Any]) -> None:
        shards[shard["file"]] = shard
        progress(shard["rows"])

    progress(sum(shard["rows"] for shard in shards.values()))
    missing = [job for job in jobs if job.file.name not in shards]
    if workers > 1 and len(missing) > 1:
        in_processes(missing, min(workers, len(missing)), landed)
    else:
        for job in missing:
            landed(write_shard(job))
    if len(shards) < len(jobs):
        raise ProblemError(
            f"a worker was stopped, and {len(jobs) - len(shards)} shards are missing; run again to resume"
        )
    manifest = {**spec, "shards": [shards[name] for name in sorted(shards)]}
    write_whole(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    (out / PROGRESS).unlink(missing_ok=True)
    return manifest


def plan_shards(run: Run) -> tuple[dict[str, Any], list[Job]]:
    """Return a run's manifest without its shards, and the shards to write; raises ProblemError for an invalid run.

    >>> [(job.start, job.stop) for job in plan_shards(Run(Mixture.read("small"), 42, "folder", 25, 10))[1]]
    [(0, 10), (10, 20), (20, 25)]
    """
    mixture, seed, out, size, shard_size, format, view = run
    for what, number in (("size", size), ("shard_size", shard_size)):
        if number < 1:
            raise ProblemError(f"{what} is {number}; accepted: at least 1")
    if (count := -(-size // shard_size)) > MAX_SHARDS:
        raise ProblemError(
            f"shard_size is {shard_size}, of {size} examples; accepted: one that makes up to {MAX_SHARDS:,} shards"
        )
    if format not in FORMATS:
        raise ProblemError(f"format {format!r} is unknown; accepted: {', '.join(FORMATS)}")
    if view not in VIEWS:
        raise ProblemError(f"view {view!r} is unknown; accepted: {', '.join(VIEWS)}")
    if format == "parquet":
        with needs("format 'parquet'", "data"):
            import pyarrow  # noqa: F401
    spec = {
        "mixture": mixture.model_dump(mode="json"),
        "seed": seed,
        "size": size,
        "shard_size": shard_size,
        "format": format,
        "version": __version__,
    } | ({"view": view} if view != "trace" else {})
    jobs = []
    for i in range(count):
        file = Path(out) / f"{mixture.name}-{i:05d}-of-{count:05d}.{format}"
        jobs.append(Job(run, i * shard_size, min(size, (i + 1) * shard_size), file))
    return spec, jobs


def claim_folder(run: Run) -> tuple[dict[str, Any], list[Job], dict[str, str]]:
    """Claim a folder for a run; return the plan, and the sha256 of each shard in the folder's manifest.

    Raises ProblemError for an invalid run, and if the folder holds another run.
    """
    spec, jobs = plan_shards(run)
    out = Path(run.out)
    noted = noted_shards(out, spec)
    if noted is None:
        make_folder(out)
        if there := [job.file.name for job in jobs if job.file.exists()]:
            raise ProblemError(f"folder {str(out)!r} holds {there[0]}, but no run; choose a new folder")
        write_whole(out / PROGRESS, json.dumps(spec, indent=2))
    return spec, jobs, noted or {}


def write_part(run: Run, rank: int, world_size: int) -> Iterator[Job]:
    """Write shard `rank` of a run, and every `world_size`-th shard after it; yield each of them.

    The run's folder must be claimed, and may be shared by several machines. Existing shards are kept. Raises
    ProblemError if the folder is missing, or holds another run, such as a run of another version.
    """
    spec, jobs = plan_shards(run)
    if noted_shards(Path(run.out), spec) is None:
        raise ProblemError(f"folder {str(run.out)!r} holds no run; give a folder that all machines share")
    for job in jobs[rank::world_size]:
        if not job.file.exists():
            write_shard(job)
        yield job


def sweep(out: Path, mixture: Mixture) -> None:
    """Remove the partial files of a stopped run, except files that another process may be writing."""
    for pattern in (f".{mixture.name}-*-of-*.*.*", ".manifest*.json.*"):
        for left in out.glob(pattern):
            with suppress(FileNotFoundError):  # another process has completed it
                if time.time() - left.stat().st_mtime > STALE:
                    left.unlink()


def noted_shards(out: Path, spec: dict[str, Any]) -> dict[str, str] | None:
    """Return the sha256 of each shard in a folder's manifest, which may have none yet; None if the folder has no run.

    Raises ProblemError if the folder's run has another spec.
    """
    for name in (MANIFEST, PROGRESS):
        if (out / name).exists():
            try:
                before = json.loads((out / name).read_text(encoding="utf-8"))
                noted = {shard["file"]: shard["sha256"] for shard in before.pop("shards", [])}
            except (ValueError, KeyError, AttributeError, TypeError):
                raise ProblemError(f"folder {str(out)!r}: its {name} can't be read; choose a new folder") from None
            different = sorted(key for key in spec.keys() | before.keys() if before.get(key) != spec.get(key))
            if different:
                raise ProblemError(
                    f"folder {str(out)!r} holds a run with another {', '.join(different)}; choose a new folder"
                )
            return noted
    return None


def known_shards(jobs: list[Job], noted: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return the manifest entries of existing shards by file name; remove shards that are truncated or changed."""
    shards = {}
    for job in jobs:
        if job.file.exists():
            shard = shard_entry(job)
            if noted[job.file.name] == shard["sha256"] if job.file.name in noted else is_whole(job):
                shards[job.file.name] = shard
            else:
                job.file.unlink()
    return shards


def is_whole(job: Job) -> bool:
    """Whether a shard that is in no manifest can be read and has all of its rows."""
    try:
        if job.run.format == "parquet":
            import pyarrow.parquet

            return pyarrow.parquet.read_table(job.file).num_rows == job.stop - job.start
        with job.file.open(encoding="utf-8") as lines:
            rows = [bool(json.loads(line)) and line.endswith("\n") for line in lines]
        return all(rows) and len(rows) == job.stop - job.start
    except (OSError, ValueError):  # pyarrow's errors are ValueErrors or OSErrors
        return False


def in_processes(jobs: list[Job], workers: int, landed: Callable[[dict[str, Any]], None]) -> None:
    """Write shards in several processes; if one of them is stopped, return before all are written."""
    helpers = Helpers(workers)
    try:
        for shard in as_completed([helpers.submit(write_shard, job) for job in jobs]):
            landed(shard.result())
    except BrokenProcessPool:
        pass
    finally:
        helpers.shutdown(cancel_futures=True)  # shards that are begun are completed


def write_shard(job: Job) -> dict[str, Any]:
    """Write one shard and return its entry in the manifest."""
    run, start, stop, path = job
    view, examples = VIEWS[run.view], sampler(run.mixture).examples(run.seed, start, stop)
    rows = (view(example, run.mixture) for example in examples)
    with written_whole(path) as temporary:
        if run.format == "jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                for row in rows:
                    file.write(json.dumps(row) + "\n")
        else:
            import pyarrow
            import pyarrow.parquet

            table = pyarrow.Table.from_pylist(list(rows))
            pyarrow.parquet.write_table(table, temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())  # so that a file of that name is whole, even if the machine stops
    return shard_entry(job)


def shard_entry(job: Job) -> dict[str, Any]:
    """Return the manifest entry of a written shard."""
    return {"file": job.file.name, "rows": job.stop - job.start, "sha256": digest(job.file)}
