"""revorder export: a checkpoint as one file for other runtimes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Json, Overwrite, tell
from revorder.errors import ProblemError
from revorder.files import refuse_existing
from revorder.inference.transformers_runtime import is_other_model
from revorder.model.checkpoint import shipped

FORMATS = {  # the function that writes it
    "html": ("revorder.integrations.page.export", "export_page"),
    "gguf": ("revorder.integrations.gguf", "export_gguf"),
    "onnx": ("revorder.integrations.onnx", "export_onnx"),
}


def command(
    checkpoint: Annotated[
        str,
        typer.Argument(
            help=f"A folder that train or finetune wrote, or a shipped model's name: {', '.join(shipped())}."
        ),
    ],
    out: Annotated[Path, typer.Argument(help="The file to write, such as page.html, model.gguf or model.onnx.")],
    to: Annotated[
        Optional[str], typer.Option(help="html, gguf or onnx; taken from the file's name by default.")
    ] = None,
    overwrite: Overwrite = False,
    json_: Json = False,
) -> None:
    """Write a checkpoint as a web page that computes, as GGUF for llama.cpp, or as ONNX for onnxruntime.

    The page is one file and needs nothing else; it judges the methods lean and blocks, so `paper` has none. GGUF and
    ONNX need the gguf or the onnx package. A fine-tuned model is written as GGUF alone.
    """
    kind = to or out.suffix.removeprefix(".")
    if kind not in FORMATS:
        given = f"--to {to}" if to else f"{str(out)!r}"
        raise ProblemError(f"{given} names no format; accepted: {', '.join(FORMATS)}")
    if kind != "gguf" and is_other_model(checkpoint):
        raise ProblemError(f"{checkpoint!r} has another tokenizer than train's; export it as GGUF, or with torch.onnx")
    refuse_existing(out, overwrite)
    module, function = FORMATS[kind]
    getattr(import_module(module), function)(checkpoint, out)
    tell(out, {"file": str(out), "format": kind, "bytes": out.stat().st_size}, json_)
