"""Noise: what each attention and feed-forward block reads is disturbed in training, so that a digit becomes surely right.

A digit that is right by little is wrong under noise now and then, in examples without number, and is learned.
"""

from __future__ import annotations

from typing import Any


def strength(noise: tuple[float, float], progress: float) -> float:
    """The deviation of the noise at a share of a run's steps: the first number, then falling evenly to the second.

    >>> [round(strength((0.18, 0.05), step / 20), 3) for step in (0, 12, 16, 19, 20)]
    [0.18, 0.18, 0.106, 0.05, 0.05]
    """
    first, last = noise
    return first + (last - first) * min(1, max(0, progress - 0.6) / 0.35)


def disturb(model: Any, noise: tuple[float, float]) -> Any:
    """Add Gaussian noise behind the model's norms, the last one excepted, wherever it learns; not where it is measured.

    Returns Trainer's callback that sets its `strength` step by step, in parts of the root mean square of what a norm
    puts out before its weights multiply it.
    """
    import torch
    from transformers import TrainerCallback

    deviation = torch.tensor(noise[0])

    def disturbed(norm: Any, _: Any, out: Any) -> Any:
        if not torch.is_grad_enabled():
            return out
        return out + deviation * norm.weight.detach() * torch.randn_like(out)

    for layer in model.model.layers:
        for norm in (layer.input_layernorm, layer.post_attention_layernorm):
            norm.register_forward_hook(disturbed)

    class Falling(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            deviation.fill_(strength(noise, state.global_step / state.max_steps))

    return Falling()
