"""The optimizer's float32 way does what torch's Muon does in bfloat16."""

import pytest

torch = pytest.importorskip("torch")

from revorder.training import optimizer  # noqa: E402


@pytest.mark.parametrize("shape", [(32, 32), (64, 32), (32, 64)])
def test_float32_takes_the_steps_of_torchs_muon(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer, "has_bf16", lambda: False)
    torch.manual_seed(0)
    start = torch.randn(shape)
    ours, torchs = (torch.nn.Parameter(start.clone()) for _ in range(2))
    alike = torch.nn.Parameter(torch.randn(shape))
    muons = [
        optimizer.Muon([alike, ours], lr=0.1, weight_decay=0.0),
        torch.optim.Muon([torchs], lr=0.1, weight_decay=0.0),
    ]
    for _ in range(3):
        ours.grad = torch.randn(shape)
        torchs.grad = ours.grad.clone()
        alike.grad = torch.randn(shape)
        for muon in muons:
            muon.step()
    moved, expected = ours.detach() - start, torchs.detach() - start
    assert (moved - expected).norm() < 0.02 * expected.norm()
    buffers = [muon.state[weight]["momentum_buffer"] for muon, weight in zip(muons, (ours, torchs), strict=True)]
    assert torch.equal(*buffers)
