"""revorder app: a page to watch the model on."""

from __future__ import annotations

import threading
from typing import Annotated, Optional

import typer

from revorder.cli.common import Model


def command(
    model: Model = None,
    port: Annotated[
        Optional[int], typer.Option(min=1, max=65535, help="A free one from 7860 on if none.", show_default=False)
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Open a page: type an expression, and watch its digits arrive and be judged. Ctrl-C ends it.

    The page is served to this machine alone, and loads nothing from elsewhere.
    """
    from revorder.integrations.app import open_app

    blocks = open_app(model, port, browser)
    print(blocks.local_url, flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        blocks.close(verbose=False)
