"""revorder check: texts, records and stdin are checked, copies mended, and bad input refused in a line."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

TEXT = "She has 48+24 = 62 and 2*3 = 6.\nThen <<5*5=26>>26, and ¼ of 3+4=7*2=14.\n"


def test_a_text_is_checked_line_by_line(revorder, tmp_path):
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    done = revorder("check", tmp_path / "a.md")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.partition("a.md:")[2] for line in lines[:3]] == [
        "1: 48+24 = 62 is 72, not 62: carry",
        "2: 5*5=26 is 25, not 26: one digit",
        "2: 3+4=7*2=14 is 7, not 14: run-on chain",
    ]
    assert lines[3] == "1 right, 3 wrong, 0 unread"


def test_json_has_byte_offsets(revorder, tmp_path):
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    *findings, last = map(json.loads, revorder("check", tmp_path / "a.md", "--json").stdout.splitlines())
    data = TEXT.encode()
    for found in findings:
        assert data[found["start"] : found["end"]].decode() == found["equation"]
        assert data[found["at"] : found["to"]].decode().strip() == found["found"]
    assert last["counts"] == {"right": 1, "wrong": 3, "unread": 0}


def test_a_mended_copy_has_nothing_wrong_but_what_no_number_settles(revorder, tmp_path):
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    source.write_text(json.dumps({"id": 1, "answer": TEXT}) + "\n")
    assert revorder("check", source, "--fix", "-o", out).returncode == 1
    fixed = json.loads(out.read_text())
    assert fixed == {"id": 1, "answer": TEXT.replace("= 62", "= 72").replace("26>>26", "25>>25")}
    assert "0 unread" in revorder("check", out).stdout and "1 wrong" in revorder("check", out).stdout


def test_another_number_behind_an_annotation_stays(revorder, tmp_path):
    source, out = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_text("<<48+24=62>>62.50, <<2*3=7>>7,000, <<2*3=7>>7, <<2*3=7>>7.")
    revorder("check", source, "--fix", "-o", out)
    assert out.read_text() == "<<48+24=72>>62.50, <<2*3=6>>7,000, <<2*3=6>>6, <<2*3=6>>6."


def test_a_wrong_fraction_a_minus_and_braces_are_replaced_whole(revorder, tmp_path):
    source, out = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_text(r"$\frac{1}{2} + \frac{1}{4} = \frac{2}{6}$, 1{,}000+200 = 1{,}100, 3-5 = −3.")
    revorder("check", source, "--fix", "-o", out)
    assert out.read_text() == r"$\frac{1}{2} + \frac{1}{4} = 0.75$, 1{,}000+200 = 1{,}200, 3-5 = −2."


def test_bad_input_is_one_line(refused, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "1+1 = 2"}\n')
    assert "does not exist; give a file" in refused("check", tmp_path / "none.txt", "-o", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl.partial").exists()
    assert "can't be read" in refused("check", tmp_path / "none.txt")
    assert "give the --field that holds it" in refused("check", tmp_path / "a.jsonl").splitlines()[-1]
    assert "give one file" in refused("check", tmp_path / "a.jsonl", "--fix")
    assert "is the file that is read" in refused(
        "check", tmp_path / "a.jsonl", "-f", "text", "--fix", "-o", tmp_path / "a.jsonl"
    )


def test_a_field_in_a_field_is_read(revorder, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"small": {"solution": TEXT}}) + "\n")
    assert "1 right, 3 wrong" in revorder("check", tmp_path / "a.jsonl", "-f", "small.solution").stdout


def test_a_mended_copy_keeps_all_else(revorder, tmp_path):
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    lines = ['{"a": {"b": "1+1 = 3", "c": 1.50}}', "{ not JSON", '{"a": 5}', '{"a.b": "2+2 = 5"}', ""]
    source.write_text("\r\n".join(lines), newline="")
    assert revorder("check", source, "-f", "a.b", "--fix", "-o", out).returncode == 1
    assert out.read_bytes() == source.read_bytes().replace(b"= 3", b"= 2").replace(b"= 5", b"= 4")

    source, out = tmp_path / "a.md", tmp_path / "b.md"
    source.write_bytes("48+24 = €62\r\n$1,000-$2,300 = -$1,200\r\n$1.25*2 = $3.50\r\n17/5 = 3 R 3\r\n".encode())
    revorder("check", source, "--fix", "-o", out)
    assert out.read_bytes().decode() == "48+24 = €72\r\n$1,000-$2,300 = -$1,300\r\n$1.25*2 = $2.50\r\n17/5 = 3 R 3\r\n"


@pytest.fixture
def corpus(tmp_path):
    """A corpus of 60,000 texts, of which every tenth states a wrong equation."""
    path = tmp_path / "corpus.jsonl"
    rows = (f"We have {i} + 1 = {i + 1 + (i % 10 == 0)} of them." for i in range(60_000))
    path.write_text("".join(json.dumps({"answer": row}) + "\n" for row in rows))
    return path


def test_findings_go_to_a_file_and_a_stopped_check_resumes(corpus, revorder, tmp_path):
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    said = revorder("check", corpus, "-o", whole)
    assert said.returncode == 1 and said.stdout.startswith("54,000 right, 6,000 wrong")
    rows = [json.loads(line) for line in whole.read_text().splitlines()]
    assert len(rows) == 6000 and (rows[1]["line"], rows[1]["expected"], rows[1]["found"]) == (11, "11", "12")

    partial = tmp_path / "out.jsonl.partial"
    for number in (signal.SIGINT, signal.SIGKILL):
        size = partial.stat().st_size if partial.exists() else 0
        running = subprocess.Popen([sys.executable, "-m", "revorder", "check", corpus, "-o", out])
        while not partial.exists() or partial.stat().st_size < size + 100_000:
            assert running.poll() is None
            time.sleep(0.005)
        os.kill(running.pid, number)
        assert running.wait(60) == (130 if number == signal.SIGINT else -9) and not out.exists()
    assert revorder("check", corpus, "-o", out) == said and out.read_bytes() == whole.read_bytes()
    assert not partial.exists()


def test_a_file_of_findings_is_not_replaced_nor_mixed_with_another_check(corpus, refused, revorder, tmp_path):
    out = tmp_path / "out.jsonl"
    (tmp_path / "out.jsonl.partial").write_bytes(b"\xff\n")
    assert "is of another check; give another --out" in refused("check", corpus, "-o", out)
    (tmp_path / "out.jsonl.partial").write_text('{"check": {"files": ["other"]}}\n')
    assert "is of another check; give another --out" in refused("check", corpus, "-o", out)
    head = json.dumps({"check": {"files": [str(corpus)], "states": [[1, 1]], "field": "answer", "unread": False}})
    (tmp_path / "out.jsonl.partial").write_text(head + "\n")  # the file was another one then
    assert "is of another check; give another --out" in refused("check", corpus, "-o", out)
    assert revorder("check", corpus, "-o", out, "--overwrite").returncode == 1
    assert "exists; choose" in refused("check", corpus, "-o", out)
    assert "is the file that is read" in refused("check", corpus, "-o", corpus, "--overwrite")
