"""Run any causal language model with transformers, greedily and in batches, on a GPU if there is one.

A folder written by `revorder finetune` has revorder.json, and its model writes the method that it was trained on. Any
other model, a folder or a Hub name, is asked with its chat template, or continues `12+35=` if it has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from revorder.arithmetic.expression import parse_problem
from revorder.arithmetic.problem import MAX_DIGITS, OPS, Problem
from revorder.errors import ProblemError, first_line, needs
from revorder.inference.prompts import Prompts
from revorder.methods import find_method, full_name
from revorder.model.checkpoint import INFO_FILE, CheckpointInfo, checkpoint
from revorder.reading.answers import CUT

if TYPE_CHECKING:
    from transformers import GenerationConfig

BATCH = 64  # texts


def is_other_model(model: str | Path | None) -> bool:
    """Whether a checkpoint's tokenizer is not ours, so that transformers has to run it instead of CTranslate2."""
    folder = checkpoint(model)
    try:
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        return (folder / INFO_FILE).is_file() and "revorder_places" not in config
    except (OSError, ValueError, RecursionError):
        return False


class TransformersRuntime:
    """A loaded model, with the interface of a Runtime.

    Args:
        model: A folder or a Hub name.
        method: How to ask and judge a model without revorder.json: `plain` asks for the answer in words, any other
            method for traces.
        shots: The number of worked examples shown first.
        batch: The number of texts written at once.
        device: A torch device, by default a GPU if there is one.

    Raises:
        ProblemError: The model or device does not exist, a library is missing, or the model's method is unknown.
    """

    def __init__(
        self,
        model: str | Path,
        method: str | None = None,
        shots: int = 0,
        batch: int = BATCH,
        device: str | None = None,
    ) -> None:
        with needs(f"model {str(model)!r}:", "train"):
            import torch
            import transformers
        from revorder.model.pretrained import has_bf16, load_model, load_tokenizer

        self.folder = Path(model)
        self.trained = (self.folder / INFO_FILE).exists()
        self.info = self._info(method)
        if self.trained and shots:
            raise ProblemError(f"shots {shots}: model {str(model)!r} was trained to write without; drop --shots")
        self.prompts = Prompts(self.info.method, self.info.form, shots)
        self.tokenizer = load_tokenizer(model)
        self.tokenizer.padding_side = "left"
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.chats = bool(self.tokenizer.chat_template) and not self.trained
        self.batch = batch
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            raise ProblemError(f"device {device!r}: {first_line(error)}; give cpu, or a GPU such as cuda") from None
        self.model = load_model(model).to(device).eval()
        if device == "cpu" and not has_bf16():
            self.model.float()  # emulated bfloat16 takes several times as long
        ends = self.model.generation_config.eos_token_id  # drop its other settings, which would override ours
        self.model.generation_config = transformers.GenerationConfig(eos_token_id=ends)

    def _info(self, method: str | None) -> CheckpointInfo:
        if self.trained:
            info = CheckpointInfo.load(self.folder)
            if method not in (None, info.method):
                writes = full_name(info.method, info.form)
                raise ProblemError(f"model {str(self.folder)!r} was trained to write {writes}; drop --method")
            return info
        if method is None:
            raise ProblemError(
                f"model {str(self.folder)!r} has no {INFO_FILE}; give a method to ask it by, such as plain, or the"
                " folder of a model that revorder train or finetune wrote"
            )
        writes, form = find_method(method)
        max_digits = tuple((op, MAX_DIGITS, MAX_DIGITS) for op in OPS)
        return CheckpointInfo(method, form, max_digits, writes.writes_answer, places=0)

    # Problems

    def prompt(self, question: str) -> str:
        """Return the prompt for a question such as `12+35=`, including the special tokens of a chat template."""
        if self.trained:
            return question
        problem = parse_problem(question.rstrip("="))
        if not self.chats:
            return self.prompts.completion(problem)
        turns = self.prompts.chat(problem)
        return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)

    def generate(self, questions: Sequence[str], max_tokens: int) -> list[str]:
        """Return the model's greedy output after each question, at most `max_tokens` tokens."""
        return [text for _, text in sorted(self.generate_each(questions, max_tokens))]

    def generate_each(self, questions: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """Yield (index, output) batch by batch; without revorder.json, output that was cut off ends in `…`."""
        for i, text, cut in self._write([self.prompt(question) for question in questions], max_tokens, self.chats):
            yield i, self._shortened(text, cut)

    def stream(self, question: str, max_tokens: int) -> Iterator[str]:
        """Yield the output for one question, token by token; closing the generator stops the model too."""
        import torch

        encoded = self._encode([self.prompt(question)], self.chats)
        ids, tokens = encoded["input_ids"][0].tolist(), _Tokens()
        failed: list[BaseException] = []
        left = Event()  # set when the rest is not wanted

        def write() -> None:
            try:
                stop = [lambda ids, scores, **_: torch.full((len(ids),), left.is_set(), device=ids.device)]
                options = self._options(max_tokens, len(ids))
                self.model.generate(**encoded, streamer=tokens, stopping_criteria=stop, generation_config=options)
            except BaseException as error:
                failed.append(error)
                tokens.end()

        writing = Thread(target=write, daemon=True)
        writing.start()
        begin, said = self.tokenizer.decode(ids, skip_special_tokens=True), ""
        try:
            for token in tokens:
                ids.append(token)
                text = self._shortened(self.tokenizer.decode(ids, skip_special_tokens=True)[len(begin) :], False)
                if text[len(said) :] and not text.endswith("\ufffd"):  # a character may be several tokens
                    yield text[len(said) :]
                    said = text
        finally:
            left.set()
            writing.join()
        if failed:
            raise failed[0]

    def _shortened(self, text: str, cut: bool) -> str:
        """Return the part of a reply that counts: base models run on into a next example, which is cut off."""
        if self.trained:
            return text
        if not self.chats:
            text, stop, _ = text.partition(self.prompts.stop)
            cut = cut and not stop
        return text + CUT if cut else text

    def as_trace(self, problem: Problem, written: str) -> str:
        """Return the question and the output as a trace for the judge, or the stated answer if asked in words."""
        return (self.prompts.of_trained if self.trained else self.prompts.as_trace)(problem, written)

    # Any text

    def complete_each(self, prompts: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """Yield (index, output) for prompts of any kind, batch by batch; an output cut off at the limit ends in CUT."""
        for i, text, cut in self._write(prompts, max_tokens, templated=False):
            yield i, text + CUT if cut else text

    def _write(self, prompts: Sequence[str], max_tokens: int, templated: bool) -> Iterator[tuple[int, str, bool]]:
        """Yield (index, output, whether it was cut off), the shortest prompts first."""
        import torch

        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        for start in range(0, len(order), self.batch):
            batch = order[start : start + self.batch]
            encoded = self._encode([prompts[i] for i in batch], templated)
            options = self._options(max_tokens, encoded["input_ids"].shape[1])
            ends = options.eos_token_id
            ends = {self.tokenizer.pad_token_id, *([ends] if isinstance(ends, int) else ends or [])}
            with torch.inference_mode():
                written = self.model.generate(**encoded, generation_config=options).tolist()
            # decode the whole text and remove the prompt: some tokenizers drop a space at the start of a text
            begins = self.tokenizer.batch_decode(encoded["input_ids"], skip_special_tokens=True)
            wholes = self.tokenizer.batch_decode(written, skip_special_tokens=True)
            for i, ids, begin, whole in zip(batch, written, begins, wholes, strict=True):
                yield i, whole[len(begin) :], ids[-1] not in ends

    def _encode(self, prompts: Sequence[str], templated: bool) -> dict[str, Any]:
        """Return prompts as tensors; a templated prompt already has its special tokens."""
        from revorder.model.pretrained import encode_prompt

        def ids(prompt: str) -> list[int]:
            if templated:
                return self.tokenizer(prompt, add_special_tokens=False).input_ids
            return encode_prompt(self.tokenizer, prompt)

        encoded = self.tokenizer.pad({"input_ids": list(map(ids, prompts))}, return_tensors="pt")
        return {name: encoded[name].to(self.model.device) for name in ("input_ids", "attention_mask")}

    def _options(self, max_tokens: int, length: int) -> GenerationConfig:
        """Return options for greedy generation after a prompt of `length` tokens, up to the model's last position."""
        from transformers import GenerationConfig

        positions = getattr(self.model.config, "max_position_embeddings", None) or length + max_tokens
        ends = self.model.generation_config.eos_token_id
        return GenerationConfig(
            max_new_tokens=max(1, min(max_tokens, positions - length)),
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            eos_token_id=self.tokenizer.eos_token_id if ends is None else ends,
            pad_token_id=self.tokenizer.pad_token_id,
        )


class _Tokens:
    """A queue of the tokens that `generate` writes, for another thread; the prompt, which comes first, is skipped."""

    def __init__(self) -> None:
        self.queue: SimpleQueue[int | None] = SimpleQueue()
        self.prompt = True

    def put(self, ids: Any) -> None:
        """Skip the prompt, then add each token."""
        if not self.prompt:
            self.queue.put(int(ids.reshape(-1)[0]))
        self.prompt = False

    def end(self) -> None:
        """Mark the end of the output."""
        self.queue.put(None)

    def __iter__(self) -> Iterator[int]:
        return iter(self.queue.get, None)  # type: ignore[arg-type]
