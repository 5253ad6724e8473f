"""The optimizer: Muon for the matrices of the layers, AdamW for embeddings, head and norms."""

from __future__ import annotations

from typing import Any

import torch

from revorder.training.runs import has_bf16


class Muon(torch.optim.Muon):
    """torch's Muon in bfloat16, or in float32 on machines that only emulate bfloat16, which is 20 times slower."""

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        if has_bf16():
            super().step()
            return
        for group in self.param_groups:
            coefficients, steps, eps = (group[key] for key in ("ns_coefficients", "ns_steps", "eps"))
            for weight in group["params"]:
                state = self.state[weight]
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(weight)
                momentum = state["momentum_buffer"]
                momentum.lerp_(weight.grad, 1 - group["momentum"])
                update = orthogonalized(weight.grad.lerp(momentum, group["momentum"]), coefficients, steps, eps)
                rows, columns = weight.shape
                weight.add_(update, alpha=-group["lr"] * max(1, rows / columns) ** 0.5)


def orthogonalized(matrix: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """Return the matrix with all singular values brought close to 1 by `steps` Newton-Schulz steps."""
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.T if tall else matrix
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


class MuonAndAdamW(torch.optim.Optimizer):
    """Two optimizers as one, so that one schedule and one checkpoint serve both."""

    def __init__(self, model: Any, muon_lr: float | None, lr: float) -> None:
        matrices = [weight for weight in model.model.layers.parameters() if weight.ndim == 2 and muon_lr is not None]
        chosen = set(map(id, matrices))
        others = [weight for weight in model.parameters() if id(weight) not in chosen]
        self.parts: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(others, lr=lr, betas=(0.9, 0.98), weight_decay=0.0)
        ]
        if muon_lr is not None:
            self.parts.insert(0, Muon(matrices, lr=muon_lr, weight_decay=0.0))
        super().__init__([*matrices, *others], {})
        self._share_groups()

    def _share_groups(self) -> None:
        self.param_groups = [group for part in self.parts for group in part.param_groups]

    def step(self, closure: Any = None) -> None:
        for part in self.parts:
            part.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        for part in self.parts:
            part.zero_grad(set_to_none)

    def state_dict(self) -> dict[str, Any]:
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for part, state in zip(self.parts, state_dict["parts"], strict=True):
            part.load_state_dict(state)
        self._share_groups()
