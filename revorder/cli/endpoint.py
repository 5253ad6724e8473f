"""The model of eval and gsm8k: options for one behind a server, and the identity of a model in results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from revorder.errors import ProblemError
from revorder.files import weights_digest

if TYPE_CHECKING:
    from revorder.inference.openai_server import Endpoint

SERVER = "A model behind a server"
BaseUrl = Annotated[
    Optional[str],
    typer.Option(
        help="An OpenAI-compatible server, such as http://localhost:8000/v1; --model is the model's name there.",
        rich_help_panel=SERVER,
    ),
]
Api = Annotated[Literal["chat", "completions"], typer.Option(help="The server's API.", rich_help_panel=SERVER)]
Timeout = Annotated[float, typer.Option(min=0.01, help="Seconds to wait for the server.", rich_help_panel=SERVER)]


def open_endpoint(model: str | None, base_url: str, max_tokens: int, **asked: Any) -> tuple[Endpoint, dict[str, Any]]:
    """Return a server's model, and the settings that its replies depend on."""
    from revorder.inference.openai_server import Endpoint, without_password

    if not model:
        raise ProblemError("model: missing; give --model, the name under which the server has it")
    endpoint = Endpoint(base_url, model, **asked)
    settings = {"method": endpoint.info.method, "shots": endpoint.shots, "api": endpoint.api, "max_tokens": max_tokens}
    return endpoint, {"model": model, "base_url": without_password(base_url)} | settings


def identity(model: str, folder: Path | None = None) -> dict[str, str]:
    """Return a model's name and the digest of its weights, which is empty for a model of the Hub."""
    return {"model": model, "weights": weights_digest(folder or Path(model))}
