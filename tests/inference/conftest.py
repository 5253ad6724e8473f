"""A model that errs, for what happens to a wrong trace."""

import shutil

import pytest
from safetensors.numpy import load_file, save_file

from revorder.inference.solver import load_runtime
from revorder.model.checkpoint import checkpoint
from revorder.model.tokenizer import Tokenizer


@pytest.fixture(scope="session")
def erring(tmp_path_factory):
    """The folder of the shipped model, but that it writes 8 for 7 and 7 for 8 as the first digit of a reversed number."""
    folder = shutil.copytree(checkpoint(), tmp_path_factory.mktemp("erring") / "model")
    weights = load_file(folder / "model.safetensors")
    ids = Tokenizer(load_runtime().info.places).ids
    seven, eight = ids["7₁"], ids["8₁"]
    weights["lm_head.weight"][[seven, eight]] = weights["lm_head.weight"][[eight, seven]]
    save_file(weights, folder / "model.safetensors")
    return str(folder)
