"""Shell completion: the script that bash takes, what it completes, and that it loads nothing heavy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(not BASH, reason="needs bash")
COMPLETE = """
source <(revorder --show-completion)
COMP_WORDS=({line}) COMP_CWORD={at}
_revorder_completion revorder
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def bash(tmp_path):
    """Run lines in bash, with `revorder` on its path and a home of its own; returns what they wrote."""

    def run(lines):
        home = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        command = [BASH, "--norc", "-c", f"{lines}\nexit $?"]  # the last command would take bash's place
        done = subprocess.run(
            command, capture_output=True, text=True, env=os.environ | home, cwd=tmp_path, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    return run


@pytest.mark.parametrize(
    ("line", "at", "completed"), [("revorder so", 1, "solve"), ("revorder csid --exp", 2, "--explain")]
)
def test_bash_completes_commands_and_options(bash, line, at, completed):
    assert bash(COMPLETE.format(line=line, at=at)) == f"{completed}\n"


def test_it_is_installed_for_the_shell_in_use(bash, tmp_path):
    assert "bash completion installed" in bash("revorder --install-completion")
    assert "_revorder_completion" in (tmp_path / ".bash_completions" / "revorder.sh").read_text()


def test_completing_a_word_loads_nothing_heavy(tmp_path):
    code = (
        "import sys, atexit; sys.argv = ['revorder']; from revorder.cli import main\natexit.register(lambda:"
        " print({'torch', 'transformers', 'ctranslate2', 'numpy'} & sys.modules.keys(), file=sys.stderr))\nmain()"
    )
    word = {"_REVORDER_COMPLETE": "complete_bash", "COMP_WORDS": "revorder so", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | word, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "solve\n", "set()\n")
