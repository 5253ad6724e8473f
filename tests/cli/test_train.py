"""revorder train: its help, and what it refuses; training itself is tested in tests/training."""

import pytest

from revorder.cli.common import packaged


def test_help_lists_the_packaged_recipes(revorder):
    shown = " ".join(revorder("train", "--help").stdout.replace("│", " ").split())
    assert packaged("training/recipes") in shown and "calculator" in shown


def test_a_recipe_that_is_not_there_is_named(refused, tmp_path):
    pytest.importorskip("torch")
    assert "accepted: a YAML file, or calculator" in refused("train", "nope", "--out", tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
