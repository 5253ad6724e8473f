"""revorder report: the scores of a file of results again."""

import json
from dataclasses import asdict

import pytest

from revorder.cli.report import print_report
from revorder.evaluation.hard_suite import FAMILIES
from revorder.evaluation.runner import heading
from revorder.evaluation.scores import Result
from revorder.evaluation.tables import PAPER


@pytest.fixture
def results(tmp_path):
    """A file of 1,000 right results for each of some tasks, and two that are not."""

    def write(tasks):
        rows = [Result(task, f"{i}+1", "", "2", "2", True, True, None, "", 0, 0) for task in tasks for i in range(1000)]
        rows[0] = Result(tasks[0], "1+1", "1+1=r|3", "1", "2", False, True, None, "", 0, 0)
        wrong = "wrong digit in the sum 12+35: expected 'r|74', found ''"
        rows[1] = Result(tasks[0], "12+35", "12+35[/b]", None, "47", False, False, 0, wrong, 0, 0)
        path = tmp_path / "results.jsonl"
        path.write_text(heading({}) + "".join(json.dumps(asdict(row)) + "\n" for row in rows))
        return path

    return write


def test_it_reports_scores_and_errors(results, revorder):
    path = results(["ADD 8D+8D", "SUB 8D-8D"])
    shown = revorder("report", path, "--errors")
    assert shown.returncode == 1  # a wrong answer was verified
    assert "12+35[/b]: wrong" in shown.stdout.replace("\n", " "), shown.stdout  # what was written is no markup
    assert "1 of 2 tasks without an error, 1,998 of 2,000 problems correct, 1 wrong answers verified" in shown.stdout
    assert "MathGLM-2B" in shown.stdout and "12+35[/b]" not in revorder("report", path).stdout
    rows = [json.loads(line) for line in revorder("report", path, "--errors", "--json").stdout.splitlines()]
    assert [score.get("false_passes") for score in rows[:2]] == [1, 0] and rows[0]["correct"] == 998
    assert rows[1]["interval"] == pytest.approx([99.62, 100], abs=0.01)
    assert ("wrong digit in the sum", 1) in [(group.get("first_wrong"), group.get("problems")) for group in rows[2:]]


def test_a_run_without_a_result_is_refused_and_an_unfinished_one_told(results, tmp_path, revorder, refused):
    path = results(["ADD 8D+8D"])
    assert "is of a run that is not finished" in revorder("report", path.rename(tmp_path / "r.jsonl.partial")).stderr
    path.write_text(heading({}))
    assert "none in it yet; give a file that eval wrote" in refused("report", path)


@pytest.mark.parametrize("tasks", [list(PAPER["GPT-4"]), [f"{op} {name}" for name, op, _, _ in FAMILIES]])
def test_the_table_fits_80_columns(tasks, results, terminal):
    seen, status = terminal("report", results(tasks))
    lines = seen.splitlines()
    table = [line for line in lines if line.startswith("│")]
    assert status == 1 and "…" not in seen and max(len(line) for line in lines if line[0] in "┏┃│└") <= 80
    assert [line.split("│")[1].strip() for line in table] == tasks  # each row is one line
    assert table[1].split("│")[2:6] == [" 1000 ", " 100.0     ", " 99.62-100.00 ", " 1000     "]
    header = next(line for line in lines if "task" in line)
    assert all(name in header for name in ("n", "correct %", "95% interval", "verified")) and "GOAT-7B" not in seen
    assert ("RevOrder-1B" in header) == (tasks[0] in PAPER["RevOrder-1B"])


@pytest.mark.parametrize(("columns", "options"), [(80, ["--wide"]), (200, [])])
def test_all_columns_where_they_fit_or_are_asked_for(columns, options, results, terminal):
    seen, _ = terminal("report", results(["ADD 8D+8D"]), *options, columns=columns)
    header = next(line for line in seen.splitlines() if "task" in line)
    assert all(name in header for name in ("correct rollbacks", "GPT-4", "GOAT-7B", "RevOrder-1B")) and "…" not in seen


def test_a_file_that_eval_did_not_write_is_refused(refused, tmp_path):
    assert "line 1" in refused("report", __file__)
    assert "can't be read" in refused("report", tmp_path / "none.jsonl")
    (tmp_path / "docs.md").write_bytes(b"\xe9")
    assert "docs.md' can't be read" in refused("report", tmp_path, "--docs", tmp_path / "docs.md")
    assert "no results in " in refused("report", tmp_path)


def test_half_a_surrogate_in_a_reply_is_escaped(tmp_path, process):
    wrong = Result("ADD 1D", "1+1", "1+1=\ud800", None, "2", False, False, 0, "wrong: expected '2'", 0, 0)
    path = tmp_path / "results.jsonl"
    path.write_text(heading({}) + json.dumps(asdict(wrong)) + "\n")
    done = process("report", path, "--errors")
    assert done.returncode == 0 and "1+1=\\ud800: wrong" in done.stdout.replace("\n", " "), done.stderr
    print_report([wrong], True, False, False, tmp_path / "report.md")
    assert "1+1=\\ud800: wrong" in (tmp_path / "report.md").read_text()
