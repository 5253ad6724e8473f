"""The experiments: each runs at the smoke preset, shows what it should, and is checked from its stored texts."""

import gzip
import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SHARED
from smoke import EXPERIMENTS, GSM8K, smoke_results

from revorder import ProblemError
from revorder.evaluation.scores import Result
from revorder.evaluation.tables import PAPER
from revorder.metrics.csid import csid
from revorder.mixtures.sampling import sampler
from revorder.processes import held
from revorder.reproduce import EXPERIMENTS as ALL
from revorder.reproduce.cells import MODELS, read_cells, run_cells
from revorder.reproduce.check import check
from revorder.reproduce.columns import table1_columns
from revorder.reproduce.exhibits import Chart, Table
from revorder.reproduce.experiment import RunInfo, results_in, texts_file, texts_in
from revorder.reproduce.figure2 import by_csid, wrong_digits
from revorder.reproduce.harness import perform
from revorder.reproduce.page import cost_line, exhibits_of, fill_docs, write_page
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import Finetuning, Training
from revorder.training.recipe import Recipe

DOCS = Path(__file__).parents[2] / "docs" / "reproduction"
TRAINED = [name for name, experiment in EXPERIMENTS.items() if experiment.libraries]


@pytest.fixture(scope="module", autouse=True)
def gsm8k():
    """Where there is GSM8K, experiments find it."""
    with pytest.MonkeyPatch.context() as patch:
        if GSM8K:
            patch.setenv("REVORDER_DATA", str(SHARED))
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """All experiments at the smoke preset."""
    return smoke_results(tmp_path_factory)


def test_what_needs_data_that_is_not_here_is_refused_in_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REVORDER_DATA", raising=False)
    with pytest.raises(ProblemError, match="GSM8K: not found in"):
        perform(ALL["figures7-8"], "smoke", tmp_path)


def test_every_experiment_is_done_and_says_what_it_took(results):
    found = {info.experiment: info for info, _ in results_in(results)}
    assert found.keys() == EXPERIMENTS.keys()
    for name, info in found.items():
        assert info.done and info.preset == "smoke" and info.versions["python"] and info.hardware and info.commit
        assert (info.tokens > 0) == (name in TRAINED)
        assert f"reproduce {name} --preset smoke" in info.command


def test_exhibits_have_the_shape_of_the_papers_figures(results):
    shown = {info.experiment: exhibits_of(info, folder) for info, folder in results_in(results)}
    for exhibits in shown.values():
        for exhibit in exhibits:
            assert exhibit.title
            if isinstance(exhibit, Table):
                assert exhibit.rows and all(len(row) == len(exhibit.header) for row in exhibit.rows), exhibit
            elif isinstance(exhibit, Chart):
                assert all(series.points for series in exhibit.series)
                assert all(len(s.intervals) in (0, len(s.points)) for s in exhibit.series)
            else:
                assert exhibit.text.strip()
    systems = [row[0] for row in shown["table1"][0].rows]
    ours = ["plain, mathglm", "scratchpad", "goat", "lean"]
    assert systems == [*(f"{name} (ours)" for name in ours), *(f"{name} (paper)" for name in PAPER)]
    assert [row[:2] for row in shown["compact"][0].rows][:-2] == [["ADD 1D", "100"], ["DIV 1D", "100"]]
    taken_back = [sample.text for sample in shown["worked-examples"] if "taken back" in sample.title]
    assert len(taken_back) == 1 and "W7R" in taken_back[0]
    assert shown["ablation"][0].rows[0][0] == "none"


def test_a_finished_experiment_is_not_run_again_and_another_presets_is_refused(results):
    said = []
    before = (results / "table1" / "run.json").read_bytes()
    perform(EXPERIMENTS["table1"], "smoke", results, said.append)
    assert said == [f"table1: {results / 'table1'} is complete"]
    assert (results / "table1" / "run.json").read_bytes() == before
    with pytest.raises(ProblemError, match="results of preset 'smoke' with other settings; choose a new --out"):
        perform(EXPERIMENTS["table1"], "cpu", results)
    with pytest.raises(ProblemError, match="preset 'huge' is unknown; accepted: smoke, cpu"):
        perform(EXPERIMENTS["table1"], "huge", results)


def test_what_models_wrote_is_enough_where_they_are_gone(tmp_path, results):
    folder, said = tmp_path / "table1", []
    shutil.copytree(results / "table1", folder, ignore=shutil.ignore_patterns(MODELS))
    done = RunInfo.read(folder)
    replace(done, done=False, tokens=0).save(folder)
    perform(EXPERIMENTS["table1"], "smoke", tmp_path, said.append)
    assert said == [] and RunInfo.read(folder).tokens == done.tokens > 0


def test_a_model_of_other_terms_is_not_asked_in_place_of_todays(tmp_path, monkeypatch):
    training, data = (
        Training(1, 256, 24, 1, 64),
        {"name": "sums", "method": "lean", "parts": [{"op": "+", "a": 1, "b": 1}]},
    )
    plan = Plan(training, data, [("+", 1, 1)], table1_columns(1, ["ADD 1D"]))
    with monkeypatch.context() as interrupted:
        interrupted.setattr("revorder.reproduce.cells.run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run_cells([plan], tmp_path, print)
    with pytest.raises(ProblemError, match="holds a run with another tokens; choose a new folder"):
        run_cells([replace(plan, training=replace(training, tokens=512))], tmp_path, print)
    assert run_cells([plan], tmp_path, print) == 256


def test_two_processes_share_an_experiment(tmp_path):
    """They leave a model to the process that is at it, train it where that one gives up, and end when all is there."""
    command = [sys.executable, "-m", "revorder", "reproduce", "table1", "--preset", "smoke", "--out", tmp_path]
    logs = [tmp_path / "one.log", tmp_path / "other.log"]
    with held(tmp_path / "table1" / MODELS / "plain.lock"):
        both = [subprocess.Popen(command, stderr=log.open("w")) for log in logs]
        while not all("plain: another process is at it" in log.read_text() for log in logs):
            assert [process.poll() for process in both] == [None, None]
            time.sleep(0.1)
    assert [process.wait() for process in both] == [0, 0]
    trained = re.findall(r"(\w+): training$", "\n".join(log.read_text() for log in logs), re.M)
    assert sorted(trained) == ["goat", "lean", "plain", "scratchpad"]
    assert RunInfo.read(tmp_path / "table1").done and list(check(tmp_path, [])) == []


def test_finished_results_of_other_data_than_todays_are_told(tmp_path, results):
    shutil.copytree(results / "table1", tmp_path / "table1", ignore=shutil.ignore_patterns(MODELS))
    assert list(check(tmp_path, [])) == []
    cell = texts_file(tmp_path / "table1", "plain")
    head, *lines = stored_text(cell).splitlines()
    what = json.loads(head)
    what["run"]["data"]["size"] += 1
    store(cell, "\n".join([json.dumps(what), *lines]) + "\n")
    [found] = check(tmp_path, [])
    assert "plain.jsonl.gz' have other data than today's" in found.what
    with pytest.raises(ProblemError, match="have other data than today's"):
        perform(EXPERIMENTS["table1"], "smoke", tmp_path)


def test_a_folder_of_another_name_is_refused(tmp_path, results):
    shutil.copytree(results / "figure6", tmp_path / "figure6-old")
    with pytest.raises(ProblemError, match="figure6-old' holds results of 'figure6'; rename it to figure6"):
        results_in(tmp_path)


def test_what_is_stated_of_cells_is_what_they_say(tmp_path, results):
    shutil.copytree(results / "table1", tmp_path / "table1", ignore=shutil.ignore_patterns(MODELS))
    info = replace(RunInfo.read(tmp_path / "table1"), commit="not this", seconds=1e9)
    line = cost_line(info, tmp_path / "table1")
    assert "not this" not in line and line.endswith(" seconds of training") and "; seed 0, " in line
    assert cost_line(RunInfo.read(results / "figure6"), results / "figure6").endswith(
        "by the code that wrote this page"
    )


def stored_text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def store(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


CELL = '{"run": {"problems": "", "method": %s}}\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: not "),
        ('{"run": {"suite": "hard"}}\n', "lack method, form, problems, tokens; run "),
        (CELL % '"nope", "form": "plain", "tokens": 0', "method 'nope' is unknown; accepted: "),
        (CELL % '"plain", "form": "plain", "tokens": 9', "lack data, training, steps, seconds, commit; "),
    ],
)
def test_a_damaged_cell_is_named(tmp_path, results, text, says):
    shutil.copytree(results / "table1", tmp_path / "table1", ignore=shutil.ignore_patterns(MODELS))
    store(texts_file(tmp_path / "table1", "plain"), text)
    (found,) = check(tmp_path, [])
    assert found.where == str(tmp_path / "table1") and says in found.what


@pytest.mark.parametrize(
    ("name", "file", "text", "says"),
    [
        ("tool-cost", "seconds.json", "{}", "KeyError: 'seconds_per_token'; run it again"),
        ("figures7-8", "samples.json", "[", "JSONDecodeError: Expecting value"),
        ("table3", "solutions/original.jsonl.gz", '{"run": {"arm": "original"}}\n', "have other recipe than today's"),
        ("table3", "solutions/original.jsonl.gz", None, "original.jsonl.gz' can't be read: No such file"),
    ],
)
def test_results_that_were_changed_are_named_by_the_check_and_the_page(tmp_path, results, name, file, text, says):
    if name not in EXPERIMENTS:
        pytest.skip("needs GSM8K")
    shutil.copytree(results / name, tmp_path / name, ignore=shutil.ignore_patterns(MODELS))
    path = tmp_path / name / file
    path.unlink() if text is None else store(path, text)
    (found,) = check(tmp_path, [])
    assert says in found.what
    with pytest.raises(ProblemError, match=re.escape(says)):
        write_page(tmp_path, tmp_path / "index.html")


def test_a_cell_that_is_gone_is_not_trained_again_in_silence(tmp_path, results):
    shutil.copytree(results / "table1", tmp_path / "table1", ignore=shutil.ignore_patterns(MODELS))
    texts_file(tmp_path / "table1", "lean").unlink()
    with pytest.raises(ProblemError, match="lean.jsonl.gz' are missing"):
        perform(EXPERIMENTS["table1"], "smoke", tmp_path)


def test_results_of_another_layout_are_refused(tmp_path, results):
    info = json.loads((results / "figure6" / "run.json").read_text())
    (tmp_path / "figure6").mkdir()
    (tmp_path / "figure6" / "run.json").write_text(json.dumps(info | {"layout": 0}))
    with pytest.raises(ProblemError, match="have layout 0, not 1; run it again"):
        results_in(tmp_path)
    with pytest.raises(ProblemError, match="no results in .*; give a folder that `revorder reproduce --out` filled"):
        results_in(tmp_path / "nothing")


def test_the_page_holds_everything_and_asks_for_nothing(tmp_path, results):
    page = tmp_path / "index.html"
    write_page(results, page)
    text = page.read_text()
    for experiment in EXPERIMENTS.values():
        assert f'<h2 id="{experiment.name}">' in text
    assert text.count("<svg") == text.count("</svg>") >= 6
    outside = [url for url in re.findall(r"""(?:src|href)=["']?([^"' >]+)""", text) if not url.startswith("#")]
    assert outside == [] and "<script" not in text and "@import" not in text
    write_page(results, page)
    assert page.read_text() == text


def test_the_check_finds_a_changed_trace_and_a_changed_number_in_the_docs(tmp_path, results):
    for name in ("table1", "figure6"):
        shutil.copytree(results / name, tmp_path / "results" / name, ignore=shutil.ignore_patterns(MODELS))
    results = tmp_path / "results"
    doc = tmp_path / "reproduction.md"
    doc.write_text("# Ours\n\n<!-- result table1 -->\n<!-- end -->\n\nand\n\n<!-- result figure6 -->\n<!-- end -->\n")
    doc.write_text(fill_docs(doc.read_text(), results))
    assert "**Table 1, ADD**" in doc.read_text() and list(check(results, [doc])) == []

    right = doc.read_text()
    doc.write_text(right.replace("| GPT-4 (paper) | 100 |", "| GPT-4 (paper) | 99 |", 1))
    (found,) = check(results, [doc])
    assert found.where.startswith(str(doc)) and "100" in found.what
    doc.write_text(right)

    stored = texts_file(results / "table1", "lean")
    whole = stored_text(stored)
    row = json.loads(whole.splitlines()[1])
    row["verified"] = row["correct"] = True
    row["text"] = row["problem"] + "=r|"
    store(stored, "\n".join([whole.splitlines()[0], json.dumps(row), *whole.splitlines()[2:]]) + "\n")
    assert any("lean.jsonl.gz, line 2" in d.where and row["problem"] in d.what for d in check(results, []))
    store(stored, whole)

    doc.write_text("<!-- result nothing -->\n<!-- end -->\n")
    with pytest.raises(ProblemError, match="result 'nothing' is not in"):
        list(check(results, [doc]))
    for text in ("no place", "<!-- result Figure6 -->\n<!-- end -->\n", "<!-- result figure6 -->\nno end\n"):
        doc.write_text(text)
        with pytest.raises(ProblemError, match="docs: no place for a result; write <!-- result NAME -->"):
            list(check(results, [doc]))


def test_additions_by_csid_are_held_out_and_of_that_csid():
    tasks = by_csid(5, 10, 15)
    for wanted, problems in enumerate(tasks.values()):
        assert len(set(problems)) == 5
        assert all(csid(problem) == wanted and len(str(problem.a)) == len(str(problem.b)) == 15 for problem in problems)
    assert by_csid(5, 10, 15) == tasks


def test_the_check_sees_all_that_figure_4_counts(tmp_path, results):
    shutil.copytree(results / "figure4", tmp_path / "figure4", ignore=shutil.ignore_patterns(MODELS))
    stored = next(iter(texts_in(tmp_path / "figure4").values()))
    heading, first, *rest = stored_text(stored).splitlines(True)
    row = json.loads(first)
    for key, value in (("rollbacks", row["rollbacks"] + 1), ("reason", row["reason"] + " ")):
        store(stored, "".join([heading, json.dumps(row | {key: value}) + "\n", *rest]))
        assert [d.what.partition(" is stored")[0] for d in check(tmp_path, [])] == [f"{row['problem']}: {key}"]
    for lines in ([json.dumps(row | {"problem": "x+y"}) + "\n", *rest], rest, []):
        store(stored, "".join([heading, *lines]))
        (found,) = check(tmp_path, [])
        assert f"{stored.name}' do not hold the problems that were asked; run " in found.what
        with pytest.raises(ProblemError, match="do not hold the problems that were asked"):
            write_page(tmp_path, tmp_path / "index.html")


def test_texts_of_another_training_are_refused_and_missing_ones_named(tmp_path, results):
    folder = tmp_path / "table1"
    shutil.copytree(results / "table1", folder, ignore=shutil.ignore_patterns(MODELS))
    stored = texts_file(folder, "lean")
    heading, *rest = stored_text(stored).splitlines(True)
    what = json.loads(heading)
    what["run"]["training"]["steps"] += 1
    store(stored, "".join([json.dumps(what) + "\n", *rest]))
    replace(RunInfo.read(folder), done=False).save(folder)
    with pytest.raises(ProblemError, match="have other training than today's; choose a new --out"):
        perform(EXPERIMENTS["table1"], "smoke", tmp_path)
    replace(RunInfo.read(folder), done=True).save(folder)
    stored.unlink()
    with pytest.raises(ProblemError, match="lean.jsonl.gz' are missing"):
        write_page(tmp_path, tmp_path / "index.html")
    replace(RunInfo.read(folder), experiment="gone").save(folder)
    with pytest.raises(ProblemError, match="holds results of 'gone'; rename it"):
        write_page(tmp_path, tmp_path / "index.html")


@pytest.mark.parametrize("kept", [0, 1])
def test_of_an_unfinished_experiment_what_there_is_is_shown(tmp_path, results, kept):
    for name in TRAINED:
        shutil.copytree(results / name, tmp_path / name, ignore=shutil.ignore_patterns(MODELS))
        for stored in [*texts_in(tmp_path / name).values()][kept:]:
            stored.unlink()
        replace(RunInfo.read(tmp_path / name), done=False).save(tmp_path / name)
    if not kept:
        with pytest.raises(ProblemError, match="no results in "):
            results_in(tmp_path)
        return
    shown = {info.experiment: exhibits_of(info, folder) for info, folder in results_in(tmp_path)}
    assert shown.keys() == {*TRAINED} - {"table3"}  # whose texts are solutions
    assert [row[0] for row in shown["ablation"][0].rows] == ["none"]
    assert list(check(tmp_path, [])) == []
    write_page(tmp_path, tmp_path / "index.html")
    assert (tmp_path / "index.html").read_text().count("; unfinished: the same command resumes") == len(shown)


def test_an_experiment_that_goes_on_names_each_commit_and_each_cell_its_own(tmp_path, results):
    folder = tmp_path / "figure2"
    shutil.copytree(results / "figure2", folder, ignore=shutil.ignore_patterns(MODELS))
    first = RunInfo.read(folder)
    replace(first, done=False, commit="0123456789ab").save(folder)
    perform(EXPERIMENTS["figure2"], "smoke", tmp_path)
    again = RunInfo.read(folder)
    assert again.commit == f"0123456789ab, {first.commit}" and again.tokens == first.tokens
    assert again.seconds >= first.seconds
    for what, _ in read_cells(folder).values():
        assert what["commit"] == first.commit and what["seconds"] >= 0 and what["tokens"] > 0


def test_the_compact_rows_model_states_its_quotients_and_takes_the_shorter_factor_apart():
    for size, training in ALL["compact"].settings["cpu"].trainings:
        recipe = Recipe.read(training.recipe(size))
        for example in sampler(recipe.data).examples(0, 0, 900):
            assert example.text.endswith(f"={example.problem.answer}")
            assert not (example.problem.op == "*" and example.problem.b > 999_999)


def test_wrong_digits_are_counted_by_the_nines_below_them():
    def sums(*answers: str | None) -> list[Result]:
        return [Result("", "5048+4952", "", answer, "10000", False, False, None, "", 0, 0) for answer in answers]

    assert wrong_digits(sums("10000")) == [(0, 2), (0, 1), (0, 1), (0, 1)]
    assert wrong_digits(sums("9000", None)) == [(2, 4), (1, 2), (2, 2), (2, 2)]


def test_the_seed_of_a_fine_tuned_cell_reaches_its_run(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr("revorder.training.finetune.finetune", lambda *args, **_: seen.append(args[3].seed))
    for seed in (0, 1):
        Finetuning("model", "smollm2", seed=seed).train({"name": "sums"}, [], tmp_path / str(seed))
    assert seen == [0, 1]


def test_run_info_that_is_none_is_refused(tmp_path):
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(ProblemError, match="run.json': its text: Input should be .*; run it again"):
        RunInfo.read(tmp_path)
    info = json.loads((Path(__file__).parents[2] / "results" / "figure6" / "run.json").read_text())
    for key, value in (("versions", None), ("tokens", "many")):
        (tmp_path / "run.json").write_text(json.dumps(info | {key: value}))
        with pytest.raises(ProblemError, match=f"run.json': {key}: Input should be"):
            RunInfo.read(tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(ProblemError, match="run.json': No such file"):
        RunInfo.read(tmp_path)


def test_the_summary_and_the_findings_state_numbers_that_stand_in_the_results():
    index, *pages = [page.read_text() for page in sorted(DOCS.glob("*.md"), key=lambda page: page.stem != "index")]
    summary = index[index.index("## Summary") : index.index("## Run it")]
    block = re.compile("<!-- result .*?<!-- end -->", re.S)
    results = set(re.findall(r"\d[\d.,]*", "".join(block.findall("".join(pages)))))
    said = re.sub(r"[Ss]ection \d[\d.]*\d|ratio-0.6", "", summary + "".join(block.sub("", page) for page in pages))
    stated = re.findall(r"(?<![\dD/.])\d[\d,]*\.\d+(?![\d.]*[MD])", said)
    assert len(stated) > 50 and not set(stated) - {number.rstrip(".,") for number in results}


def test_what_the_docs_state_is_what_the_stored_results_say():
    assert list(check(DOCS.parents[1] / "results", [DOCS])) == []
