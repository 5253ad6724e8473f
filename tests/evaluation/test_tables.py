"""Tables: the paper's numbers, and what fits a terminal of 80 columns."""

import json

from revorder.evaluation.scores import Score
from revorder.evaluation.suites import EXTRA
from revorder.evaluation.tables import PAPER, markdown, table


def test_the_papers_table(shared):
    paper = json.loads((shared.parent / "paper" / "tables.json").read_text())["table1"]
    for model in PAPER:
        numbers = [value for op in ("ADD", "SUB", "MUL", "DIV") for value in paper[model][op]]
        assert list(PAPER[model].values()) == numbers
        assert list(PAPER[model]) == [f"{op} {task}" for op in paper["tasks"] for task in paper["tasks"][op]]


def test_every_larger_column_is_in_the_papers_table():
    assert {name for name, *_ in EXTRA} <= set(PAPER["RevOrder-1B"])
    header, rows = table([Score("ADD 5D", 1, 1, 1)])
    assert markdown(header, rows).splitlines()[2].startswith("| ADD 5D | 1 | 100.0 |")
    assert dict(zip(header, rows[0], strict=True))["GOAT-7B"] == "98.1"


def test_the_narrow_table_has_the_papers_column_where_it_has_a_number():
    row = Score("DIV 12D/6D", 1000, 999, 999)
    assert table([row], wide=False) == (
        ["task", "n", "correct %", "95% interval", "verified", "RevOrder-1B"],
        [["DIV 12D/6D", "1000", "99.90", "99.44-99.98", "999", "99.4"]],
    )
    assert "RevOrder-1B" not in table([Score("+ a = b", 276, 276, 276)], wide=False)[0]
