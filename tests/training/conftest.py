"""A recipe that trains in seconds."""

import pytest

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
