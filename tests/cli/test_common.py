"""What every command does: help, version, bad input in one line, and output that can't be written."""

import json
import os
import resource
import subprocess
import sys

import pytest

from revorder import __version__
from revorder.cli import common
from revorder.files import HOST

COMMANDS = ["solve", "show", "app", "verify", "csid", "cost", "eval", "report", "audit", "reproduce", "data", "rewrite"]
COMMANDS += ["check", "train", "finetune", "gsm8k", "export", "lm-eval-path"]


def test_help_lists_every_command(revorder):
    shown = revorder("--help")
    assert shown.returncode == 0 and all(f" {command} " in shown.stdout for command in COMMANDS)
    assert revorder("-h") == shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_by_both_names(command, revorder):
    shown = revorder(command, "-h")
    assert shown.returncode == 0 and shown == revorder(command, "--help") and "Usage" in shown.stdout


def test_version(revorder):
    assert revorder("--version").stdout == f"revorder {__version__}\n"


def test_an_unknown_command_or_option_is_one_line(refused):
    assert "nope" in refused("nope")
    assert "--nope" in refused("verify", "--nope") and "--nope" in refused("solve", "--nope")


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from revorder.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = {"torch", "transformers", "ctranslate2", "openai", "numpy", "pydantic", "yaml", "pyarrow"}
    modules = set(loaded.splitlines()[-1].split())
    assert "revorder.cli.solve" in modules and heavy & modules == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eval", "table1", "--n", "abc"], "--n 'abc' should be a valid integer"),
        (["eval", "table1", "--n=0"], "--n '0' should be greater than or equal to 1"),
        (["solve", "1/3", "--decimals", "-1"], "--decimals '-1' should be greater than or equal to 0"),
        (["foo", "1+1"], "No such command 'foo'; accepted: solve, show, app"),
    ],
)
def test_what_typer_refuses_is_named(arguments, said, refused):
    assert refused(*arguments).startswith(f"revorder: {said}")


@pytest.mark.parametrize("lines", [1, 20_000])
def test_a_full_disk_is_one_line(lines, process):
    with open("/dev/full", "w") as full:
        done = process("show", "-", stdin="1+1\n" * lines, stdout=full)
    assert (done.returncode, done.stderr) == (2, "revorder: input or output failed: No space left on device\n")


@pytest.mark.parametrize("arguments", ["show 1+1", "solve 1+1", "cost 1+1"])
def test_a_closed_stdout_is_one_line(arguments):
    done = subprocess.run(
        f"{sys.executable} -m revorder {arguments} >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stderr.startswith("revorder: ")


def test_what_does_not_fit_the_encoding_is_escaped(monkeypatch, process):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = process("solve", "12×3", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["problem"] == "12×3"


@pytest.mark.parametrize("arguments", [["show", "-"], ["csid", "-"]])
def test_a_closed_pipe_ends_quietly(arguments, tmp_path):
    (tmp_path / "lines").write_text("12+35\n" * 50_000)
    with open(tmp_path / "lines") as lines:
        running = subprocess.Popen(
            [sys.executable, "-m", "revorder", *arguments], stdin=lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert running.stdout.readline() in (b"12+35=r|74=47\n", b"0\n")
        running.stdout.close()
        assert running.stderr.read() == b"" and running.wait(60) == 141


@pytest.mark.parametrize(("number", "said", "status"), [(2, "interrupted", 130), (15, "terminated", 143)])
def test_an_interrupted_command_is_one_line(number, said, status):
    running = subprocess.Popen(
        [sys.executable, "-m", "revorder", "verify"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running.stdin.write("1+1=r|2=2\n")
    running.stdin.flush()
    assert running.stdout.readline() == "ok 2\n"
    running.send_signal(number)
    assert (running.stdout.read(), running.stderr.read(), running.wait(60)) == ("", f"revorder: {said}\n", status)


@pytest.mark.parametrize(("number", "statuses"), [(2, (130,)), (15, (143, -15))])
@pytest.mark.parametrize("module", ["typer", "revorder.cli.verify", "revorder.inference.ctranslate", "ctranslate2"])
def test_a_signal_while_something_is_imported_is_no_traceback(module, number, statuses):
    """-15 is 143 in a shell: nothing of ours was there yet to catch it."""
    code = (
        "import os, sys, time\n"
        "class Signals:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}:\n"
        f"            os.kill(os.getpid(), {number})\n"
        "sys.meta_path.insert(0, Signals())\n"
        "from revorder.__main__ import main\n"
        "sys.argv = ['revorder', 'solve', '12+35']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in statuses and done.stdout == "" and done.stderr.count("\n") <= 1, done


@pytest.mark.parametrize("megabytes", [100, 300, 500])
def test_too_little_memory_is_one_line(megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20,) * 2)

    command = [sys.executable, "-m", "revorder", "solve", "12+35"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=120, check=False)
    enough = done.returncode == 0 and done.stdout == "47\n"
    named = done.returncode == 2 and done.stderr.count("\n") == 1 and "memory" in done.stderr
    assert enough or named, done


def test_a_disk_that_is_full_is_one_line_that_names_the_file(tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"question": f"{i}+{i}", "answer": "1"}) + "\n" for i in range(3000)))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000,) * 2)

    command = [sys.executable, "-m", "revorder", "audit", source, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=120, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and f"file '{out}' can't be written" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(
    "command",
    [
        ["show", "12+35", "--html", "LOOP"],
        ["rewrite", "SOURCE", "LOOP"],
        ["audit", "SOURCE", "--out", "LOOP"],
        ["eval", "extra", "+", "-n", "1", "--out", "LOOP.jsonl"],
        ["export", "calculator", "LOOP.html"],
    ],
)
def test_a_link_to_itself_is_no_output(command, tmp_path, refused):
    source = tmp_path / "in.jsonl"
    source.write_text('{"question": "1+1", "answer": "3"}\n')
    for name in ("LOOP", "LOOP.jsonl", "LOOP.html"):
        (tmp_path / name).symlink_to(tmp_path / name)
    said = refused(*(tmp_path / arg if "LOOP" in arg else source if arg == "SOURCE" else arg for arg in command))
    assert "a link to itself; give a new file" in said
    assert len(list(tmp_path.iterdir())) == 4


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path, revorder):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"question": "1+1", "answer": "3"}\n')
    gone = subprocess.Popen(["true"])
    gone.wait()
    left, alive = tmp_path / f".out.jsonl.{HOST}.{gone.pid}", tmp_path / f".out.jsonl.{HOST}.{os.getppid()}"
    other = tmp_path / f".out.jsonl.elsewhere.{gone.pid}"  # of another machine
    for path in (left, alive, other):
        path.write_text("half")
    revorder("audit", source, "--out", out)
    assert not left.exists() and alive.exists() and other.exists() and out.exists()


def test_long_work_says_how_far_it_is_off_a_terminal(capsys, monkeypatch):
    with common.Progress("problems", 3000) as progress:
        progress.advance(5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(common, "NOTICE", 0)
    with common.Progress("problems", 3000) as progress:
        progress.advance(2000)
    assert capsys.readouterr().err.splitlines()[-1] == "revorder: problems: 2,000 of 3,000"
    with common.Progress("problems", quiet=True) as progress:
        progress.advance(5)
        progress.say("a line")
    assert capsys.readouterr().err == "revorder: a line\n"


@pytest.mark.parametrize("pieces", [b"1+1\n2+2\n", b"1+1\r\n2+2", b"\xef\xbb\xbf1+1\n2+2\n", b"1+1\n2+2\r\n"])
def test_lines_are_read_whatever_they_end_in(pieces, revorder):
    assert revorder("csid", "-", "3+9", stdin=pieces).stdout == "0\n0\n1\n"


def test_a_table_off_a_terminal_is_as_wide_as_it_needs(revorder):
    shown = revorder("csid", "99999999+1", "--explain").stdout
    assert "…" not in shown and max(map(len, shown.splitlines())) > 80
    assert os.environ.get("COLUMNS") != "200"
