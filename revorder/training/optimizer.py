"""The optimizer: Muon for the matrices of the layers, AdamW for embeddings, head and norms."""

from __future__ import annotations

from typing import Any

import torch

from revorder.model.pretrained import has_bf16


class Muon(torch.optim.Muon):
    """torch's Muon with matrices of one shape stacked, so that a step is a few large operations.

    It computes in bfloat16, or in float32 on machines that only emulate bfloat16, which is 20 times slower.
    """

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        dtype = torch.bfloat16 if has_bf16() else torch.float32
        for group in self.param_groups:
            coefficients, steps, eps = (group[key] for key in ("ns_coefficients", "ns_steps", "eps"))
            alike: dict[Any, list[Any]] = {}
            for weight in group["params"]:
                alike.setdefault(weight.shape, []).append(weight)
                if not self.state[weight]:
                    self.state[weight]["momentum_buffer"] = torch.zeros_like(weight)
            for (rows, columns), weights in alike.items():
                gradients = [weight.grad for weight in weights]
                momenta = [self.state[weight]["momentum_buffer"] for weight in weights]
                torch._foreach_lerp_(momenta, gradients, 1 - group["momentum"])
                moved = torch.stack(gradients).lerp_(torch.stack(momenta), group["momentum"])
                updates = orthogonalized(moved.to(dtype), coefficients, steps, eps).float()
                rate = group["lr"] * max(1, rows / columns) ** 0.5
                torch._foreach_add_(weights, list(updates), alpha=-rate)


def orthogonalized(matrices: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """Return (n, rows, columns) matrices with all singular values brought close to 1 by Newton-Schulz steps."""
    a, b, c = coefficients
    tall = matrices.size(1) > matrices.size(2)
    x = matrices.mT if tall else matrices
    x = x / torch.linalg.matrix_norm(x, keepdim=True).clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


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
