"""revorder audit: what it prints and writes, its exit status, and what is refused."""

import json
import subprocess
import sys

import pytest

ROWS = [
    {"question": "Calculate 50 + 83 * 6 + 9.", "answer": "807"},
    {"question": "Calculate 1 - 5.", "answer": "-4"},
    {"question": "What is 10 / 3?", "answer": 3},
    {"question": "How are you?", "answer": "well"},
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_wrong_answers_are_named_and_counted(source, revorder):
    done = revorder("audit", source)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"{source}:1: 50+83*6+9 is 557, not 807: precedence",
        f"{source}:3: 10/3 is 10/3 (3.333333333333…), not 3: each division rounded down",
        "2 wrong, 1 right, 0 unread, 1 not arithmetic",
        "  1 precedence",
        "  1 each division rounded down",
    ]


def test_json(source, revorder):
    *findings, counts = map(json.loads, revorder("audit", source, "--json").stdout.splitlines())
    assert [(row["line"], row["expected"], row["found"]) for row in findings] == [(1, "557", "807"), (3, "10/3", "3")]
    assert counts["counts"] == {"right": 1, "wrong": 2, "unread": 0, "not arithmetic": 1}
    assert sum(counts["causes"].values()) == 2


def test_out(source, tmp_path, revorder):
    out = tmp_path / "wrong.jsonl"
    done = revorder("audit", source, "--out", out)
    assert done.returncode == 1 and done.stdout.startswith("2 wrong, 1 right")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["file"], row["line"], row["outcome"]) for row in rows] == [
        (str(source), n, outcome) for n, outcome in ((1, "wrong"), (3, "wrong"), (4, "not arithmetic"))
    ]


def test_stdin_fields_and_what_is_right(revorder):
    done = revorder(
        "audit", "-", "--question", "input", "--answer", "target", stdin='{"input": "1+1", "target": "2"}\n'
    )
    assert (done.returncode, done.stdout) == (0, "0 wrong, 1 right, 0 unread, 0 not arithmetic\n")


def test_a_line_that_cant_be_read_is_told(source, revorder):
    source.write_text('{"question": "1+1", "answer": 2}\n{\n{"question": "1+1", "answer": "two"}\n')
    done = revorder("audit", source)
    assert done.returncode == 1 and done.stderr == ""
    first, second, counts = done.stdout.splitlines()
    assert first.startswith(f"{source}:2: unread: not JSON")
    assert second == f"{source}:3: unread: answer 'two': it states no number that can be read"
    assert counts == "0 wrong, 1 right, 2 unread, 0 not arithmetic"


def test_where_no_record_can_be_read_it_is_the_file_that_is_refused(source, refused):
    assert refused("audit", source, "--question", "q").startswith(
        f"revorder: file '{source}': no record can be read; line 1: "
    )
    source.write_text("\n")
    assert "': nothing in it; give records with the fields 'question' and 'answer'" in refused("audit", source)


def test_what_is_refused(source, tmp_path, refused):
    assert "none.jsonl' can't be read: No such file or directory; give" in refused("audit", tmp_path / "none.jsonl")
    assert "none/out' can't be written: its folder is missing" in refused(
        "audit", source, "--out", tmp_path / "none" / "out"
    )
    assert "choose a new one" in refused("audit", source, "--out", source)
    assert "choose a new one" in refused("audit", source, "--out", tmp_path)
    assert len(source.read_text().splitlines()) == len(ROWS)


def test_out_is_not_what_stdin_reads(source, process):
    with source.open() as file:
        done = subprocess.run(
            [sys.executable, "-m", "revorder", "audit", "-", "--out", source],
            stdin=file,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 2 and "is the file to read; choose a new one" in done.stderr
    assert len(source.read_text().splitlines()) == len(ROWS)


def test_a_user_runs_it(source, process):
    done = process("audit", "-", stdin=source.read_text())
    assert done.returncode == 1 and done.stdout.startswith("-:1: 50+83*6+9 is 557, not 807")
