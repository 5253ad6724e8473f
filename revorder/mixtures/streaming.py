"""Streaming: a mixture as an IterableDataset, drawn as it is read, with nothing on disk."""

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
    """The examples 0 to `size` of a mixture, its own size by default, in order, as rows of a view.

    Workers and ranks divide up to `shards` ranges of examples between them; a power of two lets any number of ranks
    that is one take whole ranges. `state_dict` and `load_state_dict` go on where a reader stopped. The view `tokens`
    takes a tokenizer. Raises ProblemError for bad arguments, and where datasets is missing.

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
    """`size` examples as `count` ranges of whole blocks, half as many while there are more than blocks.

    They are equal but for a block, so that ranks have like shares of a size of 20,000 or more, and not of a small one.

    >>> ranges(1000, 2), ranges(1000, 1024)
    ([(0, 512), (512, 1000)], [(0, 256), (256, 512), (512, 768), (768, 1000)])
    """
    blocks = -(-size // BLOCK)
    while count > blocks:
        count //= 2
    ends = [blocks * i // count * BLOCK for i in range(1, count)]
    return list(zip([0, *ends], [*ends, size], strict=True))


def rows(mixture: Mixture, seed: int, view: View, ranges: list[Range]) -> Iterator[Row]:
    """The rows of some ranges of examples."""
    for start, stop in ranges:
        for example in sampler(mixture).examples(seed, start, stop):
            yield view(example, mixture)
