"""Training on one GPU: each batch runs as a CUDA graph, since its hundreds of small kernels take longer to launch than
to run.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import Trainer

from revorder.mixtures.targets import IGNORED


class GraphTrainer(Trainer):
    """A Trainer on one GPU that captures the forward and backward pass of each shape of batch, and then replays it."""

    def training_step(self, model: Any, inputs: dict[str, Any], num_items_in_batch: Any = None) -> Any:
        if not hasattr(self, "_graphs"):
            self._graphs: dict[tuple[int, int], Graph] = {}
            self._memory = torch.cuda.graph_pool_handle()
            self._parameters = [weight for weight in model.parameters() if weight.requires_grad]
            self._gradients = [torch.zeros_like(weight) for weight in self._parameters]
        if self._parameters[0].grad is None:  # the first batch of a step
            torch._foreach_zero_(self._gradients)
            for weight, gradient in zip(self._parameters, self._gradients, strict=True):
                weight.grad = gradient
        rows, width = map(rounded, inputs["input_ids"].shape)
        if (rows, width) not in self._graphs:
            self._graphs[rows, width] = Graph(self, model, rows, width)
        return self._graphs[rows, width].learn(inputs, num_items_in_batch)

    def backward(self, model: Any, inputs: dict[str, Any], count: Any) -> Any:
        """Add the gradients of a batch to those of the step, and return its loss."""
        loss = self.compute_loss(model, inputs, num_items_in_batch=count)
        torch._foreach_add_(self._gradients, torch.autograd.grad(loss, self._parameters))
        return loss.detach()


class Graph:
    """The pass of batches of one shape, over tensors that stay in place."""

    def __init__(self, trainer: GraphTrainer, model: Any, rows: int, width: int) -> None:
        self.ids = torch.zeros((rows, width), dtype=torch.long, device=model.device)
        self.labels = torch.full_like(self.ids, IGNORED)
        self.count = torch.ones((), dtype=torch.long, device=model.device)

        def run() -> Any:
            return trainer.backward(model, {"input_ids": self.ids, "labels": self.labels}, self.count)

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()  # libraries prepare themselves at the first call; without labels it adds zeros
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=trainer._memory, capture_error_mode="thread_local"):
            self.loss = run()

    def learn(self, inputs: dict[str, Any], count: Any) -> Any:
        """Replay the pass for a batch of at most this shape, and return its loss."""
        rows, width = inputs["input_ids"].shape
        self.ids[:rows, :width] = inputs["input_ids"]
        self.labels.fill_(IGNORED)
        self.labels[:rows, :width] = inputs["labels"]
        self.count.copy_(count)
        self.graph.replay()
        return self.loss.clone()


def rounded(n: int) -> int:
    """Return `n` rounded up to three binary digits and zeros, so that batches have few shapes.

    >>> [rounded(n) for n in (7, 9, 33, 1248)]
    [7, 10, 40, 1280]
    """
    unit = 1 << max(0, n.bit_length() - 3)
    return -(-n // unit) * unit
