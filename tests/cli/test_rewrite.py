"""revorder rewrite: a corpus there and back, its report, and what is refused."""

import json
import signal
import subprocess
import sys
import time

import pytest

ROWS = [
    {"question": "a", "answer": "<<48+24=72>>72, <<7+8=16>>16\n#### 72"},
    {"question": "b", "answer": "<<48/2=24>>24 and <<24*12=288>>288, <<3=3>>3\n#### 288"},
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_there_and_back(source, tmp_path, revorder):
    out, back = tmp_path / "out.jsonl", tmp_path / "back.jsonl"
    done = revorder("rewrite", source, out)
    assert done.returncode == 0 and done.stderr == ""
    assert f"2 texts in {out}, 2 of them rewritten" in done.stdout.replace("\n", "")
    assert "1 of 4 equations with an operator left as they are, 1 of them wrong" in done.stdout
    answers = [json.loads(line)["answer"] for line in out.read_text().splitlines()]
    assert answers == [
        "<<48+24=r|27=72>>72, <<7+8=16>>16\n#### 72",
        "<<48/2=24>>24 and <<24*12=r|882=288>>288, <<3=3>>3\n#### 288",
    ]
    done = revorder("rewrite", "--back", out, back)
    assert (done.returncode, back.read_bytes()) == (0, source.read_bytes())
    assert "2 equations in 2 taken back" in done.stdout


def test_options_and_json(source, tmp_path, revorder):
    out = tmp_path / "out.jsonl"
    done = revorder("rewrite", source, out, "--notation", "@@", "--decompose", "--json")
    assert "24*10+24*2=@@042@@+@@84@@=@@882@@=288" in out.read_text()
    report = json.loads(done.stdout)
    assert report["texts"] == 2 and report["equations"] == {"rewritten": 3, "wrong": 1, "no operator": 1}
    assert (report["with_operator"], report["unconverted"], report["wrong"], report["rejected"]) == (4, 1, 1, 0)
    source.write_text('{"text": "so 3 * 4 = 12"}\n')
    assert revorder("rewrite", source, out, "--field", "text", "--prose").returncode == 2  # it is there
    revorder("rewrite", source, out, "--field", "text", "--prose", "--overwrite")
    assert json.loads(out.read_text()) == {"text": "so 3 * 4 = r|21 = 12"}


def test_a_line_that_cant_be_read_is_told(source, tmp_path, revorder):
    source.write_text(source.read_text() + "{\n")
    out = tmp_path / "out.jsonl"
    done = revorder("rewrite", source, out)
    assert (
        done.returncode == 1 and done.stderr == f"revorder: lines that can't be read: 1, kept in {out}.rejects.jsonl\n"
    )
    assert len(out.read_text().splitlines()) == 2
    rejected = json.loads((tmp_path / "out.jsonl.rejects.jsonl").read_text())
    assert (rejected["line"], rejected["text"]) == (3, "{\n")


def test_a_mistyped_field_leaves_what_is_there(source, tmp_path, refused):
    out = tmp_path / "out.jsonl"
    out.write_text("kept\n")
    said = refused("rewrite", source, out, "--field", "anwser", "--overwrite")
    assert "line 1: no field 'anwser'; there are: question, answer; give lines with a text 'anwser'" in said
    assert out.read_text() == "kept\n" and {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}


def test_the_rejects_never_take_the_sources_place(source, tmp_path, refused):
    rejects = source.rename(tmp_path / "out.jsonl.rejects.jsonl")
    before = rejects.read_bytes()
    assert "is the file to read" in refused("rewrite", rejects, tmp_path / "out.jsonl")
    assert rejects.read_bytes() == before


def test_what_is_refused(source, tmp_path, refused):
    assert "notation 'r' is unknown" in refused("rewrite", source, tmp_path / "out.jsonl", "--notation", "r")
    assert "no file of that name" in refused("rewrite", tmp_path / "none.jsonl", tmp_path / "out.jsonl")
    for option in (["--prose"], ["--decompose"], ["--notation", "@@"]):
        said = refused("rewrite", "--back", source, tmp_path / "out.jsonl", *option)
        assert f"{option[0]}: the way back needs none; give --back with --field alone" in said
    assert "same kind" in refused("rewrite", source, tmp_path / "out.parquet")
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl"}


def test_a_user_runs_it(source, tmp_path, process):
    done = process("rewrite", source, tmp_path / "out.jsonl")
    assert done.returncode == 0 and "rewritten" in done.stdout


@pytest.mark.parametrize(
    ("number", "said", "status"), [(signal.SIGINT, "interrupted", 130), (signal.SIGTERM, "terminated", 143)]
)
def test_a_stopped_run_leaves_nothing(number, said, status, source, tmp_path):
    source.write_text(source.read_text() * 200_000)
    command = [sys.executable, "-m", "revorder", "rewrite", source, tmp_path / "out.jsonl"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not list(tmp_path.glob(".out.jsonl.*")) and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(number)
    stdout, stderr = running.communicate(timeout=60)
    assert (running.returncode, stdout) == (status, "") and stderr.endswith(f"revorder: {said}\n")
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("notation", ["r|", "@@"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_gsm8k_there_and_back_byte_for_byte(shared, tmp_path, revorder, notation, split):
    source, out, back = shared / "gsm8k" / f"{split}.jsonl", tmp_path / "out.jsonl", tmp_path / "back.jsonl"
    report = json.loads(revorder("rewrite", source, out, "--notation", notation, "--json").stdout)
    assert report["rejected"] == 0 and report["texts"] == {"train": 7473, "test": 1319}[split]
    assert report["unconverted"] < 0.001 * report["with_operator"] and report["wrong"] == 0
    assert revorder("rewrite", "--back", out, back).returncode == 0
    assert back.read_bytes() == source.read_bytes() != out.read_bytes()
