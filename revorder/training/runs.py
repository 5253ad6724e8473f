"""The folder of a run, its log, and saving on a signal, for training and fine-tuning."""

from __future__ import annotations

import ctypes
import gc
import json
import shutil
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
from revorder.model.pretrained import has_bf16
from revorder.processes import held, is_first_process
from revorder.provenance import commit, joined

MODEL_FILES = ("config.json", "README.md")  # written at the end of a run
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # options of mallopt in glibc's malloc.h


def claim(run: Path, settings: Mapping[str, Any], steps: int) -> tuple[str | None, str]:
    """Create the run's folder, and record its settings and the git commits that train it.

    Returns:
        The saved state to resume from, None for a new run, and the commits.

    Raises:
        ProblemError: The folder has a run with other settings (`steps` and `finish` aside) or with more steps, or a
            model without a run, which would be overwritten.
    """
    stamp = run / "recipe.json"
    if not run.exists() and (there := [name for name in MODEL_FILES if (run.parent / name).exists()]):
        raise ProblemError(f"folder {str(run.parent)!r} holds {there[0]}, but no run; choose a new folder")
    commits = ""
    if stamp.exists():
        try:
            found = json.loads(stamp.read_text(encoding="utf-8"))
            commits = found.get("commits", "")
            keys = (settings.keys() | found.keys()) - {"steps", "finish", "commits"}
            different = sorted(key for key in keys if found.get(key) != settings.get(key))
        except (ValueError, TypeError, AttributeError):
            raise ProblemError(f"folder {str(run)!r}: its recipe.json can't be read; choose a new folder") from None
        if different:
            raise ProblemError(
                f"folder {str(run)!r} holds a run with another {', '.join(different)}; choose a new folder"
            )
    make_folder(run)
    saved = last_saved(run)
    if (done := saved_step(saved)) > steps:
        raise ProblemError(f"folder {str(run)!r}: its run is at step {done}; give at least as many steps")
    if saved_step(saved) < steps:
        commits = joined(commits, commit())
    stamped = {**settings, "commits": commits}
    write_whole(stamp, json.dumps(stamped, indent=2) + "\n")  # each process writes it; none may read a partial file
    return saved, commits


@contextmanager
def alone_in(run: Path) -> Iterator[None]:
    """Lock the run's folder. Raises ProblemError if another process is training in it."""
    with held(run / "lock") as mine:
        if not mine:
            raise ProblemError(f"another process is training in {str(run)!r}; wait for it, or choose another --out")
        yield


def last_saved(run: Path) -> str | None:
    """Return the last complete saved state of a run; Trainer writes its trainer_state.json last."""
    whole = []
    for state in run.glob("checkpoint-*/trainer_state.json"):
        with suppress(ValueError):
            json.loads(state.read_text())
            whole.append(str(state.parent))
    return max(whole, key=saved_step, default=None)


def saved_step(saved: str | None) -> int:
    """Return the step of a saved state, from its folder's name, or 0 for None.

    >>> saved_step("run/checkpoint-500")
    500
    """
    return int(saved.rpartition("-")[2]) if saved else 0


def read_log(log: Path) -> list[dict[str, Any]]:
    """Return the entries of a run's log, without an incomplete last line; a missing log is empty."""
    entries = []
    for line in log.read_text().splitlines() if log.exists() else []:
        try:
            entries.append(json.loads(line))
        except ValueError:
            break
    return entries


class Log(TrainerCallback):
    """Write loss, tokens and seconds to the log, one JSON object per line.

    A resumed run continues the count of seconds. Lines after the step that it resumes from are dropped, so no step is
    logged twice.
    """

    def __init__(self, log: Path, resumed: str | None) -> None:
        self.log, self.resumed = log, resumed

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        entries = [entry for entry in read_log(self.log) if entry["step"] <= saved_step(self.resumed)]
        self.start = time.monotonic() - (entries[-1]["seconds"] if entries else 0)
        if is_first_process():
            write_whole(self.log, "".join(json.dumps(entry) + "\n" for entry in entries))
        state.save_steps, state.logging_steps = args.save_steps, args.logging_steps  # override the saved state

    def write(self, **entry: Any) -> None:
        """Add an entry, with the seconds since the start of the run."""
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
    """A context in which the first SIGINT or SIGTERM in any process saves and stops the run after its step."""

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
        noted = self._signal is not None
        if torch.distributed.is_initialized():  # processes that stopped at different steps would wait for each other
            anywhere = torch.tensor(int(noted), device=args.device)
            torch.distributed.all_reduce(anywhere, torch.distributed.ReduceOp.MAX)
            noted = bool(anywhere.item())
        if noted:
            self.stopped = True
            if state.is_world_process_zero:
                print(f"saving step {state.global_step}; run again to resume", flush=True)
            control.should_save = control.should_training_stop = True
        return control


@contextmanager
def keeping_freed_memory() -> Iterator[None]:
    """Let glibc keep freed memory until the end.

    A step on a CPU frees and allocates gigabytes, which the system would otherwise clear again each time.
    """
    with suppress(OSError, AttributeError, TypeError):  # the C library is not glibc
        glibc = ctypes.CDLL(None)
        glibc.mallopt(M_MMAP_MAX, 0)
        glibc.mallopt(M_TRIM_THRESHOLD, -1)
    try:
        yield
    finally:
        give_back_memory()


def give_back_memory() -> None:
    """Return freed memory to the system: texts of other lengths don't fit it, so a long run would grow endlessly."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def can_compile() -> bool:
    """Whether a run can compile its model, for which PyTorch needs a C++ compiler.

    Compiling takes one to two minutes, and makes a step 1.1 times (AVX2) to 1.4 times as fast.
    """
    return shutil.which("c++") is not None


def trainer_settings(kind: type, run: Path, steps: int, pieces: int, save_every: int, seed: int, **more: Any) -> Any:
    """Return Trainer's settings for a run.

    They allow one device per process: with several, Trainer would take several items and learn only one of them.

    Args:
        kind: The class of the settings.
        run: The folder of the run.
        steps: The number of steps.
        pieces: The number of the dataset's items in a step, in each process; an item is a batch.
        save_every: The steps between two saved states.
        seed: The seed.
        more: Further settings of `kind`.
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
        logging_nan_inf_filter=False,  # the filter waits for the GPU at each batch
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
    """Return the only item, as Trainer's collator: an item of the dataset is a whole batch."""
    return items[0]
