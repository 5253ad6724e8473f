"""The runner: every verdict kept, a run that goes on where it was cut off, and a file that is one run's."""

import json

import pytest

from revorder import Problem, ProblemError, verify
from revorder.arithmetic.expression import parse_problem
from revorder.evaluation.runner import finished, load, load_run, run
from revorder.evaluation.scores import score_tasks
from revorder.evaluation.suites import Draw, split_covered, suite_tasks
from revorder.files import partial_of
from revorder.inference.solver import load_runtime

TASKS = {"ADD 2D": [Problem(a, "+", 50) for a in range(10, 40)]}


def test_bigbench_on_the_shipped_model(shared):
    tasks = suite_tasks("bigbench", Draw("+-", None, 0, str(shared / "bigbench_arithmetic")))
    tasks = {name: problems for name, problems in tasks.items() if name[4:] in ("1D", "5D")}
    assert len(tasks) == 4
    for score in score_tasks(run(load_runtime(), tasks)):
        assert score.percent >= 99.9 and score.false_passes == 0


def test_every_verified_answer_of_the_larger_columns_is_exact():
    tasks = suite_tasks("extra", Draw("+-*/", 250, 2024)) | suite_tasks("one-digit", Draw("*", 60, 2024))
    tasks, _ = split_covered(load_runtime().info, tasks)
    results = run(load_runtime(), tasks)
    assert len(results) >= 250 * 12
    for result in results:
        if result.verified:
            problem = parse_problem(result.problem)
            assert result.answer == problem.answer == verify(result.text, "lean", problem=problem).answer
    for score in score_tasks(results):
        assert score.percent >= 99


def test_an_interrupted_run_goes_on(tmp_path):
    out = tmp_path / "results.jsonl"
    whole = run(load_runtime(), TASKS, out)
    head, *lines = out.read_text().splitlines()
    assert json.loads(head) == {"run": {}} and not partial_of(out).exists()
    assert [json.loads(line)["problem"] for line in lines] == [f"{a}+50" for a in range(10, 40)] and load(out) == whole
    mine = {"by": "me"}
    head = json.dumps({"run": mine}) + "\n"
    marked = json.loads(lines[0]) | {"reason": "kept"}
    partial = tmp_path / "again.jsonl.partial"
    partial.write_text(head + json.dumps(marked) + "\n" + lines[1] + "\n" + lines[2][:20])
    with pytest.raises(ProblemError, match="another run: by 'me', not 'another'"):
        run(load_runtime(), TASKS, tmp_path / "again.jsonl", {"by": "another"})
    counted = []
    again = run(load_runtime(), TASKS, tmp_path / "again.jsonl", mine, progress=counted.append)
    assert again[0].reason == "kept" and again[1:] == whole[1:] and counted == [2] + [1] * 28
    assert not partial.exists() and load(tmp_path / "again.jsonl") == again


def test_texts_have_the_same_limits_where_a_run_goes_on(tmp_path, monkeypatch):
    class Babbling:
        """Writes as much as it may."""

        info = load_runtime().info

        def generate_each(self, prompts, most):
            return ((i, "1" * most) for i in range(len(prompts)))

        def as_trace(self, problem, written):
            return f"{problem}={written}"

    monkeypatch.setattr("revorder.evaluation.runner.BATCH", 4)
    tasks = {"ADD": [Problem(10**i, "+", 1) for i in range(11)]}
    out = tmp_path / "results.jsonl"
    whole = run(Babbling(), tasks, out)
    lines = out.read_text().splitlines(keepends=True)
    partial_of(tmp_path / "again.jsonl").write_text("".join(lines[:3]))
    assert run(Babbling(), tasks, tmp_path / "again.jsonl") == whole


def test_a_finished_run_is_kept_and_not_asked_again(tmp_path):
    out = tmp_path / "results.jsonl"
    results = run(load_runtime(), TASKS, out, {"seed": 1})
    before = out.read_bytes()
    assert finished(out, {"seed": 1}) == results == run(None, TASKS, out, {"seed": 1})
    with pytest.raises(ProblemError, match="another run: seed 1, not 2; choose another file"):
        run(None, TASKS, out, {"seed": 2})
    with pytest.raises(ProblemError, match="another run: seed 1, not None"):
        run(None, TASKS, out, {})
    assert out.read_bytes() == before and finished(tmp_path / "none.jsonl", {}) is None


class Failing:
    """A writer that can't be asked."""

    info = load_runtime().info

    def generate_each(self, questions, max_new_tokens):
        raise ProblemError("it can't be reached")


def test_a_run_that_fails_replaces_nothing_and_stands_in_no_way(tmp_path):
    out = tmp_path / "results.jsonl"
    for settings in ({"seed": 1}, {"seed": 2}):
        with pytest.raises(ProblemError, match="reached"):
            run(Failing(), TASKS, out, settings)
    assert partial_of(out).exists() and not out.exists()
    results = run(load_runtime(), TASKS, out, {"seed": 3})
    before = out.read_bytes()
    with pytest.raises(ProblemError, match="reached"):
        run(Failing(), TASKS, out, {"seed": 4}, overwrite=True)
    assert out.read_bytes() == before
    assert run(load_runtime(), TASKS, out, {"seed": 4}, overwrite=True) == results
    assert load_run(out)[0] == {"seed": 4} and not partial_of(out).exists()


def test_a_line_of_a_users_own_is_no_run_to_drop(tmp_path):
    partial = partial_of(tmp_path / "results.jsonl")
    partial.write_text("a note\n")
    with pytest.raises(ProblemError, match="line 1: .*; give a file that eval wrote"):
        run(Failing(), TASKS, tmp_path / "results.jsonl")
    assert partial.read_text() == "a note\n"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("{}", "line 3: its keys"),
        ("5", "line 3: its keys"),
        ("[" * 100_000, "line 3: "),
        (None, "line 3: correct is 1"),
    ],
)
def test_a_line_that_is_no_result_is_named(wrong, says, tmp_path):
    out = tmp_path / "results.jsonl"
    run(load_runtime(), {"ADD 2D": TASKS["ADD 2D"][:2]}, out)
    head, first, second = out.read_text().splitlines()
    out.write_text(f"{head}\n{first}\n{wrong or second.replace('true', '1', 1)}\n")
    with pytest.raises(ProblemError, match=says):
        load(out)


@pytest.mark.parametrize("head", ["", "5", "{}", '{"run": 5}', '{"task": "ADD 2D"}', "[" * 100_000])
def test_a_file_without_its_first_line_is_no_file_of_results(head, tmp_path):
    (tmp_path / "results.jsonl").write_text(f"{head}\n" if head else "")
    for read in (load, lambda path: finished(path, {})):
        with pytest.raises(ProblemError, match="line 1: .*; give a file that eval wrote"):
            read(tmp_path / "results.jsonl")
    with pytest.raises(ProblemError, match="can't be read"):
        load(tmp_path / "none.jsonl")


def test_a_second_writer_of_the_same_results_is_refused_at_its_start(tmp_path):
    out = tmp_path / "results.jsonl"

    class Slow:
        """Lets another one begin before it writes."""

        info = load_runtime().info
        as_trace = staticmethod(load_runtime().as_trace)

        def generate_each(self, prompts, most):
            with pytest.raises(ProblemError, match="another process writes them; give another --out"):
                run(load_runtime(), TASKS, out)
            return load_runtime().generate_each(prompts, most)

    written = run(Slow(), TASKS, out)
    assert load(out) == written and [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]
