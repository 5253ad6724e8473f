"""Streaming: a mixture as an IterableDataset whose examples are drawn while reading, with nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from revorder.errors import ProblemError, needs
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import BLOCK, sampler
from revorder.mixtures.views import Row, View, find_view

if TYPE_CHECKING:
    from datasets import IterableDataset

Range = tuple[int, int]  # of examples: the first, and the last + 1


def stream(
    mixture: Mixture,
    seed: int = 42,
    size: int | None = None,
    view: str = "prompt_completion",
    tokenizer: Any = None,
    shards: int = 1024,
) -> IterableDataset:
    """Return an IterableDataset of the examples 0 to `size` of a mixture, in order, as rows of a view.

    `state_dict` and `load_state_dict` resume where a reader stopped.

    Args:
        mixture: the mixture.
        seed: the seed of the examples.
        size: the number of examples, the mixture's own by default.
        view: the name of a view.
        tokenizer: the tokenizer of the view `tokens`.
        shards: the most ranges of examples to divide between workers and ranks. With a power of two, every rank gets
            whole ranges if the number of ranks is a power of two.

    Raises:
        ProblemError: for wrong arguments, or if datasets is not installed.

    >>> next(iter(stream(Mixture.read("small"), size=100)))["prompt"]
    '9*94716='
    """
    with needs("stream", "data"):
        from datasets import IterableDataset
    size = mixture.size if size is None else size
    for what, number in (("size", size), ("shards", shards)):
        if number < 1:
            raise ProblemError(f"{what} is {number}; accepted: at least 1")
    settings = {"mixture": mixture, "seed": seed, "view": find_view(view, tokenizer), "ranges": ranges(size, shards)}
    return IterableDataset.from_generator(rows, gen_kwargs=settings)


def ranges(size: int, count: int) -> list[Range]:
    """Return `size` examples as `count` ranges of whole blocks; `count` is halved until it is at most the blocks.

    Their lengths differ by at most a block: the shares of ranks are similar for 20,000 or more examples, not for few.

    >>> ranges(1000, 2), ranges(1000, 1024)
    ([(0, 512), (512, 1000)], [(0, 256), (256, 512), (512, 768), (768, 1000)])
    """
    blocks = -(-size // BLOCK)
    while count > blocks:
        count //= 2
    ends = [blocks * i // count * BLOCK for i in range(1, count)]
    return list(zip([0, *ends], [*ends, size], strict=True))


def rows(mixture: Mixture, seed: int, view: View, ranges: list[Range]) -> Iterator[Row]:
    """Yield the rows of ranges of examples."""
    for start, stop in ranges:
        for example in sampler(mixture).examples(seed, start, stop):
            yield view(example, mixture)
