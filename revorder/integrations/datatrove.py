"""datatrove: the examples of a mixture as documents, and its shards written by the tasks of any executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from revorder.errors import ProblemError, needs
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.shards import Run, claim_folder, write_part
from revorder.mixtures.streaming import ranges, rows
from revorder.mixtures.views import trace_row

with needs("revorder.integrations.datatrove", "datatrove"):
    from datatrove.data import Document
    from datatrove.pipeline.base import PipelineStep


class MixtureReader(PipelineStep):
    """Yield the examples 0 to `size` of a mixture, by default its own size, as documents; each task yields a range.

    A document's text is the trace, its id the index; operands, operator and answer are metadata.

    >>> next(MixtureReader(Mixture.read("small"), seed=42).run(rank=1, world_size=2)).id
    '100096'
    """

    name = "RevOrder mixture"
    type = "READER"

    def __init__(self, mixture: Mixture, seed: int = 42, size: int | None = None) -> None:
        super().__init__()
        self.mixture = mixture
        self.seed = seed
        self.size = mixture.size if size is None else size
        if self.size < 1:
            raise ProblemError(f"size is {self.size}; accepted: at least 1")

    def run(self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the documents of the steps before, then those of this task's range."""
        yield from data or ()
        for row in rows(self.mixture, self.seed, trace_row, ranges(self.size, world_size)[rank : rank + 1]):
            document = Document(row.pop("text"), str(row.pop("index")), metadata=row)
            self.update_doc_stats(document)
            yield document


class ShardWriter(PipelineStep):
    """Write the shards of a run, each task every `world_size`-th; `revorder data`, run afterwards, adds the manifest.

    Raises ProblemError, before a task starts, if the run is invalid, or its folder holds another run.
    """

    name = "RevOrder shards"
    type = "WRITER"

    def __init__(self, shards: Run) -> None:
        super().__init__()
        claim_folder(shards)
        self.shards = shards

    def run(self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Write this task's shards, and yield the documents of the steps before."""
        for job in write_part(self.shards, rank, world_size):
            self.stat_update("examples", value=job.stop - job.start, unit="shard")
        yield from data or ()
