"""Runs a checkpoint folder on any CPU with CTranslate2, greedily and in batches; needs no torch.

A checkpoint is a folder that transformers reads too (config.json, model.safetensors, tokenizer.json), and
revorder.json, which says the method it writes and the digits it was trained on.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from revorder.arithmetic.problem import Problem
from revorder.inference.ctranslate_model import model_files
from revorder.inference.prompts import Prompts
from revorder.model.checkpoint import CheckpointInfo, checkpoint
from revorder.model.tokenizer import Tokenizer

BATCH = 32  # texts that a core writes at once


class Runtime:
    """A loaded checkpoint; a process that is forked off loads it again when it first asks for something.

    `folder`: its folder, or a shipped one's name. `threads`: batches that are written at once, each on a core of its
    own, 0 for a batch a core. Raises ProblemError where the folder holds no checkpoint.
    """

    def __init__(self, folder: str | Path | None = None, threads: int = 0) -> None:
        self.folder = checkpoint(folder)
        self.info = CheckpointInfo.load(self.folder)
        self.tokenizer = Tokenizer(self.info.places)
        self._threads = threads or cores()
        self._generators: dict[int, Any] = {}  # by the process whose threads they run on
        # its threads end before the interpreter does: one that still lets go of a stream's callback would abort it
        weakref.finalize(self, _let_go, self._generators)
        self._generator()

    def _generator(self) -> Any:
        if os.getpid() not in self._generators:
            import ctranslate2

            self._generators[os.getpid()] = ctranslate2.Generator(
                str(self.folder),
                device="cpu",
                compute_type="float32",
                inter_threads=self._threads,  # faster than all cores on one batch
                intra_threads=1,
                files=model_files(self.folder, self.tokenizer.vocabulary),
            )
        return self._generators[os.getpid()]

    def _prompt(self, question: str) -> list[str]:
        return self.tokenizer.tokens([self.tokenizer.bos, *self.tokenizer.encode(question)])

    def generate(self, questions: Sequence[str], max_tokens: int) -> list[str]:
        """What the checkpoint writes after each question, at most `max_tokens` tokens, greedily.

        >>> Runtime().generate(["12+35="], 9)
        ['r|74']
        """
        return [text for _, text in self.generate_each(questions, max_tokens)]

    def generate_each(self, questions: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """The same as pairs of index and text, as they come."""
        prompts = [self._prompt(question) for question in questions]
        at_once = 2 * BATCH * self._threads  # Python hears of Ctrl-C between calls only
        for start in range(0, len(prompts), at_once):
            results = self._generator().generate_batch(
                prompts[start : start + at_once],
                max_batch_size=BATCH,
                max_length=max_tokens,
                include_prompt_in_result=False,
                sampling_topk=1,
            )
            for i, result in enumerate(results, start):
                yield i, self.tokenizer.decode(result.sequences_ids[0])

    def stream(self, question: str, max_tokens: int) -> Iterator[str]:
        """The same for one question, a token's text at a time."""
        steps = self._generator().generate_tokens(self._prompt(question), max_length=max_tokens, sampling_topk=1)
        for step in steps:
            yield self.tokenizer.decode([step.token_id])

    def confidence(self, problems: Sequence[Problem]) -> list[float]:
        """How sure the checkpoint is of what it writes: the log-probability of each trace's least likely token.

        >>> Runtime().confidence([Problem(12, "+", 35)])[0] > -0.1
        True
        """
        questions = [f"{problem}=" for problem in problems]
        limit = max(map(self.info.max_new_tokens, problems), default=0)
        prompts = [self._prompt(question) for question in questions]
        end = self.tokenizer.tokens([self.tokenizer.eos])
        texts = [
            prompt + self.tokenizer.tokens(self.tokenizer.encode(question + text))[len(prompt) - 1 :] + end
            for question, prompt, text in zip(questions, prompts, self.generate(questions, limit), strict=True)
        ]
        scored = self._generator().score_batch(texts, max_batch_size=BATCH)
        return [min(score.log_probs[len(prompt) - 1 :]) for score, prompt in zip(scored, prompts, strict=True)]

    def as_trace(self, problem: Problem, written: str) -> str:
        """What was written after the question, as the judge reads it."""
        return Prompts(self.info.method, self.info.form).of_trained(problem, written)


def cores() -> int:
    """How many cores this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _let_go(generators: dict[int, Any]) -> None:
    """End this process's generator; one of a process that this was forked from is never ended.

    Its threads did not come along, so its end would wait for them for ever.
    """
    generators.pop(os.getpid(), None)
    if generators:
        import ctypes

        for generator in generators.values():
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(generator))
