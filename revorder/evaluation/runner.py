"""The runner: a model writes every problem of a suite, the judge judges it, and each result is kept as it comes.

The first line of a file of results states the run, {"run": {...}}; each further line is a Result. The file is written
whole or not at all: until then the results are in `<name>.partial`, from which the same run resumes.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from revorder.arithmetic.problem import Problem
from revorder.errors import ProblemError, first_line
from revorder.evaluation.scores import Result
from revorder.files import partial_of, writable, write_whole
from revorder.judge import verify
from revorder.methods import METHODS
from revorder.model.checkpoint import CheckpointInfo
from revorder.processes import held

BATCH = 1024  # problems asked at once
GZIP = ".gz"  # the suffix of a compressed file of results
RunSettings = Mapping[str, Any]  # everything that the texts of a run depend on


class Writer(Protocol):
    """The model: a checkpoint (inference.ctranslate.Runtime) or a server (inference.openai_server.Endpoint)."""

    @property
    def info(self) -> CheckpointInfo:
        """The method that it writes, and the numbers of digits that it may be asked for."""
        ...

    def generate_each(self, questions: Sequence[str], max_new_tokens: int, /) -> Iterable[tuple[int, str]]:
        """Yield (index, reply to the question of that index), in any order."""
        ...

    def as_trace(self, problem: Problem, written: str, /) -> str:
        """Return the question and the reply, as the judge reads them."""
        ...


def run(
    writer: Writer,
    tasks: Mapping[str, Iterable[Problem]],
    out: Path | None = None,
    settings: RunSettings | None = None,
    reply_tokens: int = 0,
    progress: Callable[[int], None] = lambda done: None,
    overwrite: bool = False,
) -> list[Result]:
    """Let a model write every problem of every task, and judge it.

    Args:
        writer: The model.
        tasks: The problems of each task.
        out: A file for the results; an older one is replaced once all results are complete.
        settings: The settings of the run, which `out` states.
        reply_tokens: The tokens allowed for a reply; or three times those of the longest correct trace of its
            batch, if that is more.
        progress: Called with the number of problems done.
        overwrite: Whether the results of another run may be replaced.

    Raises:
        ProblemError: `out` holds another run's results.
    """
    wanted = [(task, problem) for task, problems in tasks.items() for problem in problems]

    def write(todo: Sequence[int]) -> Iterator[Result]:
        by_length = sorted(range(len(wanted)), key=lambda i: len(str(wanted[i][1])))
        missing = set(todo)
        for start in range(0, len(by_length), BATCH):
            batch = by_length[start : start + BATCH]  # the same batches, and so limits, whatever is missing
            if pairs := [wanted[i] for i in batch if i in missing]:
                most = max(reply_tokens, *(writer.info.max_new_tokens(wanted[i][1]) for i in batch))
                yield from judged(writer, pairs, most)

    return collect([(task, str(problem)) for task, problem in wanted], write, out, settings, progress, overwrite)


def judged(writer: Writer, pairs: Sequence[tuple[str, Problem]], most: int) -> Iterator[Result]:
    """Return the results of one batch; `most` is the most tokens of a text."""
    info = writer.info
    for i, reply in writer.generate_each([f"{problem}=" for _, problem in pairs], most):
        task, problem = pairs[i]
        text = writer.as_trace(problem, reply)
        known = reply in text and not METHODS[info.method].states_answer_only
        yield judge_text(task, problem, text, info.method, info.form, "" if known else reply)


def judge_text(task: str, problem: Problem, text: str, method: str, form: str, reply: str = "") -> Result:
    """Return the result of a text that should be a trace of a method's form.

    >>> judge_text("ADD 2D", Problem(12, "+", 35), "12+35=r|75", "lean", "lean").step
    0
    """
    writes = METHODS[method]
    verdict = verify(text, method, form, problem)
    answer = verdict.answer if verdict.ok else writes.parse_answer(text)
    counted = problem.op == "/" and writes.can_rollback  # in other methods the mark may stand for something else
    return Result(
        task,
        str(problem),
        text,
        answer,
        expected=problem.answer,
        correct=answer == problem.answer,
        verified=verdict.ok,
        step=verdict.step,
        reason=verdict.reason,
        rollbacks=text.count(writes.rollback_mark) if counted else 0,
        correct_rollbacks=verdict.rollbacks,
        reply=reply,
    )


# Files of results


def collect(
    wanted: Sequence[tuple[str, str]],
    write: Callable[[Sequence[int]], Iterable[Result]],
    out: Path | None,
    settings: RunSettings | None,
    progress: Callable[[int], None],
    overwrite: bool,
) -> list[Result]:
    """Return the results of the wanted tasks and problems, in order: those in `out`, and those that `write` makes.

    `write` is given the indices of the missing ones. `out`, `settings`, `progress` and `overwrite` are as in `run`.
    """
    with only_writer(out):
        partial = out and partial_of(out)
        known: dict[tuple[str, str], Result] = {}
        if out and partial:
            if not overwrite and (done := finished(out, settings)) is not None:
                return done
            try:
                known = {(result.task, result.problem): result for result in resumed(partial, settings)}
            except ProblemError:  # another run's, or no results
                if not overwrite:
                    raise
                partial.unlink(missing_ok=True)
        todo = [i for i, key in enumerate(wanted) if key not in known]
        progress(len(wanted) - len(todo))
        try:
            stream = partial.open("a", buffering=1) if partial else None
        except OSError as error:
            raise ProblemError(
                f"results {str(out)!r} can't be written: {error.strerror}; choose a folder that exists"
            ) from None
        with stream or nullcontext():
            if stream and not stream.tell():
                stream.write(heading(settings))
            for result in write(todo):
                known[result.task, result.problem] = result
                if stream:
                    stream.write(json.dumps(asdict(result)) + "\n")
                progress(1)
        results = [known[key] for key in wanted]
        if out and partial:
            text = heading(settings) + "".join(json.dumps(asdict(result)) + "\n" for result in results)
            write_whole(out, gzip.compress(text.encode(), mtime=0) if out.suffix == GZIP else text)
            partial.unlink()
        return results


@contextmanager
def only_writer(out: Path | None) -> Iterator[None]:
    """Hold a file of results; raises ProblemError if it can't be written, or another process writes it."""
    if not out:
        yield
        return
    writable(out)  # before any work
    lock = out.with_name(f".{out.name}.lock")
    with held(lock) as mine:
        if not mine:
            raise ProblemError(f"results {str(out)!r}: another process writes them; give another --out, or wait for it")
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def heading(settings: RunSettings | None) -> str:
    """Return the first line of a file of results.

    >>> heading({"suite": "hard"})
    '{"run": {"suite": "hard"}}\\n'
    """
    return json.dumps({"run": dict(settings or {})}) + "\n"


def load_run(path: Path) -> tuple[RunSettings, list[Result]]:
    """Return the run and the results in a file; raises ProblemError naming the file and line that can't be read."""
    try:
        there = path.stat()
    except OSError:
        return _load_run(path, 0, 0)
    return _load_run(path, there.st_mtime_ns, there.st_size)


@lru_cache(maxsize=128)
def _load_run(path: Path, changed: int, size: int) -> tuple[RunSettings, list[Result]]:
    """Load a run once for each state of its file: several parts of a page are made of it."""
    head, *lines = _lines(path)
    return _settings(path, head), [_result(path, number, line) for number, line in enumerate(lines, 2)]


def load(path: Path) -> list[Result]:
    """Return the results in a file; raises ProblemError naming the file and line that can't be read."""
    return load_run(path)[1]


def finished(out: Path, settings: RunSettings | None) -> list[Result] | None:
    """Return the results of a complete run in `out`, or None; raises ProblemError if it holds another run's."""
    if not out.exists():
        return None
    _same_run(out, _lines(out)[0], settings)
    return load(out)


def resumed(partial: Path, settings: RunSettings | None) -> Iterator[Result]:
    """Return the results of an interrupted run; an incomplete last line is dropped from the file.

    Raises ProblemError if they are another run's, or no results; a run without a result is dropped.
    """
    if not partial.exists():
        return
    head, *lines = _lines(partial)
    if not lines:
        if head:
            _settings(partial, head)  # raises if the line is a user's own
        partial.unlink()
        return
    _same_run(partial, head, settings)
    good = [head]
    for line in lines:
        try:
            result = Result.read(line)
        except (ValueError, RecursionError):
            break
        good.append(line)
        yield result
    write_whole(partial, "".join(f"{line}\n" for line in good))


def _lines(path: Path) -> list[str]:
    """Return the lines of a file, which may be compressed, at least one; raises ProblemError if it can't be read."""
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == GZIP else data
        return text.decode(errors="replace").splitlines() or [""]
    except (OSError, EOFError, zlib.error) as error:
        raise ProblemError(
            f"results {str(path)!r} can't be read: {first_line(error)}; give a file that eval wrote"
        ) from None


def _settings(path: Path, head: str) -> RunSettings:
    try:
        settings = json.loads(head)["run"]
        if not isinstance(settings, dict):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProblemError(f'results {str(path)!r}, line 1: not {{"run": ...}}; give a file that eval wrote') from None
    return settings


def _same_run(path: Path, head: str, settings: RunSettings | None) -> None:
    there, wanted = _settings(path, head), json.loads(heading(settings))["run"]
    for key in [*there, *wanted]:
        if there.get(key) != wanted.get(key):
            raise ProblemError(
                f"results {str(path)!r} are of another run: {key} {there.get(key)!r}, not {wanted.get(key)!r}; "
                "choose another file, or pass --overwrite"
            )


def _result(path: Path, number: int, line: str) -> Result:
    try:
        return Result.read(line)
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"results {str(path)!r}, line {number}: {error}; give a file that eval wrote") from None
