"""revorder reproduce and report on a folder, by the real command."""

import json


def test_reproduce_report_and_check(revorder, tmp_path):
    out = tmp_path / "results"
    run = revorder("reproduce", "worked-examples", "figure6", "--preset", "smoke", "--out", out)
    assert run.returncode == 0 and run.stdout.split() == [str(out / "worked-examples"), str(out / "figure6")]
    doc = tmp_path / "reproduction.md"
    doc.write_text("<!-- result figure6 -->\n<!-- end -->\n")
    for wrong, text in (("none.md", None), ("wrong.md", "<!-- result table1 -->\n<!-- end -->\n")):
        if text:
            (tmp_path / wrong).write_text(text)
        assert revorder("report", out, "--docs", tmp_path / wrong).returncode == 2
        assert not (out / "index.html").exists() and not (tmp_path / "images").exists()
    run = revorder("report", out, "--docs", doc)
    assert run.returncode == 0 and run.stdout.split() == [str(out / "index.html"), str(doc)]
    assert "| operation | % of equations |" in doc.read_text()
    run = revorder("reproduce", "--check", "--out", out, "--docs", doc)
    assert (run.returncode, run.stdout) == (0, "every stored result agrees with the docs\n")
    doc.write_text(doc.read_text().replace("| + |", "| plus |", 1))
    run = revorder("reproduce", "--check", "--out", out, "--docs", doc, "--json")
    assert run.returncode == 1 and "plus" in json.loads(run.stdout)["what"]


def test_of_several_processes_one_speaks(revorder, tmp_path, monkeypatch):
    asked = ("reproduce", "worked-examples", "--preset", "smoke", "--out", tmp_path)
    first = revorder(*asked)
    assert first.stdout and not first.stderr
    assert revorder(*asked) == first  # nothing is stored, so it is computed anew
    monkeypatch.setenv("RANK", "1")
    run = revorder(*asked)
    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)


def test_bad_input_is_one_line(refused, tmp_path):
    for arguments, message in (
        (["table9"], "experiment 'table9' is unknown; accepted: worked-examples, "),
        (["--preset", "laptop"], "preset 'laptop': accepted: smoke, cpu, gpu"),
        (["figure5", "--check"], "drop the name"),
        (["--preset", "cpu", "--check"], "drop --preset"),
        (["--docs", "x.md"], "pass both"),
        (["--check", "--out", tmp_path / "none"], "no results in "),
    ):
        assert message in refused("reproduce", *arguments)
