"""A recipe that trains in seconds, and a model and data to fine-tune."""

import pytest

SUMS = '{name: sums, method: lean, size: 400, parts: [{op: "+", a: [1, 2], b: [1, 2]}]}'
RECIPE = """
name: test
model: {layers: 2, width: 64, ffn: 96, heads: 1}
data: {method: lean, size: 2000, parts: [{op: "+", a: [1, 2], b: [1, 2]}]}
max_digits: [["+", 2, 2]]
steps: 60
tokens: 128
eval_columns: [["+", 2, 2]]
eval_every: 30
save_every: 10
"""


@pytest.fixture(scope="session")
def recipe_text():
    return RECIPE


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "recipe.yaml"
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """The folder of a tiny pretrained model."""
    pytest.importorskip("transformers")
    from pretrained import byte_level, save_model

    return save_model(tmp_path_factory.mktemp("base"), byte_level(False))


@pytest.fixture(scope="session")
def sums(tmp_path_factory):
    """The path of a small mixture."""
    path = tmp_path_factory.mktemp("data") / "sums.yaml"
    path.write_text(SUMS)
    return str(path)
