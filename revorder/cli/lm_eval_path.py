"""revorder lm-eval-path: the folder of our tasks for lm-evaluation-harness."""

from __future__ import annotations

from pathlib import Path

from revorder.cli.common import Json, tell
from revorder.integrations import lm_eval


def command(json_: Json = False) -> None:
    """Print the folder to give lm-evaluation-harness: lm_eval run --include_path $(revorder lm-eval-path)."""
    folder = str(Path(lm_eval.__file__).parent)
    tell(folder, {"path": folder}, json_)
