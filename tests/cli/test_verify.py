"""revorder verify: a verdict a trace, and what show and solve write is read back."""

import json

import pytest

from revorder import METHODS
from revorder.cli import common


def test_one_verdict_a_line_and_exit_status(revorder):
    good = revorder("verify", stdin="12+35=r|74=47\n948/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79\n")
    assert (good.stdout, good.returncode) == ("ok 47\nok 79\n", 0)
    assert revorder("verify", stdin="\n").stderr == "revorder: stdin is empty; give it traces\n"
    bad = revorder("verify", "--json", stdin="12+35=r|74=47\n12+35=r|75=57\n")
    verdicts = [json.loads(line) for line in bad.stdout.splitlines()]
    assert [v["ok"] for v in verdicts] == [True, False] and verdicts[1]["step"] == 0 and bad.returncode == 1


def test_it_takes_expanded_traces_json_lines_and_any_bytes(revorder):
    shown = revorder("show", "948/12", "--form", "expanded").stdout.rstrip("\n")
    lines = shown.replace("\n", "\\n") + "\n" + json.dumps({"text": shown}) + "\n"
    assert revorder("verify", stdin=lines).stdout == "ok 79\nok 79\n"
    row = json.dumps({"op": "+", "a": "1", "b": "2", "answer": "47", "text": "12+35=r|74=47"})
    assert "expected '1+2'" in revorder("verify", stdin=row).stdout
    row = json.dumps({"prompt": "12+35=", "completion": "r|74=47"})
    assert revorder("verify", stdin=f" {row}\n12+35\n =r|74\n =47\n").stdout == "ok 47\nok 47\n"
    assert "the keys 'messages'; accepted: text, " in revorder("verify", stdin='{"messages": []}').stdout
    junk = revorder("verify", stdin=b'\xff\xfe{\x00\n{}\n{"text"\n')
    assert junk.returncode == 1 and junk.stdout.count("wrong at step 0") == 3
    deep = revorder("verify", stdin="{" + '"a":[' * 100_000)
    assert deep.returncode == 1 and deep.stdout.count("\n") == 1


def test_a_form_without_a_method_is_that_of_a_json_line(revorder):
    shown = revorder("show", "1234567/12", "--method", "blocks", "--form", "2", "--json").stdout
    assert revorder("verify", "--form", "2", stdin=shown).stdout == "ok 102880R7\n"
    assert "form '2' is unknown" in revorder("verify", "--form", "2", stdin="12+35=r|74=47\n").stderr


@pytest.mark.parametrize(("method", "form"), [(name, form) for name in METHODS for form in METHODS[name].forms])
def test_what_show_writes_is_judged_right(method, form, revorder):
    problems = ["12+35", "9-4", "12-35", "12*4567", "948/12", "950/12", "0/7"]
    shown = revorder("show", *problems, "--method", method, "--form", form).stdout
    right = "ok 47\nok 5\nok -23\nok 54804\nok 79\nok 79R2\nok 0\n"
    judged = revorder("verify", "--method", method, stdin=shown)
    assert (judged.stdout, judged.returncode) == (right, 0)
    assert revorder("verify", "--method", method, "--form", form, stdin=shown).stdout == right
    blocks = shown.split("\n\n") if "\n\n" in shown else shown.splitlines()
    escaped = "".join(block.strip("\n").replace("\n", "\\n") + "\n" for block in blocks)
    assert revorder("verify", "--method", method, stdin=escaped).stdout == right
    lines = revorder("show", *problems, "--method", method, "--form", form, "--json").stdout
    assert revorder("verify", stdin=lines).stdout == right  # the method stands in the line


def test_a_form_that_is_asked_for_is_that_of_a_line_of_json_too(revorder):
    line = revorder("show", "12*34", "--json").stdout
    assert revorder("verify", "--form", "compact", stdin=line).stdout == "ok 408\n"
    assert revorder("verify", "--form", "expanded", stdin=line).stdout.startswith("wrong at step 0")
    assert "form 'no' is unknown" in revorder("verify", stdin='{"text": "12+35=r|74=47", "form": "no"}').stdout


def test_a_wrong_line_of_a_block_is_found(revorder):
    shown = revorder("show", "29+57", "9-4", "--method", "scratchpad").stdout
    judged = revorder("verify", "--method", "scratchpad", stdin=shown.replace("6 C: 1", "5 C: 1"))
    assert judged.stdout.splitlines()[1:] == ["ok 5"] and judged.stdout.startswith("wrong at step 1: wrong digit")
    assert judged.returncode == 1
    expanded = revorder("show", "29+57", "9-4", "--form", "expanded").stdout.replace("r|68", "r|69")
    assert revorder("verify", stdin=expanded).stdout.splitlines()[1] == "ok 5"


def test_the_named_method_judges_where_the_line_names_another(revorder):
    line = revorder("show", "12*4567", "--json").stdout
    assert revorder("verify", "--method", "revorder", stdin=line).stdout == "ok 54804\n"
    assert revorder("verify", "--method", "lean", stdin=line).returncode == 1
    assert "'nope' is unknown" in revorder("verify", stdin='{"text": "1+1=2", "method": "nope"}').stdout


def test_what_solve_writes_is_judged_step_by_step(revorder):
    solved = revorder("solve", "(12+34)*2-100", "7", "950/12", f"{'1' * 50}+1", "--json").stdout
    big = int("1" * 50) + 1
    judged = revorder("verify", stdin=solved)
    assert (judged.stdout, judged.returncode) == (f"ok -8\nok 7\nok 79R2\nok {big}\n", 0)
    assert revorder("verify", "--method", "goat", stdin=solved).stdout == judged.stdout  # each step has its own
    assert revorder("verify", "--problem", "7", stdin=solved.splitlines()[1]).returncode == 0


def test_decimals_that_solve_writes_are_judged(revorder):
    solved = revorder("solve", "1.5*2.25+10%", "2.0/3", "$.5", "--json").stdout
    judged = revorder("verify", stdin=solved)
    assert (judged.stdout, judged.returncode) == ("ok 3.475\nok 0.666667\nok 0.5\n", 0)
    item = json.loads(revorder("solve", "2/3", "--decimals", "2", "--json").stdout)
    assert revorder("verify", "--problem", "2/3", stdin=json.dumps(item)).stdout == "ok 0.67\n"
    for other, says in (
        ({"decimals": 3}, "step 0: 2000/3: the question was changed"),
        ({"decimals": None}, "step 0: 2/3: the question was changed"),
        ({"decimals": "2"}, "decimals '2': accepted: 0 to 1000"),
        ({"decimals": -1}, "decimals -1: accepted: 0 to 1000"),
        ({"answer": "0.66"}, "wrong answer: expected '0.67', found '0.66'"),
    ):
        judged = revorder("verify", stdin=json.dumps({**item, **other}))
        assert judged.returncode == 1 and judged.stdout.startswith("wrong at ") and says in judged.stdout, judged


def test_traces_are_of_integers(revorder, refused):
    judged = revorder("verify", "--method", "mathglm", stdin="1.5+2=3.5\n")
    assert judged.returncode == 1 and "'1.5+2': accepted here: integers" in judged.stdout
    assert "two non-negative integers" in revorder("verify", stdin="1.5+2=3.5\n").stdout
    assert "two non-negative integers" in refused("show", "1.5+2")
    assert "accepted here: integers" in refused("show", "1+2*.5", "--method", "mathglm")


def test_a_solution_that_was_tampered_with_is_wrong(revorder):
    item = json.loads(revorder("solve", "(12+34)*2-100", "--json").stdout)
    first, second, third = item["steps"]
    for other, says in (
        ({"steps": [first, {**second, "text": second["text"].replace("r|29", "r|39")}, third]}, "step 1: 46*2: wrong"),
        ({"steps": [first, third]}, "step 1: 46*2: the question was changed"),
        ({"steps": [first, second]}, "step 2: the steps end before 92-100"),
        ({"steps": [first, second, third, third]}, "step 3: nothing is left"),
        ({"answer": "8"}, "step 3: wrong answer: expected '-8', found '8'"),
        ({"problem": "(12+35)*2-100"}, "step 0: 12+35: the question was changed"),
        ({"steps": [{}]}, "step 0: not what solve writes"),
        ({"steps": [5]}, "step 0: not what solve writes"),
        ({"problem": None}, "step 0"),
    ):
        judged = revorder("verify", stdin=json.dumps({**item, **other}))
        assert judged.returncode == 1 and judged.stdout.startswith("wrong at ") and says in judged.stdout, judged
    changed = revorder("verify", "--problem", "1+1", stdin=json.dumps(item))
    assert "the question was changed: expected '1+1'" in changed.stdout


def test_an_unreadable_problem_is_refused(refused):
    assert "'12+35=99'" in refused("verify", "--problem", "12+35=99")
    assert "accepted: revorder, lean" in refused("verify", "--method", "nope")


def test_the_problem_and_the_answer_beside_a_trace_are_judged_too(revorder):
    item = json.loads(revorder("show", "1+1", "--json").stdout)
    for answer in ("2", 2, None):
        assert revorder("verify", stdin=json.dumps({**item, "answer": answer})).stdout == "ok 2\n"
    for other, says in (
        ({"problem": "2*3"}, "the question was changed"),
        ({"answer": "6"}, "wrong answer: expected '2', found '6'"),
    ):
        judged = revorder("verify", stdin=json.dumps({**item, **other}))
        assert judged.returncode == 1 and judged.stdout.startswith("wrong at ") and says in judged.stdout, judged


def test_a_line_has_an_end(refused, revorder, monkeypatch):
    monkeypatch.setattr(common, "MAX_LINE", 100_000)
    assert revorder("verify", stdin="1+1=r|2=2\n" * 20_000).returncode == 0
    assert "line of stdin has more than 100000 bytes" in refused("verify", stdin="1" * 200_000)
