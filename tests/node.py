"""The engine of an exported page in Node, asked a batch of questions by `page.js`."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "page.js"


def ask_node(page, requests):
    """The reply to each request, in order; skips the test where Node is missing."""
    if not shutil.which("node"):
        pytest.skip("needs node: apt-get install nodejs")
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(["node", RUN, page], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
