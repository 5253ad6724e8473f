"""revorder show: traces of problems, and what it refuses."""

import json
import os
from pathlib import Path

import pytest


def test_show(revorder):
    assert revorder("show", "948/12", "--rollback", "0:8").stdout == (
        "948/12=8R-(12*80)(r|069)(-r|21)W7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79\n"
    )
    shown = json.loads(revorder("show", "12*4567", "--method", "lean", "--json").stdout)
    assert shown["answer"] == "54804" and "".join(shown["steps"]) == shown["text"]
    assert list(shown) == ["problem", "method", "form", "text", "answer", "steps"]
    assert revorder("show", "123+46", "--no-answer").stdout == "123+46=r|961\n"


def test_traces_of_several_lines_have_a_blank_line_between_them(revorder):
    assert revorder("show", "1+1", "2+2", "--form", "expanded").stdout == "1+1\n=r|2\n=2\n\n2+2\n=r|4\n=4\n"
    assert revorder("show", "1+1", "8/2", "2+2", "--method", "goat").stdout.count("\n\n") == 2
    assert revorder("show", "1+1", "2+2").stdout == "1+1=r|2=2\n2+2=r|4=4\n"


def test_stdin_keeps_blank_lines_and_names_the_line_that_is_wrong(revorder):
    assert revorder("show", "-", stdin="\ufeff1+1\r\n\n2+2").stdout == "1+1=r|2=2\n\n2+2=r|4=4\n"
    wrong = revorder("show", "-", stdin="1+1\n\nx\n2+2\n")
    assert (wrong.returncode, wrong.stdout) == (2, "1+1=r|2=2\n\nerror\n2+2=r|4=4\n") and wrong.stderr.startswith(
        "revorder: line 3: problem 'x'"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["x"], "'x'"),
        (["1/0"], "division by zero"),
        (["1+1", "--method", "nope"], "accepted: revorder, lean"),
        (["1+1", "--form", "nope"], "accepted: compact, expanded"),
        (["948/12", "--rollback", "0:7"], "except 7"),
        (["948/12", "--rollback", "5:8"], "0 to 1"),
        (["948/12", "--rollback", "x"], "PLACE:DIGIT"),
        (["948/12", "--rollback", "9" * 5000 + ":7"], "PLACE:DIGIT"),
        (["948/12", "--rollback", "0:" + "9" * 5000], "PLACE:DIGIT"),
        (["1+1", "--rollback", "0:8"], "no quotient digit"),
        (["1+1", "--forn", "x"], "option '--forn'"),
        ([], "problems"),
    ],
)
def test_every_refusal_names_the_input_and_what_is_accepted(arguments, says, refused):
    assert says in refused("show", *arguments)


def test_html_is_one_page_that_needs_nothing_else(revorder, tmp_path):
    file = tmp_path / "trace.html"
    shown = revorder("show", "948/12", "12-35", "--method", "lean", "--html", file)
    assert shown.stdout == revorder("show", "948/12", "12-35", "--method", "lean").stdout
    html = file.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>") and html.count('<section class="trace">') == 2
    assert "<b>= 79</b>" in html and "<b>= -23</b>" in html and "Traces by lean" in html
    assert not any(mark in html for mark in ("http:", "https:", "src=", "@import", "url("))
    assert [path.name for path in tmp_path.iterdir()] == ["trace.html"]  # nothing half written is left
    again = revorder("show", "1+1", "--html", file)
    assert again.returncode == 2 and "exists; choose a new file, or pass --overwrite" in again.stderr
    assert file.read_text(encoding="utf-8") == html
    assert revorder("show", "1+1", "--html", file, "--overwrite").returncode == 0


def test_html_that_cannot_be_written(revorder, tmp_path):
    wrong = revorder("show", "1+1", "--html", tmp_path / "nowhere" / "trace.html")
    assert wrong.returncode == 2 and "nowhere/trace.html' can't be written" in wrong.stderr


def test_a_picture_takes_no_other_things_place(revorder, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("."), Path("/dev/null"), Path("/dev/stdout")):
        done = revorder("show", "1+1", "--html", path)
        assert done.returncode == 2 and done.stderr.endswith("can't be written: it is not a file; choose a new one\n")
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "link").symlink_to(tmp_path / "real.html")
    assert revorder("show", "1+1", "--html", tmp_path / "link").returncode == 0
    assert (tmp_path / "link").is_symlink() and "<html" in (tmp_path / "real.html").read_text()
