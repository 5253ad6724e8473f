"""revorder train: its help, and what it refuses; training itself is tested in tests/training."""

import subprocess
import sys

from revorder.cli.common import packaged


def test_help_lists_the_packaged_recipes(revorder):
    shown = " ".join(revorder("train", "--help").stdout.replace("│", " ").split())
    assert packaged("training/recipes") in shown and "calculator" in shown


def test_a_recipe_that_is_not_there_is_named(refused, tmp_path):
    assert "give a YAML file, or one of calculator" in refused("train", "nope", "--out", tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_a_wrong_recipe_is_named_before_torch_is_loaded(tmp_path):
    (tmp_path / "recipe.yaml").write_text("name: 5")
    code = (
        "import sys; from revorder.cli import main\n"
        f"try: main(['train', {str(tmp_path / 'recipe.yaml')!r}, '--out', {str(tmp_path / 'out')!r}])\n"
        "finally: print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "False\n") and done.stderr.count("\n") == 1
