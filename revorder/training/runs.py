"""Runs: a folder that belongs to one run, its log, and saving on a signal; shared by training and fine-tuning."""

from __future__ import annotations

import ctypes
import gc
import json
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from revorder.errors import ProblemError
from revorder.files import make_folder, write_whole
from revorder.processes import held, is_first_process
from revorder.provenance import commit, joined

MODEL_FILES = ("config.json", "README.md")  # that a run writes when it is done
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of mallopt in glibc's malloc.h


def claim(run: Path, settings: Mapping[str, Any], steps: int) -> tuple[str | None, str]:
    """Make the run's folder and stamp it with its settings and the commits that take its steps.

    Returns the saved state to go on from, if there is any, and these commits. Raises ProblemError where the folder
    holds a run with other settings than these, `steps` aside, or of more steps, and where a model of no run is there,
    which this one's would replace.
    """
    stamp = run / "recipe.json"
    if not run.exists() and (there := [name for name in MODEL_FILES if (run.parent / name).exists()]):
        raise ProblemError(f"folder {str(run.parent)!r} holds {there[0]}, of no run; accepted: a new folder")
    commits = ""
    if stamp.exists():
        try:
            found = json.loads(stamp.read_text(encoding="utf-8"))
            commits = found.get("commits", "")
            keys = (settings.keys() | found.keys()) - {"steps", "commits"}
            different = sorted(key for key in keys if found.get(key) != settings.get(key))
        except (ValueError, TypeError, AttributeError):
            raise ProblemError(f"folder {str(run)!r}: its recipe.json can't be read; accepted: a new folder") from None
        if different:
            raise ProblemError(
                f"folder {str(run)!r} holds a run with another {', '.join(different)}; accepted: a new folder"
            )
    make_folder(run)
    saved = last_saved(run)
    if (done := saved_step(saved)) > steps:
        raise ProblemError(f"folder {str(run)!r}: its run is at step {done}; accepted: as many steps or more")
    if saved_step(saved) < steps:
        commits = joined(commits, commit())
    stamped = {**settings, "commits": commits}
    write_whole(stamp, json.dumps(stamped, indent=2) + "\n")  # each process does; none may read half of it
    return saved, commits


@contextmanager
def alone_in(run: Path) -> Iterator[None]:
    """Keep the run's folder to this run; raises ProblemError where another process is at it."""
    with held(run / "lock") as mine:
        if not mine:
            raise ProblemError(
                f"folder {str(run)!r}: another process trains there; accepted: a new folder, or once it is done"
            )
        yield


def last_saved(run: Path) -> str | None:
    """The last whole saved state of a run; Trainer writes its trainer_state.json last."""
    whole = []
    for state in run.glob("checkpoint-*/trainer_state.json"):
        with suppress(ValueError):
            json.loads(state.read_text())
            whole.append(str(state.parent))
    return max(whole, key=saved_step, default=None)


def saved_step(saved: str | None) -> int:
    """The step of a saved state, from its folder's name; 0 for none.

    >>> saved_step("run/checkpoint-500")
    500
    """
    return int(saved.rpartition("-")[2]) if saved else 0


def read_log(log: Path) -> list[dict[str, Any]]:
    """The entries of a run's log, none where there is no log; a line that was cut off is left out."""
    entries = []
    for line in log.read_text().splitlines() if log.exists() else []:
        try:
            entries.append(json.loads(line))
        except ValueError:
            break
    return entries


class Log(TrainerCallback):
    """Writes loss, tokens and seconds to the log, a JSON object a line; a run that goes on counts on from its last
    line.

    A log's lines beyond the step that a run goes on from are dropped, so that no step stands in it twice.
    """

    def __init__(self, log: Path, resumed: str | None) -> None:
        self.log, self.resumed = log, resumed

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        entries = [entry for entry in read_log(self.log) if entry["step"] <= saved_step(self.resumed)]
        self.start = time.monotonic() - (entries[-1]["seconds"] if entries else 0)
        if is_first_process():
            write_whole(self.log, "".join(json.dumps(entry) + "\n" for entry in entries))
        state.save_steps, state.logging_steps = args.save_steps, args.logging_steps  # not those of the saved state

    def write(self, **entry: Any) -> None:
        """Add an entry, with the seconds since the run began."""
        entry["seconds"] = round(time.monotonic() - self.start, 1)
        with self.log.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        give_back_memory()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if logs and "loss" in logs and state.is_world_process_zero:
            tokens = {"tokens": int(state.num_input_tokens_seen)} if state.num_input_tokens_seen else {}
            self.write(step=state.global_step, loss=float(logs["loss"]), **tokens)


class SaveOnSignal(TrainerCallback):
    """Within `with`, the first SIGINT or SIGTERM in any process has the run saved and stopped at the end of its
    step."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.stopped = False
        self._signal: int | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in self.SIGNALS:
            self._handlers[number] = signal.signal(number, self._note)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: object) -> None:
        self._signal = number
        signal.signal(number, self._handlers[number])  # a second one stops at once

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        noted = torch.tensor(int(self._signal is not None), device=args.device)
        if torch.distributed.is_initialized():  # all processes stop at the same step, or they wait for each other
            torch.distributed.all_reduce(noted, torch.distributed.ReduceOp.MAX)
        if noted.item():
            self.stopped = True
            if state.is_world_process_zero:
                print(f"saving step {state.global_step}; run again to go on", flush=True)
            control.should_save = control.should_training_stop = True
        return control


@contextmanager
def keeping_freed_memory() -> Iterator[None]:
    """Have glibc keep what is freed until the end: a step on a CPU frees and takes gigabytes, which else are cleared
    anew each time."""
    with suppress(OSError, AttributeError, TypeError):  # no glibc
        glibc = ctypes.CDLL(None)
        glibc.mallopt(M_MMAP_MAX, 0)
        glibc.mallopt(M_TRIM_THRESHOLD, -1)
    try:
        yield
    finally:
        give_back_memory()


def give_back_memory() -> None:
    """Give the system what is freed: texts of other lengths do not fit it, so that a long run would take ever more."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def has_bf16() -> bool:
    """Whether this machine multiplies bfloat16 matrices in hardware."""
    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported()
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))


def trainer_settings(kind: type, run: Path, steps: int, pieces: int, save_every: int, seed: int, **more: Any) -> Any:
    """Trainer's settings of a run, of the class `kind`: an item of the dataset is a batch, and `pieces` make a step.

    They are for one device a process: with several Trainer would take more items, of which one is learned.
    """
    args = kind(
        output_dir=str(run),
        max_steps=steps,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=pieces,
        train_sampling_strategy="sequential",
        use_cpu=not torch.cuda.is_available(),
        bf16=has_bf16(),
        max_grad_norm=1.0,
        logging_steps=max(1, min(100, steps // 10)),
        save_steps=save_every,
        save_total_limit=1,
        seed=seed,
        report_to=[],
        disable_tqdm=False,
        remove_unused_columns=False,
        ddp_find_unused_parameters=False,
        **more,
    )
    args._n_gpu = 1
    return args


def first_item(items: list[Any]) -> Any:
    """Trainer's collator: an item of the dataset is a whole batch."""
    return items[0]
