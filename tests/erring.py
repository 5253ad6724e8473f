"""A model that errs, for what happens to a wrong trace."""

import shutil

from safetensors.numpy import load_file, save_file

from revorder.model.checkpoint import CheckpointInfo, checkpoint
from revorder.model.tokenizer import Tokenizer


def save_erring(folder):
    """Copy the shipped model, but that it writes 8 for 7 and 7 for 8 as the first digit of a reversed number."""
    shutil.copytree(checkpoint(), folder)
    weights = load_file(folder / "model.safetensors")
    ids = Tokenizer(CheckpointInfo.load(folder).places).ids
    seven, eight = ids["7₁"], ids["8₁"]
    weights["lm_head.weight"][[seven, eight]] = weights["lm_head.weight"][[eight, seven]]
    save_file(weights, folder / "model.safetensors")
    return str(folder)
