"""What mkdocs and griffe call while they build the site."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import griffe
from mkdocs.structure.files import File, InclusionLevel

from revorder.integrations.page.export import export_page

BESIDE = {  # pages that stand outside of docs/: where they are, and where in the site
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "experiments/LOG.md": "experiments",
    "revorder/checkpoints/calculator/README.md": "calculator",
    "revorder/checkpoints/paper/README.md": "paper",
}
_DOCTEST = re.compile(r"^>>> .+?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def on_files(files, config):
    """Add the pages of BESIDE, under the paths that links to them have in a checkout."""
    for path, place in BESIDE.items():
        where = {"dest_uri": f"{place}/index.html", "inclusion": InclusionLevel.INCLUDED}
        files.append(File(f"../{path}", config.docs_dir, config.site_dir, True, **where))
    files.append(File.generated(config, "try.html", content=_calculator_page()))
    return files


def _calculator_page():
    """The shipped model as the one file that `revorder export calculator page.html` writes."""
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "page.html"
        export_page(None, path)
        return path.read_text(encoding="utf-8")


class Doctests(griffe.Extension):
    """Fences the examples in docstrings, which Markdown would take for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        if obj.docstring:
            obj.docstring.value = _DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
