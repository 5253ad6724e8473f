"""Run a checkpoint on any CPU with CTranslate2, greedily and in batches, without torch.

A checkpoint is a folder with config.json, model.safetensors and tokenizer.json, which transformers can also read, and
revorder.json, which states the method that the model writes and the digits that it was trained on.
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
from revorder.model.llama_folder import read_config
from revorder.model.tokenizer import Tokenizer
from revorder.processes import cores, refuse_little_memory

BATCH = 32  # texts per core
LEAST_MEMORY = 500  # megabytes of address space, with which one problem is solved


class Runtime:
    """A loaded checkpoint. A forked process loads it again at its first request.

    Args:
        folder: The checkpoint's folder, or the name of a shipped checkpoint.
        threads: The number of batches written in parallel, each on its own core; 0 for as many as there are cores.

    Raises:
        ProblemError: The folder is not a checkpoint, or the process may use too little memory.
    """

    def __init__(self, folder: str | Path | None = None, threads: int = 0) -> None:
        refuse_little_memory(LEAST_MEMORY)
        self.folder = checkpoint(folder)
        self.info = CheckpointInfo.load(self.folder)
        self.tokenizer = Tokenizer(self.info.places)
        self._positions = read_config(self.folder).max_position_embeddings
        self._threads = threads or cores()
        self._generators: dict[int, Any] = {}  # by process id: threads belong to a process
        # end its threads before the interpreter: a thread that still releases a callback would abort it
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

    def _length(self, max_tokens: int, prompts: Sequence[Sequence[str]]) -> int:
        """Return the most tokens to write after prompts: `max_tokens`, up to the model's last position."""
        return max(1, min(max_tokens, self._positions - max(map(len, prompts))))

    def generate(self, questions: Sequence[str], max_tokens: int) -> list[str]:
        """Return the checkpoint's greedy output after each question, at most `max_tokens` tokens.

        >>> Runtime().generate(["12+35="], 9)
        ['r|74']
        """
        return [text for _, text in self.generate_each(questions, max_tokens)]

    def generate_each(self, questions: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """Yield (index, output) for each question as soon as it is ready."""
        prompts = [self._prompt(question) for question in questions]
        at_once = 2 * BATCH * self._threads  # Python notices Ctrl-C only between calls
        for start in range(0, len(prompts), at_once):
            some = prompts[start : start + at_once]
            results = self._generator().generate_batch(
                some,
                max_batch_size=BATCH,
                max_length=self._length(max_tokens, some),
                include_prompt_in_result=False,
                sampling_topk=1,
            )
            for i, result in enumerate(results, start):
                yield i, self.tokenizer.decode(result.sequences_ids[0])

    def stream(self, question: str, max_tokens: int) -> Iterator[str]:
        """Yield the output for one question, token by token, as text."""
        prompt = self._prompt(question)
        length = self._length(max_tokens, [prompt])
        steps = self._generator().generate_tokens(prompt, max_length=length, sampling_topk=1)
        for step in steps:
            yield self.tokenizer.decode([step.token_id])

    def confidence(self, problems: Sequence[Problem]) -> list[float]:
        """Return the checkpoint's confidence in each trace: the log-probability of its least likely token.

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
        """Return the output after a question as a trace for the judge."""
        return Prompts(self.info.method, self.info.form).of_trained(problem, written)


def _let_go(generators: dict[int, Any]) -> None:
    """End this process's generator, but never one inherited from a parent process.

    A parent's threads are missing after a fork, so ending its generator would wait for them forever.
    """
    generators.pop(os.getpid(), None)
    if generators:
        import ctypes

        for generator in generators.values():
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(generator))
