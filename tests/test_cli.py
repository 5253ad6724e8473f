"""The command line as a user runs it: a subprocess, its output, and its exit status."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

ROOT = Path(__file__).parent.parent


def revorder(*arguments, stdin=None, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "revorder", *arguments],
        input=stdin,
        capture_output=True,
        text=isinstance(stdin, str) or stdin is None,
        cwd=cwd or ROOT,
        env={**os.environ, "COLUMNS": "200"},
        timeout=120,
    )


def test_show():
    assert revorder("show", "948/12", "--rollback", "0:8").stdout == (
        "948/12=8R-(12*80)(r|069)(-r|21)W7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79\n"
    )
    shown = json.loads(revorder("show", "12*4567", "--method", "lean", "--json").stdout)
    assert shown["answer"] == "54804" and "".join(shown["steps"]) == shown["text"]
    assert revorder("show", "123+46", "--no-answer").stdout == "123+46=r|961\n"


def test_verify_one_verdict_a_line_and_exit_status():
    good = revorder("verify", stdin="12+35=r|74=47\n948/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79\n")
    assert (good.stdout, good.returncode) == ("ok 47\nok 79\n", 0)
    bad = revorder("verify", "--json", stdin="12+35=r|74=47\n12+35=r|75=57\n")
    verdicts = [json.loads(line) for line in bad.stdout.splitlines()]
    assert [v["ok"] for v in verdicts] == [True, False] and verdicts[1]["step"] == 0 and bad.returncode == 1


def test_verify_takes_expanded_traces_json_lines_and_any_bytes():
    shown = revorder("show", "948/12", "--form", "expanded").stdout.rstrip("\n")
    lines = shown.replace("\n", "\\n") + "\n" + json.dumps({"text": shown}) + "\n"
    assert revorder("verify", stdin=lines).stdout == "ok 79\nok 79\n"
    junk = revorder("verify", stdin=b'\xff\xfe{\x00\n{}\n{"text"\n')
    assert junk.returncode == 1 and junk.stdout.count(b"wrong at step 0") == 3


def test_csid_and_cost():
    assert revorder("csid", "123+179", "111+111").stdout == "2\n0\n"
    explained = json.loads(revorder("csid", "123+179", "--explain", "--json").stdout)
    assert explained["worst_case"] == 3 and explained["digits"][0]["sids"] == ["carry 2", "carry 1"]
    rows = [json.loads(line) for line in revorder("cost", "948/12", "--json").stdout.splitlines()]
    tokens = {(row["method"], row["form"]): row["tokens"] for row in rows}
    assert tokens["lean", "lean"] < tokens["revorder", "compact"] < tokens["revorder", "expanded"]
    assert "scratchpad" in revorder("cost", "948/12").stdout
    long = [json.loads(line) for line in revorder("cost", f"{'7' * 500}*{'7' * 500}", "--json").stdout.splitlines()]
    assert [row["method"] for row in long if row["tokens"] is None] == ["scratchpad"]


def test_solve():
    one = revorder("solve", "123456789+987654321")
    assert (one.stdout, one.returncode) == ("1111111110\n", 0)
    many = revorder("solve", "-", stdin="1+1\n\n12 × 3\n-5+2\n")
    assert (many.stdout, many.returncode) == ("2\n36\n-3\n", 0)
    item = json.loads(revorder("solve", "12+35", "--json").stdout)
    assert item["answer"] == "47" and item["verified"] is True and item["by"] == "model" and "r|74" in item["trace"]


def test_solve_shows_the_work_and_names_the_tool():
    shown = revorder("solve", "12+35", "--show")
    assert shown.stdout.splitlines() == ["12+35=r|74", "47"]
    tool = revorder("solve", "123+456", "--max-digits", "2")
    assert tool.stdout == "579\n" and "Python's integers" in tool.stderr and tool.returncode == 0


def test_bad_input_is_one_line_and_status_2_and_nothing_is_lost():
    result = revorder("solve", "-", stdin="1+1\n2++\n3+4\n")
    assert result.stdout == "2\nerror\n7\n" and result.returncode == 2
    assert result.stderr.count("\n") == 1 and "'2++'" in result.stderr and "accepted" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "x"], "'x'"),
        (["show", "1/0"], "division by zero"),
        (["show", "1+1", "--method", "nope"], "accepted: revorder, lean"),
        (["show", "1+1", "--form", "nope"], "accepted: compact, expanded"),
        (["show", "948/12", "--rollback", "0:7"], "except 7"),
        (["show", "948/12", "--rollback", "5:8"], "0 to 1"),
        (["show", "948/12", "--rollback", "x"], "STEP:DIGIT"),
        (["show", "1+1", "--rollback", "0:8"], "no quotient digit"),
        (["solve", "1+1", "--model", "no/such"], "no/such"),
        (["show", "1+1", "--forn", "x"], "option '--forn'"),
        (["show"], "problems"),
        (["nope"], "nope"),
        (["verify", "--problem", "12+35=99"], "'12+35=99'"),
        (["eval", "nope"], "bigbench"),
        (["eval", "extra", "--n", "0"], "--n"),
        (["eval", "extra", "--method", "lean"], "--base-url"),
        (["eval", "extra", "--base-url", ""], "model: missing"),
        (["eval", "one-digit", "--ops", "+"], "no problem with +"),
        (["eval", "extra", "+", "--out", "results.md"], "'results.md': accepted: a name that ends in .jsonl"),
        (
            ["eval", "extra", "+", "--n", "1", "--out", "no/such/folder.jsonl"],
            "accepted: a file in a folder that is there",
        ),
        (["solve", "1+1", "--model", "README.md"], "model 'README.md'"),
        (["train", "nope", "--out", "nowhere"], "accepted: a YAML file, or calculator"),
        (["eval", "bigbench", "--ops", "%"], "+ - * /"),
        (["eval", "bigbench", "--data", "no/such/folder"], "no/such/folder"),
        (["data", "no/such.yaml", "--out", "nowhere"], "no/such.yaml"),
    ],
)
def test_every_refusal_names_the_input_and_what_is_accepted(arguments, says, tmp_path):
    result = revorder(*arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert says in result.stderr and result.stderr.count("\n") == 1 and result.stderr.startswith("revorder: "), (
        result.stderr
    )


def test_an_expression_that_is_not_verified_has_no_answer(tmp_path):
    weights = tmp_path / "model.safetensors"
    shutil.copytree(ROOT / "revorder/checkpoints/narrow", tmp_path, dirs_exist_ok=True)
    arrays = load_file(weights)
    arrays["lm_head.weight"][:] = 0
    save_file(arrays, weights)
    one = revorder("solve", "1+1", "(1+1)*2", "--model", str(tmp_path))
    assert one.returncode == 1 and one.stdout == "not verified\n" * 2, one.stdout


def test_a_damaged_checkpoint_is_one_line(tmp_path):
    def refused():
        result = revorder("solve", "1+1", "--model", str(tmp_path))
        assert result.returncode == 2 and result.stderr.count("\n") == 1, result.stderr
        return result.stderr

    assert "no revorder.json" in refused()
    shutil.copytree(ROOT / "revorder/checkpoints/narrow", tmp_path, dirs_exist_ok=True)
    config, weights = tmp_path / "config.json", tmp_path / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1000])
    assert "can't be read" in refused()
    arrays = load_file(ROOT / "revorder/checkpoints/narrow/model.safetensors")
    save_file({name: array for name, array in arrays.items() if "layers.1" not in name}, weights)
    assert "lacks 'model.layers.1" in refused()
    weights.write_bytes(whole)
    config.write_text("[]")
    assert "accepted: a Llama folder" in refused()


def test_a_negative_problem_is_no_option():
    assert revorder("solve", "-3+5").stdout == "2\n"


def test_data_writes_shards_that_verify(tmp_path):
    done = revorder("data", "small", "--out", str(tmp_path / "d"), "--size", "300", "--shard-size", "100")
    assert done.returncode == 0, done.stderr
    shards = sorted((tmp_path / "d").glob("*.jsonl"))
    assert len(shards) == 3
    judged = revorder("verify", "--method", "lean", stdin=shards[0].read_text())
    assert judged.returncode == 0 and judged.stdout.count("ok ") == 100


def test_help_lists_every_command():
    out = revorder("--help").stdout
    for command in ("show", "verify", "csid", "cost", "data", "train", "eval", "solve"):
        assert command in out


def test_eval_writes_results_and_a_table_and_reports_them_again(tmp_path):
    out = tmp_path / "results.jsonl"
    first = revorder("eval", "extra", "--ops", "+", "--n", "5", "--out", str(out))
    assert first.returncode == 0 and "3 of 3 tasks without an error, 15 of 15 problems right" in first.stdout
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 15 and all(row["right"] and row["verified"] for row in rows)
    table = out.with_suffix(".md").read_text()
    assert table.startswith("| task |") and "| ADD 16D+16D | 5 | 100.0 |" in table and "15 of 15" in table
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.jsonl", "results.md"]

    wrong = rows[0] | {"answer": "1", "right": False, "verified": True}
    bad = rows[1] | {
        "text": "12+35[/b]",
        "verified": False,
        "step": 0,
        "reason": "wrong digit in the sum 12+35: expected 'r|74', found ''",
    }
    out.write_text("".join(json.dumps(row) + "\n" for row in [wrong, bad, *rows[2:]]))
    shown = revorder("eval", str(out), "--errors")
    assert "12+35[/b]: wrong" in shown.stdout.replace("\n", " "), shown.stdout  # what was written is no markup
    again = revorder("eval", str(out), "--errors", "--json")
    assert again.returncode == 1  # a wrong answer was verified
    scores = [json.loads(line) for line in again.stdout.splitlines()]
    assert [score.get("false_passes") for score in scores[:3]] == [1, 0, 0]
    assert ("wrong digit in the sum", 1) in [(group.get("first_wrong"), group.get("problems")) for group in scores[3:]]


def test_eval_of_a_server_that_is_not_there_is_one_line(tmp_path):
    out = tmp_path / "results.jsonl"
    asked = revorder(
        "eval",
        "extra",
        "--ops",
        "+",
        "--n",
        "1",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "x",
        "--out",
        str(out),
    )
    assert asked.returncode == 2 and asked.stderr.count("\n") == 1 and "127.0.0.1:9" in asked.stderr
    assert not out.exists()
    unnamed = revorder("eval", "extra", "--base-url", "http://127.0.0.1:9/v1")
    assert unnamed.returncode == 2 and "model" in unnamed.stderr
