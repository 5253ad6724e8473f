"""A streamer for transformers' `generate`: it prints a model's text as it comes, with reversed numbers restored."""

from __future__ import annotations

from typing import Any, TextIO

from revorder.arithmetic.reversed_numbers import Restorer
from revorder.errors import ProblemError


class RestoringStreamer:
    """Print the text of `model.generate(..., streamer=...)` with its reversed numbers restored.

    Text is printed once no later token can change it; a reversed number is held until it ends.

    Args:
        tokenizer: The model's tokenizer.
        skip_prompt: Whether to leave the prompt out.
        file: The file to print to, by default stdout.

    Raises:
        ProblemError: The batch has several texts.

    >>> import io, numpy
    >>> from revorder.model.hf_tokenizer import build_fast_tokenizer
    >>> tokenizer, file = build_fast_tokenizer(), io.StringIO()
    >>> streamer = RestoringStreamer(tokenizer, file=file)
    >>> streamer.put(numpy.array(tokenizer.encode("12+35=r|74").ids))
    >>> streamer.end()
    >>> file.getvalue()
    '12+35=47\\n'
    """

    def __init__(self, tokenizer: Any, skip_prompt: bool = False, file: TextIO | None = None) -> None:
        # the text as it was written: a RevOrderTokenizer would restore unfinished numbers
        self._decoder = getattr(tokenizer, "backend_tokenizer", tokenizer)
        self._skip_prompt, self._file = skip_prompt, file
        self._begin()

    def _begin(self) -> None:
        self._ids: list[int] = []
        self._text, self._fed = "", 0  # their text, and how many of its characters the restorer has
        self._prompt = True
        self._restorer = Restorer()

    def put(self, value: Any) -> None:
        """Take a text's next token ids: first the prompt's, then one at a time."""
        if value.ndim > 1 and len(value) > 1:
            raise ProblemError(f"streamer: a batch of {len(value)} texts; give one text")
        self._ids += value.flatten().tolist()
        self._text = self._decoder.decode(self._ids, skip_special_tokens=True)
        if self._prompt and self._skip_prompt:
            self._fed = len(self._text)
        elif not self._text.endswith("\ufffd"):  # a character may be several tokens
            self._print(self._next())
        self._prompt = False

    def end(self) -> None:
        """Print the rest, and the end of the line."""
        self._print(self._next() + self._restorer.finish() + "\n")
        self._begin()

    def _next(self) -> str:
        more, self._fed = self._text[self._fed :], len(self._text)
        return self._restorer.feed(more)

    def _print(self, text: str) -> None:
        print(text, end="", file=self._file, flush=True)
