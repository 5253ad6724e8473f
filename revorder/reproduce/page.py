"""All results as one self-contained HTML page, and as Markdown for the docs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from html import escape
from pathlib import Path
from typing import Any

from revorder.errors import ProblemError
from revorder.evaluation.tables import markdown
from revorder.files import make_folder, read_text, write_whole
from revorder.provenance import joined
from revorder.reproduce import EXPERIMENTS
from revorder.reproduce.cells import training_heads
from revorder.reproduce.charts import svg, write_png
from revorder.reproduce.exhibits import Chart, Exhibit, Sample, Table
from revorder.reproduce.experiment import Experiment, RunInfo, as_stored, results_in

STYLE = Path(__file__).with_name("page.css")


def source_of(info: RunInfo, folder: Path) -> tuple[Experiment, Any]:
    """Return the experiment and settings that made some results; raises ProblemError if either has changed since."""
    experiment = EXPERIMENTS.get(info.experiment)
    if experiment is None:
        raise ProblemError(
            f"results {str(folder)!r} have an unknown experiment {info.experiment!r}; accepted:"
            f" {', '.join(EXPERIMENTS)}"
        )
    if info.preset not in experiment.settings:
        raise ProblemError(
            f"results {str(folder)!r} have an unknown preset {info.preset!r}; accepted:"
            f" {', '.join(experiment.settings)}"
        )
    settings = experiment.settings[info.preset]
    if info.settings != as_stored(settings):
        raise ProblemError(f"results {str(folder)!r} have other settings than today's; run the experiment again")
    return experiment, settings


def exhibits_of(info: RunInfo, folder: Path) -> list[Exhibit]:
    """Return an experiment's exhibits; raises ProblemError if its results are damaged or have other settings."""
    experiment, settings = source_of(info, folder)
    return experiment.show(settings, folder)


def write_page(out: Path, page: Path) -> None:
    """Write the page of all experiments in `out`; of an unfinished one, the models it has (of Table 3, nothing)."""
    parts, links = [], []
    for info, folder in results_in(out):
        body = "\n".join(as_html(exhibit) for exhibit in exhibits_of(info, folder))
        experiment = EXPERIMENTS[info.experiment]
        links.append(f'<a href="#{experiment.name}">{escape(experiment.shows)}</a>')
        parts.append(
            f'<section><h2 id="{experiment.name}">{escape(experiment.shows)}: {escape(experiment.title)}</h2>\n'
            f'<p class="cost">{escape(cost_line(info, folder))}</p>\n{body}</section>'
        )
    write_whole(
        page,
        f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>RevOrder, reproduced</title>\n"
        '<meta name=viewport content="width=device-width,'
        f' initial-scale=1">\n<style>{STYLE.read_text()}</style></head><body>\n'
        f"<h1>RevOrder, reproduced</h1>\n<nav>{' '.join(links)}</nav>\n" + "\n".join(parts) + "\n</body></html>\n",
    )


def cost_line(info: RunInfo, folder: Path) -> str:
    """Return one line on what made the results and the cost; the cells' records come before run.json."""
    if not EXPERIMENTS[info.experiment].stores_results:
        return f"{info.command}; by the code that wrote this page"
    heads = training_heads(folder)
    commits = reduce(joined, (one for what in heads for one in what["commit"].split(", ")), "") or info.commit
    seconds = sum(what["seconds"] for what in heads) if heads else info.seconds
    libraries = ", ".join(f"{name} {number}" for name, number in info.versions.items())
    seeds = sorted({(what.get("training") or what["recipe"])["seed"] for what in heads})
    tokens = sum(what["tokens"] for what in heads) or info.tokens
    spent = f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}, " if seeds else ""
    spent += f"{tokens:,} training tokens, " if tokens else ""
    time = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
    state = "" if info.done else "; unfinished: the same command resumes"
    return (
        f"{info.command}; commit {commits}; {libraries}; {info.hardware};"
        f" {spent}{time}{' of training' if heads else ''}{state}"
    )


def as_html(exhibit: Exhibit) -> str:
    note = f'<p class="note">{escape(exhibit.note)}</p>' if exhibit.note else ""
    if isinstance(exhibit, Sample):
        inner = f"<pre>{escape(exhibit.text)}</pre>"
    elif isinstance(exhibit, Chart):
        inner = f'<div class="scroll" role="img" aria-label="{escape(exhibit.title)}">{svg(exhibit)}</div>'
    else:
        head = "".join(f"<th scope=col>{escape(cell)}</th>" for cell in exhibit.header)
        rows = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in exhibit.rows)
        inner = f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'
    return f"<h3>{escape(exhibit.title)}</h3>\n{inner}\n{note}"


# Markdown: the text between `<!-- result NAME -->` and `<!-- end -->` in the docs is written from the results

_BEGIN = re.compile("^<!-- result", re.MULTILINE)
_PLACE = re.compile(r"(<!-- result ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def as_markdown(info: RunInfo, folder: Path, exhibits: Sequence[Exhibit], images: Path | None) -> str:
    """Return an experiment's exhibits as Markdown, its cost last; charts go to the folder `images`, if given."""
    parts = []
    for i, exhibit in enumerate(exhibits):
        if isinstance(exhibit, Table):
            parts.append(
                f"**{exhibit.title}**\n\n{markdown(list(exhibit.header), [list(row) for row in exhibit.rows])}"
            )
        elif isinstance(exhibit, Sample):
            parts.append(f"**{exhibit.title}**\n\n```text\n{exhibit.text}\n```")
        else:
            name = f"{info.experiment}-{i}.png"
            if images:
                make_folder(images)
                write_png(exhibit, images / name)
            parts.append(f"![{exhibit.title}](images/{name})")
        if exhibit.note and not isinstance(exhibit, Chart):
            parts.append(f"({exhibit.note})")
    return "\n\n".join([*parts, f"`{info.command}`: {cost_line(info, folder).partition('; ')[2]}."]) + "\n"


def pages_in(docs: Iterable[Path]) -> list[Path]:
    """Return the pages to fill: each file given, and in each folder given the pages with places for results."""
    found: list[Path] = []
    for path in docs:
        pages = sorted(path.glob("*.md")) if path.is_dir() else [path]
        found += [page for page in pages if page == path or _BEGIN.search(read_text(page))]
    return found


def results_for(text: str, out: Path) -> dict[str, tuple[RunInfo, Path]]:
    """Return the results in `out`; raises ProblemError if the text has no place, or a result is missing."""
    found = {info.experiment: (info, folder) for info, folder in results_in(out)}
    places = [place[2] for place in _PLACE.finditer(text)]
    if not places or len(places) != len(_BEGIN.findall(text)):
        raise ProblemError("docs: no place for a result; write <!-- result NAME -->, and <!-- end --> below it")
    for name in places:
        if name not in found:
            raise ProblemError(f"result {name!r} is not in {str(out)!r}; accepted: {', '.join(found)}")
    return found


def fill_docs(
    text: str, out: Path, images: Path | None = None, shown: Mapping[str, Sequence[Exhibit]] | None = None
) -> str:
    """Return a text of the docs with every result in its place; raises ProblemError if a result is missing.

    Args:
        text: A page of the docs.
        out: The folder of the results.
        images: The folder for the charts; without it none is drawn.
        shown: The exhibits that are known, by experiment.
    """
    found, known = results_for(text, out), shown or {}

    def filled(place: re.Match[str]) -> str:
        info, folder = found[place[2]]
        exhibits = known.get(info.experiment) or exhibits_of(info, folder)
        return place[1] + as_markdown(info, folder, exhibits, images) + place[3]

    return _PLACE.sub(filled, text)
