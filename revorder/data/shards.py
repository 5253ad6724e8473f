"""Shards: a mixture written to files that are the same bytes for any number of workers, with a manifest.

A shard is written whole or not at all. A run that was interrupted goes on: shards that are there and whole are kept.
"""

from __future__ import annotations

import json
import multiprocessing
import multiprocessing.connection
import multiprocessing.process
import multiprocessing.resource_tracker
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from revorder.data.mixture import Mixture
from revorder.data.sampling import sampler
from revorder.data.views import VIEWS
from revorder.errors import ProblemError
from revorder.files import digest, make_folder, write_whole

FORMATS = ("jsonl", "parquet")
MANIFEST = "manifest.json"
PROGRESS = "manifest.partial.json"
MAX_SHARDS = 99_999  # so that names of five digits are in order


class Job(NamedTuple):
    """A shard to write: the examples from `start` to `stop` as rows of a view."""

    mixture: Mixture
    seed: int
    start: int
    stop: int
    file: str
    format: str
    view: str = "trace"


def write_shards(
    mixture: Mixture,
    seed: int,
    out: str | Path,
    size: int,
    shard_size: int = 100_000,
    workers: int = 1,
    format: str = "jsonl",
    progress: Callable[[int], None] | None = None,
    view: str = "trace",
) -> dict[str, Any]:
    """Write `size` examples in shards of `shard_size` and return the manifest, which names each shard's sha256.

    A row is what the view makes of an example (revorder.data.views.VIEWS). `progress` is called with the number of
    examples done. Raises ProblemError where the folder holds another run, or a library is missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [shard["rows"] for shard in write_shards(Mixture.read("small"), 42, folder, 25, 10)["shards"]]
    [10, 10, 5]
    """
    for what, number in (("size", size), ("shard_size", shard_size), ("workers", workers)):
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
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ProblemError("format 'parquet': pyarrow is missing; pip install pyarrow") from None
    from revorder import __version__

    out = Path(out)
    spec = json.loads(
        json.dumps(
            {
                "mixture": mixture.model_dump(mode="json"),
                "seed": seed,
                "size": size,
                "shard_size": shard_size,
                "format": format,
                "version": __version__,
            }
            | ({"view": view} if view != "trace" else {})
        )
    )
    done = known_shards(out, spec)
    make_folder(out)
    sweep(out, mixture)
    write_whole(out / PROGRESS, json.dumps({**spec, "shards": done}, indent=2))
    jobs = []
    shards: dict[str, dict[str, Any]] = {shard["file"]: shard for shard in done}
    (out / MANIFEST).unlink(missing_ok=True)  # it comes back when all it names is there
    for i in range(count):
        name = f"{mixture.name}-{i:05d}-of-{count:05d}.{format}"
        start, stop = i * shard_size, min(size, (i + 1) * shard_size)
        if name in shards and progress:
            progress(stop - start)
        if name not in shards:
            jobs.append(Job(mixture, seed, start, stop, str(out / name), format, view))

    def landed(shard: dict[str, Any]) -> None:
        shards[shard["file"]] = shard
        write_whole(out / PROGRESS, json.dumps({**spec, "shards": list(shards.values())}, indent=2))
        if progress:
            progress(shard["rows"])

    try:
        if workers > 1 and len(jobs) > 1:
            in_processes(jobs, min(workers, len(jobs)), landed)
        else:
            for job in jobs:
                landed(write_shard(job))
    finally:
        sweep(out, mixture)
    if len(shards) < count:
        raise ProblemError(f"{count - len(shards)} shards are not written, a worker was stopped; run again to go on")
    manifest = {**spec, "shards": [shards[name] for name in sorted(shards)]}
    write_whole(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    (out / PROGRESS).unlink()
    return manifest


def sweep(out: Path, mixture: Mixture) -> None:
    """Remove what a stopped run left half-written."""
    for pattern in (f".{mixture.name}-*-of-*.*.*", ".manifest*.json.*"):
        for left in out.glob(pattern):
            left.unlink(missing_ok=True)


def known_shards(out: Path, spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The shards of an earlier run of the same spec that are there and whole; raises ProblemError for another spec."""
    for name in (MANIFEST, PROGRESS):
        if (out / name).exists():
            try:
                before = json.loads((out / name).read_text())
                shards = [(shard, shard["file"], shard["sha256"]) for shard in before.pop("shards")]
            except (ValueError, KeyError, AttributeError, TypeError):
                raise ProblemError(f"folder {str(out)!r}: its {name} can't be read; accepted: a new folder") from None
            different = sorted(key for key in spec.keys() | before.keys() if before.get(key) != spec.get(key))
            if different:
                raise ProblemError(
                    f"folder {str(out)!r} holds a run with another {', '.join(different)}; accepted: a new folder"
                )
            return [shard for shard, file, sha in shards if (out / file).exists() and digest(out / file) == sha]
    return []


def in_processes(jobs: list[Job], workers: int, landed: Callable[[dict[str, Any]], None]) -> None:
    """Write shards in so many processes, a pipe to each: with no lock between them, any may be stopped at any time."""
    context = multiprocessing.get_context("spawn")
    processes: list[multiprocessing.process.BaseProcess] = []
    pipes: list[Any] = []
    try:
        for i in range(workers):
            pipe, end = context.Pipe(duplex=False)
            process = context.Process(target=write_many, args=(jobs[i::workers], end), daemon=True)
            with interrupts_blocked():
                process.start()
            processes.append(process)
            pipes.append(pipe)
            end.close()
        while pipes:
            ready: list[Any] = multiprocessing.connection.wait(pipes)
            for pipe in ready:
                try:
                    shard = pipe.recv()
                except EOFError:
                    pipes.remove(pipe)
                    continue
                if isinstance(shard, Exception):
                    raise shard
                landed(shard)
    finally:
        for process in processes:
            process.terminate()
            process.join()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Ctrl-C waits until this ends, and never reaches a process that is started here; nothing on Windows."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    multiprocessing.resource_tracker.ensure_running()  # the first process would start it, and that ends the blocking
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def write_many(jobs: list[Job], end: Any) -> None:
    """Write shard after shard, and send each one's entry, or what went wrong; stops where the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Windows too; the parent is told, and stops this process
    try:
        for job in jobs:
            try:
                entry: dict[str, Any] | Exception = write_shard(job)
            except Exception as error:
                entry = error
            end.send(entry)
            if isinstance(entry, Exception):
                return
    except (BrokenPipeError, ConnectionResetError):
        pass  # nobody is left to tell


def write_shard(job: Job) -> dict[str, Any]:
    """Write one shard and return its entry in the manifest."""
    mixture, seed, start, stop, name, format, view = job
    path = Path(name)
    rows = (VIEWS[view](example, mixture) for example in sampler(mixture).examples(seed, start, stop))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if format == "jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                for row in rows:
                    file.write(json.dumps(row) + "\n")
        else:
            import pyarrow
            import pyarrow.parquet

            table = pyarrow.Table.from_pylist(list(rows))
            pyarrow.parquet.write_table(table, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return {"file": path.name, "rows": stop - start, "sha256": digest(path)}
