"""Recipes: the packaged ones can be read, and what is wrong in another is named."""

import pytest

from revorder import ProblemError
from revorder.training.recipe import RECIPES, Recipe


def test_every_packaged_recipe_can_be_read():
    names = [path.stem for path in RECIPES.glob("*.yaml")]
    assert "calculator" in names
    for name in names:
        assert Recipe.read(name).name == name


def test_a_number_may_have_an_exponent(recipe):
    recipe.write_text(recipe.read_text() + "lr: 1e-3\nmuon_lr: 2.5e-2\n")
    assert (Recipe.read(recipe).lr, Recipe.read(recipe).muon_lr) == (0.001, 0.025)


@pytest.mark.parametrize(
    ("line", "wrong", "says"),
    [
        ("steps: 60", "steps: many", "key 'steps' is \"many\"; accepted: "),
        ("steps: 60", "steps: 1.5", "key 'steps' is 1.5; accepted: "),
        ("tokens: 128", "tokens: 0", "key 'tokens' is 0; accepted: "),
        ("width: 64", "widht: 64", "key 'widht' is unknown; accepted: layers, width"),
        ("name: test", "nmae: test", "key 'nmae' is unknown; accepted: name, data"),
        ("name: test\n", "", "key 'name' is missing"),
        ("name: test", "name: 5", "key 'name' is 5"),
        ("name: test", "name: ../up", "key 'name' is \"../up\""),
        ("name: test", "name: test\nmuon_lr: .inf", "key 'muon_lr' is \".inf\"; accepted: "),
        ("name: test", "name: test\nlr: -1", "key 'lr' is -1; accepted: "),
        ('eval_columns: [["+", 2, 2]]', "eval_columns: [['^', 2, 2]]", "key 'eval_columns' is [["),
        ('eval_columns: [["+", 2, 2]]', "eval_columns: [[+, 80, 5]]", "key 'eval_columns' is [["),
        ('eval_columns: [["+", 2, 2]]', "eval_columns: [[+, 2]]", "key 'eval_columns' is [["),
        ('eval_columns: [["+", 2, 2]]', "eval_columns: [[/, 2, 3]]", "key 'eval_columns': key 'a' is at most 2 digits"),
        ('max_digits: [["+", 2, 2]]', "max_digits: []", "key 'max_digits' is []"),
        ("name: test", "name: test\nlongest: 5000", "key 'longest' is 5000; accepted: up to the model's 2048"),
        ("heads: 1}", "heads: 1, places: 0}\nplace_offset: 0.5", "key 'place_offset' is 0.5; accepted: 0 for a model"),
        ("width: 64", "width: 0", "key 'width' is 0"),
        ("size: 2000", "sizes: 2000", "key 'sizes' is unknown"),
    ],
)
def test_a_wrong_recipe_is_named(recipe, line, wrong, says):
    text = recipe.read_text()
    assert line in text
    recipe.write_text(text.replace(line, wrong))
    with pytest.raises(ProblemError) as error:
        Recipe.read(recipe)
    assert says in str(error.value) and str(recipe) in str(error.value) and "\n" not in str(error.value)


def test_a_missing_recipe_is_named(tmp_path):
    with pytest.raises(
        ProblemError, match=r"none.yaml' can't be read: No such file.*; give a YAML file, or one of calculator, "
    ):
        Recipe.read(tmp_path / "none.yaml")
