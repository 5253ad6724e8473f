"""Export a checkpoint as one HTML file that computes in any browser: no server, no network, nothing to install."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from revorder.errors import ProblemError
from revorder.files import make_folder, write_whole
from revorder.methods import find_method
from revorder.model.checkpoint import CheckpointInfo, checkpoint
from revorder.model.llama_folder import read_llama
from revorder.model.tokenizer import Tokenizer

ENGINE = ("tokenizer", "llama", "expression", "lean", "solver", "unwritten", "reading", "sentences", "words")
SCRIPTS = ("work", "picture", "page")  # the scripts that need a page; the engine runs without one, in Node too
_HERE = Path(__file__).parent


def export_page(model: str | Path | None, path: Path) -> None:
    """Write a checkpoint as an HTML file, whole or not at all.

    Args:
        model: a checkpoint folder, or a shipped model's name.
        path: the file to write, such as `page.html`.

    Raises:
        ProblemError: the folder holds no checkpoint, or one of a method that the page can't judge.
    """
    folder = checkpoint(model)
    info = CheckpointInfo.load(folder)
    if info.method not in ("lean", "blocks"):
        raise ProblemError(f"{str(folder)!r} writes {info.method}; the page can judge lean and blocks alone")
    config, tensors = read_llama(folder, len(Tokenizer(info.places)))
    halves = {name: tensor.astype("float16") for name, tensor in tensors.items()}
    data = {
        "name": folder.name,
        "info": asdict(info),
        "size": find_method(info.method)[0].block_digits(info.form),
        "config": asdict(config),
        "tensors": list(config.shapes.items()),
        "type": "float16",
    }
    weights = base64.b64encode(b"".join(halves[name].tobytes() for name in config.shapes)).decode()
    make_folder(path.parent)
    write_whole(path, page(data, weights))


def page(data: dict[str, Any], weights: str) -> str:
    """Return page.html with its style, its scripts, and a model's description and weights filled in."""
    parts = {
        "style": beside("page.css"),
        "model": json.dumps(data).replace("<", "\\u003c"),
        "weights": weights,
        "engine": scripts(ENGINE),
        "script": scripts(SCRIPTS),
        "name": data["name"],
    }
    before, *rest = beside("page.html").split("{{")
    filled = [parts[name] + text for name, text in (piece.split("}}", 1) for piece in rest)]
    return before + "".join(filled)


def scripts(names: Iterable[str]) -> str:
    """Return the files of these names as one script."""
    return '"use strict";\n' + "".join(beside(f"{name}.js") for name in names)


def beside(name: str) -> str:
    """Return the text of a file of the page."""
    return (_HERE / name).read_text(encoding="utf-8")
