"""The frontier: models of each size and form are trained and asked, and what they wrote is shown beside the costs."""

import re

import pytest
from smoke import smoke_results

from revorder import csid
from revorder.metrics.token_cost import cost
from revorder.reproduce.cells import read_cell
from revorder.reproduce.columns import table1_columns
from revorder.reproduce.exhibits import Chart, Table
from revorder.reproduce.experiment import RunInfo, texts_in
from revorder.reproduce.frontier import FRONTIER, LONGEST

COUNTED = ("MUL 3D", "DIV 6D/3D", *LONGEST)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The smoke preset's results."""
    return smoke_results(tmp_path_factory) / FRONTIER.name


@pytest.fixture(scope="module")
def shown(folder):
    """What is shown of them, by title."""
    return {exhibit.title: exhibit for exhibit in FRONTIER.render(FRONTIER.settings["smoke"], folder)}


def test_models_of_two_sizes_write_every_form_on_the_same_tokens(folder):
    cells = {name: read_cell(folder, name) for name in texts_in(folder)}
    assert sorted(cells) == ["blocks-1-small", "blocks-1-tiny", "blocks-3-small", "blocks-3-tiny"]
    for name, (what, results) in cells.items():
        assert (what["method"], what["form"]) == ("blocks", name[7]) and what["data"]["estimate_digits"] == int(
            name[7]
        ) + 1
        assert {result.task for result in results} == {"MUL 3D", "DIV 6D/3D"} and len(results) == 4
    spent = [what["tokens"] for what, _ in cells.values()]
    assert max(spent) < 1.1 * min(spent) and sum(spent) == RunInfo.read(folder).tokens


def test_each_form_costs_fewer_tokens_at_a_higher_csid(shown):
    table = shown["Tokens (mean CSID, greatest) by notation"]
    assert isinstance(table, Table)
    names = ["plain", "goat", "revorder compact", "revorder expanded", "lean", "blocks 1", "blocks 3"]
    assert table.header == ["column", *names] and len(table.rows) == len(COUNTED)
    rows = {row[0]: dict(zip(names, row[1:], strict=True)) for row in table.rows}
    for task, problems in table1_columns(3, only=COUNTED).items():
        assert rows[task]["lean"] == rows[task]["blocks 1"]
        (tokens, mean, greatest), (more, one, _) = (
            map(float, re.findall(r"[\d.]+", rows[task][name])) for name in ("blocks 3", "blocks 1")
        )
        assert tokens < more and mean > 1 == one
        assert greatest == max(csid(problem, "blocks", "3") for problem in problems)
        chart = shown[f"Tokens against CSID, {task}"]
        assert isinstance(chart, Chart) and [series.name for series in chart.series][:2] == ["blocks", "plain"]
        family, plain, *_ = chart.series
        assert len(family.points) == 2 and len(plain.points) == 1
        assert family.points[0] == (1, sum(cost(problem, "lean") for problem in problems) / 3)


def test_accuracy_is_shown_by_size_form_and_operation(shown):
    chart, table = shown["Accuracy along the frontier"], shown["Accuracy along the frontier, in numbers"]
    names = ["products, tiny", "quotients, tiny", "products, small", "quotients, small"]
    assert [series.name for series in chart.series] == names
    for series in chart.series:
        (low, _), (high, _) = series.points
        assert low == 1 < high and len(series.intervals) == 2
    assert [row[:2] for row in table.rows] == [["tiny", "1"], ["tiny", "3"], ["small", "1"], ["small", "3"]]
    assert table.header[4:] == ["MUL 3D", "DIV 6D/3D"] and all(len(row) == len(table.header) for row in table.rows)
    for (_, _, more, fewer_seen, *_), (_, _, fewer, more_seen, *_) in zip(
        table.rows[::2], table.rows[1::2], strict=True
    ):
        assert int(more) > int(fewer) and int(fewer_seen.replace(",", "")) < int(more_seen.replace(",", ""))
