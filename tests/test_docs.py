"""The docs: the site builds and loads nothing from elsewhere, links lead somewhere, examples print what they show.

Run as a script, it writes the outputs of the notebook.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import revorder
from revorder.training.recipe import Recipe

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOTEBOOK = DOCS / "tutorial.ipynb"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(DOCS.rglob("*.md"))
EXAMPLES = [ROOT / "README.md", DOCS / "index.md", DOCS / "tutorial.md", DOCS / "csid.md"]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LOADED = r"""(?:<(?:script|img|iframe|source)\b[^>]*?\bsrc=|<link\b[^>]*?\bhref=|url\(|@import )["']?"""
ELSEWHERE = re.compile(LOADED + r"(?:https?:)?//")
NOT_RUN = re.compile(r"pip install|--install-completion|tiny")  # changes the machine, or needs a model that is trained
OFFLINE = os.environ | {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "COLUMNS": "80",
    "NO_MKDOCS_2_WARNING": "1",
    "OMP_NUM_THREADS": "1",
    "REVORDER_DATA": "",
}


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


def examples(page):
    """(command, what it prints) of every `$ command` in a page, which goes on in lines that begin with `>`."""
    for block in CONSOLE.findall(page.read_text()):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            while more := re.match("> ?(.*)\n", output):
                command, output = f"{command}\n{more[1]}", output[more.end() :]
            yield command, output


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_somewhere(page):
    for link in LINK.findall(CODE.sub("", page.read_text())):
        path = link.partition("#")[0]
        assert re.match("https?:", link) or not path or (page.parent / path).exists(), link


@pytest.mark.parametrize("page", EXAMPLES, ids=names(EXAMPLES))
def test_examples_print_what_the_page_shows(page, tmp_path):
    for command, output in examples(page):
        if NOT_RUN.search(command):
            continue
        shell = ["bash", "-c", f"exec 2>&1\n{command}"]
        done = subprocess.run(shell, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=OFFLINE, check=False)
        assert [line.rstrip() for line in done.stdout.splitlines()] == output.splitlines(), command


def test_the_tutorials_recipe_is_one():
    shown = (DOCS / "tutorial.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    recipe = Recipe.read(yaml.safe_load(shown))
    assert (recipe.name, recipe.steps) == ("tiny", 600)


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path):
    pytest.importorskip("mkdocs", reason="needs mkdocs: pip install 'revorder[docs]'")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", ROOT / "mkdocs.yml", "-d", tmp_path]
    done = subprocess.run(build, capture_output=True, text=True, env=OFFLINE, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for path in [*tmp_path.rglob("*.html"), *tmp_path.rglob("*.css")]:
        assert not ELSEWHERE.findall(path.read_text()), path
    for page, title in (("model", "Place tokens"), ("calculator", "Made by")):
        assert title in (tmp_path / page / "index.html").read_text()
    assert "<blockquote>" not in (tmp_path / "reference" / "judge" / "index.html").read_text()  # of >>> in docstrings


def outputs(cell):
    """What a cell printed or shows, as text; empty where it shows HTML."""
    shown = [output.get("text") or output.get("data", {}) for output in cell["outputs"]]
    texts = [data if isinstance(data, str) else "" if "text/html" in data else data["text/plain"] for data in shown]
    return "".join(texts)


def executed():
    """The notebook as it is stored, and as it runs now."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    stored, fresh = nbformat.read(NOTEBOOK, 4), nbformat.read(NOTEBOOK, 4)
    nbclient.NotebookClient(fresh, timeout=300, kernel_name="python3").execute(cwd=DOCS)
    return stored, fresh


def test_the_notebook_prints_what_it_shows():
    stored, fresh = executed()
    for before, now in zip(stored.cells, fresh.cells, strict=True):
        if now.cell_type == "code":
            assert outputs(now) == outputs(before), now.source


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == revorder.__version__
    assert re.findall("^## ([0-9.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == revorder.__version__


if __name__ == "__main__":
    _, fresh = executed()
    for cell in fresh.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if "text/html" not in output.get("data", {})]
    NOTEBOOK.write_text(json.dumps(fresh, indent=1, ensure_ascii=False) + "\n")
