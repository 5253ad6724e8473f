"""Attention without masks: each form gives what a masked attention gives."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from revorder.training.attention import by_products, fused  # noqa: E402


@pytest.mark.parametrize("attend", [fused, by_products])
def test_no_token_attends_to_a_later_one(attend):
    query, key, value = torch.randn(3, 4, 2, 17, 8)
    mask = torch.ones(17, 17, dtype=torch.bool).tril()
    wanted = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=0.3)
    found, _ = attend(None, query, key, value, None, scaling=0.3)
    assert torch.allclose(found, wanted.transpose(1, 2), atol=1e-5)
