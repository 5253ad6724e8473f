"""revorder solve: one answer a line, whatever becomes of stdout, and a line on stderr for what is not the model's."""

import json
import select
import shutil
import subprocess
import sys

import pytest
from safetensors.numpy import load_file, save_file

from revorder import trace
from revorder.model.checkpoint import SHIPPED
from revorder.model.tokenizer import Tokenizer


@pytest.fixture
def wrong_model(tmp_path):
    """A checkpoint that says nothing."""
    folder = tmp_path / "wrong"
    shutil.copytree(SHIPPED / "calculator", folder)
    arrays = load_file(folder / "model.safetensors")
    arrays["lm_head.weight"][:] = 0
    save_file(arrays, folder / "model.safetensors")
    return folder


def test_solve(process):
    one = process("solve", "123456789+987654321")
    assert (one.stdout, one.stderr, one.returncode) == ("1111111110\n", "", 0)


def test_many_with_blank_lines_in_their_places(revorder):
    many = revorder("solve", "-", stdin="\ufeff1+1\r\n\n12 × 3\n \n-5+2")
    assert (many.stdout, many.stderr, many.returncode) == ("2\n\n36\n\n-3\n", "", 0)
    lines = revorder("solve", "-", "--json", stdin="1+1\n\n2+2\n").stdout.split("\n")
    assert lines[1] == "" and [json.loads(lines[i])["answer"] for i in (0, 2)] == ["2", "4"]


def test_json_has_the_steps(revorder):
    item = json.loads(revorder("solve", "12+35", "--json").stdout)
    assert item["answer"] == "47" and item["verified"] is True and item["by"] == "model" and "r|74" in item["trace"]
    assert list(item)[:8] == ["problem", "answer", "trace", "verified", "by", "reason", "error", "steps"]
    item = json.loads(revorder("solve", "(12+34)*1234567", "--max-digits", "2", "--json").stdout)
    steps = [[step[key] for key in ("problem", "text", "method", "answer", "verified", "by")] for step in item["steps"]]
    assert steps == [
        ["12+34", "12+34=r|64", "lean", "46", True, "model"],
        ["46*1234567", "46*1234567=56790082", "plain", "56790082", True, "tool"],
    ]
    assert item["steps"][1]["reason"] == "more than 2 digits" and item["by"] == "tool"


def test_it_shows_the_work_and_names_the_tool(revorder):
    shown = revorder("solve", "12+35", "--show")
    assert shown.stdout.splitlines() == ["12+35=r|74", "47"]
    tool = revorder("solve", "123+456", "--max-digits", "2")
    assert tool.stdout == "579\n" and "Python's integers" in tool.stderr and tool.returncode == 0


def test_the_second_model_writes_the_papers_notation(revorder):
    work, answer = revorder("solve", "902/129", "--model", "paper", "--show").stdout.splitlines()
    assert work == trace("902/129", "revorder", "compact", rollback={0: 7}).text and answer == "6R128"
    item = json.loads(revorder("solve", "123456*654", "--model", "paper", "--json").stdout)
    assert (item["answer"], item["by"], item["verified"]) == ("80740224", "model", True)


def test_what_goes_to_the_tool_is_summed_up_in_one_line(revorder):
    lines = "1+1\n" + f"123+456\n({'9' * 400}+1)*2\n" * 500
    done = revorder("solve", "-", "--max-digits", "2", stdin=lines)
    assert done.returncode == 0 and done.stdout.count("\n") == 1001
    assert done.stderr == (
        "revorder: 1,500 of 1,501 operations by Python's integers; first: line 2: '123+456': more than 2 digits\n"
    )
    one = revorder("solve", f"{'9' * 400}+1").stderr
    assert one.count("\n") == 1 and one.count("999") < 30 and len(one) < 200  # cut short, and quoted once


def test_bad_input_is_one_line_and_status_2_and_nothing_is_lost(revorder):
    result = revorder("solve", "-", stdin="1+1\n2++\n\n3+4\n")
    assert result.stdout == "2\nerror\n\n7\n" and result.returncode == 2
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("revorder: line 2: problem '2++'")
    assert "accepted" in result.stderr
    several = revorder("solve", "1+1", "2++", "3+4")
    assert several.stdout == "2\nerror\n7\n" and several.stderr.startswith("revorder: problem '2++'")


def test_pieces_are_one_problem_and_problems_are_several(revorder):
    assert revorder("solve", "12", "+", "34").stdout == revorder("solve", "12 +", "34").stdout == "46\n"
    assert revorder("solve", "12", "-", "34").stdout == "-22\n"
    assert revorder("solve", "(1+2)", "*3").stdout == "9\n"
    assert revorder("solve", "1+2", "3+4").stdout == "3\n7\n"
    assert revorder("solve", "1+2", "-3+5").stdout == "3\n2\n"
    assert revorder("solve", "1+2", "-", "3+4", stdin="8+8\n").stdout == "4\n"
    assert revorder("solve", "1+2", "-", stdin="8+8\n").stdout == "3\n16\n"
    assert revorder("solve", "-", "1+2", stdin="8+8\n").stdout == "16\n3\n"


def test_decimals(revorder):
    one = revorder("solve", "1.5*2.25+10%")
    assert (one.stdout, one.stderr, one.returncode) == ("3.475\n", "", 0)
    shown = revorder("solve", "2.50-$1", "--show").stdout.splitlines()
    assert shown[0].startswith("250-100=") and shown[-1] == "1.5"
    pieces = revorder("solve", "1.5", "x", "3")
    assert pieces.stdout == "4.5\n"
    integers = revorder("solve", "7/2", "7/2+1")
    assert integers.stdout == "3R1\nerror\n" and "solve --decimals 6" in integers.stderr
    assert revorder("solve", "7/2", "7/2+1", "--decimals", "6").stdout == "3.5\n4.5\n"


def test_rounded_answers_are_named(revorder):
    one = revorder("solve", "2.0/3")
    assert (one.stdout, one.returncode) == ("0.666667\n", 0)
    assert one.stderr == "revorder: rounded to 6 decimals: '2.0/3'\n"
    many = revorder("solve", "-", "--decimals", "2", stdin="1/4\n2/3\n-1/8\n")
    assert many.stdout == "0.25\n0.67\n-0.13\n"
    assert many.stderr == "revorder: 2 of 3 answers rounded to 2 decimals; first: line 2: '2/3'\n"
    item = json.loads(revorder("solve", "2/3", "--decimals", "2", "--json").stdout)
    assert (item["answer"], item["decimals"], item["rounded"]) == ("0.67", 2, True)


def test_decimals_that_are_none_are_refused(refused):
    assert "decimals" in refused("solve", "1.5", "--decimals", "-1")
    assert "decimals" in refused("solve", "1.5", "--decimals", "1001")


def test_a_negative_problem_is_no_option(revorder):
    assert revorder("solve", "-3+5").stdout == "2\n"


def test_a_rejected_trace_is_repaired(wrong_model, revorder):
    done = revorder("solve", "1+1", "(1+1)*2", "--model", wrong_model)
    assert (done.stdout, done.returncode) == ("2\n4\n", 0)
    assert done.stderr == (
        "revorder: 3 of 3 operations repaired by Python's integers; first: '1+1': the text ends early: "
        "expected 'r|2', found ''\n"
    )
    item = json.loads(revorder("solve", "1+1", "--model", wrong_model, "--json").stdout)
    assert (item["answer"], item["verified"], item["by"]) == ("2", True, "repaired")
    assert item["steps"][0]["by"] == "repaired" and item["steps"][0]["reason"].startswith("the text ends early")
    lines = revorder("solve", "1+1", "(1+1)*2", "--model", wrong_model, "--json").stdout
    assert revorder("verify", stdin=lines).stdout == "ok 2\nok 4\n"
    shown = revorder("solve", "1+1", "--model", wrong_model, "--show").stdout.splitlines()
    assert shown[0].startswith("1+1=") and "rejected" in shown[0] and shown[1:] == ["1+1=2", "2"]


def test_model_only_marks_what_the_judge_rejects(wrong_model, revorder):
    done = revorder("solve", "1+1", "(1+1)*2", "--model", wrong_model, "--model-only")
    assert (done.stdout, done.returncode) == ("not verified\n" * 2, 1)
    assert done.stderr.startswith("revorder: 2 of 2 operations not verified; first: '1+1': the text ends early")
    good = revorder("solve", "12+35", "--model-only")
    assert (good.stdout, good.stderr, good.returncode) == ("47\n", "", 0)
    beyond = revorder("solve", f"{'1' * 60}+1", "--model-only")
    assert (beyond.stdout, beyond.returncode) == ("not verified\n", 1)
    lines = revorder("solve", "1+1", "--model", wrong_model, "--model-only", "--json").stdout
    assert json.loads(lines)["verified"] is False and revorder("verify", stdin=lines).returncode == 1


def test_model_only_prints_what_the_model_said(tmp_path, revorder):
    shutil.copytree(SHIPPED / "calculator", tmp_path, dirs_exist_ok=True)
    ids = Tokenizer().ids
    seven, eight = ids["7₁"], ids["8₁"]  # as the lowest digit of a reversed number
    arrays = load_file(tmp_path / "model.safetensors")
    arrays["lm_head.weight"][[seven, eight]] = arrays["lm_head.weight"][[eight, seven]]
    save_file(arrays, tmp_path / "model.safetensors")
    said = revorder("solve", "3+4", "1+1", "--model", tmp_path, "--model-only")
    assert (said.stdout, said.returncode) == ("not verified: 8\n2\n", 1)
    assert said.stderr == "revorder: not verified: '3+4': wrong digit in the sum 3+4: expected 'r|7', found 'r|8'\n"
    repaired = revorder("solve", "-", "--model", tmp_path, stdin="1+1\n3+4\n")
    assert (repaired.stdout, repaired.returncode) == ("2\n7\n", 0)
    assert repaired.stderr.startswith("revorder: line 2: repaired by Python's integers: '3+4': wrong digit")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_answers_go_where_stdout_goes_while_stderr_is_a_terminal(options, terminal, tmp_path):
    problems = "".join(f"{a}+35\n" for a in range(1500))
    with open(tmp_path / "out", "w") as out:
        seen, status = terminal(
            "solve",
            "-",
            "--model",
            "calculator",
            *options,
            stdin=problems,
            stdout=out,
            code="import revorder.cli.solve as s; s.DELAY = 0",
        )
    lines = (tmp_path / "out").read_text().splitlines()
    answers = [json.loads(line)["answer"] for line in lines] if options else lines
    assert answers == [str(a + 35) for a in range(1500)] and status == 0
    assert "problems" in seen and "\n35" not in seen  # the bar, and no answer


def test_answers_reach_a_pipe_while_stderr_is_a_terminal(terminal, tmp_path):
    problems = "".join(f"{a}+35\n" for a in range(300))
    count = subprocess.Popen(["wc", "-l"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert terminal("solve", "-", stdin=problems, stdout=count.stdin)[1] == 0
    count.stdin.close()
    assert count.stdout.read().strip() == "300"


def test_an_answer_comes_as_soon_as_the_writer_waits():
    command = [sys.executable, "-m", "revorder", "solve", "-"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    running = subprocess.Popen(command, bufsize=0, **pipes)
    for asked, answer in ((b"1+1\n", [b"2\n"]), (b"2+2\n\n3+3\n4+", [b"4\n", b"\n", b"6\n"]), (b"4\n", [b"8\n"])):
        running.stdin.write(asked)
        for line in answer:
            assert select.select([running.stdout], [], [], 60)[0], f"no answer to {asked}"
            assert running.stdout.readline() == line
    running.stdin.close()
    assert (running.stdout.read(), running.stderr.read(), running.wait(60)) == (b"", b"", 0)


def test_a_closed_pipe_and_a_full_disk(process):
    with open("/dev/full", "w") as full:
        done = process("solve", "1+1", stdout=full)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "No space left" in done.stderr
    head = subprocess.run(
        f"yes 12+35 | head -20000 | {sys.executable} -m revorder solve - | head -1",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert (head.stdout, head.stderr) == (b"47\n", b"")


@pytest.mark.parametrize(
    ("arguments", "says"), [(["--model", "no/such"], "no/such"), (["--model", "README.md"], "model 'README.md'")]
)
def test_what_is_no_checkpoint_is_named(arguments, says, refused, monkeypatch):
    monkeypatch.chdir(SHIPPED.parent.parent)
    assert says in refused("solve", "1+1", *arguments)


def test_a_file_is_named_as_one(refused, tmp_path):
    (tmp_path / "p10k.txt").write_text("1+1\n")
    assert "p10k.txt' is a file; to read its lines, give - and: < " in refused("solve", tmp_path / "p10k.txt")


def test_a_damaged_checkpoint_is_one_line(tmp_path, process):
    def refused():
        result = process("solve", "1+1", "--model", tmp_path)
        assert result.returncode == 2 and result.stderr.count("\n") == 1, result.stderr
        return result.stderr

    assert "no revorder.json" in refused()
    shutil.copytree(SHIPPED / "calculator", tmp_path, dirs_exist_ok=True)
    config, weights = tmp_path / "config.json", tmp_path / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1000])
    assert "can't be read" in refused()
    arrays = load_file(SHIPPED / "calculator" / "model.safetensors")
    save_file({name: array for name, array in arrays.items() if "layers.1" not in name}, weights)
    assert "model.layers.1" in refused()
    weights.write_bytes(whole)
    config.write_text("[]")
    assert "config.json" in refused()
