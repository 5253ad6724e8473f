"""revorder export: a checkpoint as a file for other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Json, tell
from revorder.errors import ProblemError
from revorder.inference.transformers_runtime import is_other_model
from revorder.model.checkpoint import shipped

FORMATS = ("gguf", "onnx")


def command(
    checkpoint: Annotated[
        str, typer.Argument(help=f"A folder that train wrote, or a shipped model's name: {', '.join(shipped())}.")
    ],
    out: Annotated[Path, typer.Argument(help="The file to write, such as model.gguf or model.onnx.")],
    to: Annotated[
        Optional[str], typer.Option(help=f"{' or '.join(FORMATS)}; the end of the file's name if none.")
    ] = None,
    json_: Json = False,
) -> None:
    """Write a checkpoint as GGUF for llama.cpp, or as ONNX for onnxruntime; needs the gguf or the onnx package."""
    kind = to or out.suffix.removeprefix(".")
    if kind not in FORMATS:
        given = f"to {to!r}" if to else f"out {str(out)!r}"
        raise ProblemError(f"{given}: no such format; accepted: {', '.join(FORMATS)}, by --to or the file's name")
    if is_other_model(checkpoint):
        raise ProblemError(
            f"model {checkpoint!r}: its tokenizer is not that of train; accepted: a folder that train wrote; llama.cpp's "
            "convert_hf_to_gguf.py and torch.onnx take others"
        )
    if kind == "gguf":
        from revorder.integrations.gguf import export_gguf as export
    else:
        from revorder.integrations.onnx import export_onnx as export

    export(checkpoint, out)
    tell(out, {"file": str(out), "format": kind, "bytes": out.stat().st_size}, json_)
