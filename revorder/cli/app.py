"""revorder app: watch the model on a page."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from revorder.cli.common import Model
from revorder.model.checkpoint import checkpoint


def command(
    model: Model = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Write the model's page to a temporary file, print its path, and open it: type a problem, and watch its digits.

    The page needs no server and no network; `revorder export calculator page.html` writes it to a path of your choice.
    It judges the methods lean and blocks, so `paper` has no page.
    """
    from revorder.integrations.page.export import export_page

    path = Path(tempfile.mkdtemp(prefix="revorder-")) / f"{checkpoint(model).name}.html"
    export_page(model, path)
    print(path, flush=True)
    if open_:
        webbrowser.open(path.as_uri())
