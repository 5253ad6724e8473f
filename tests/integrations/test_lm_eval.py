"""lm-evaluation-harness: our tasks in the real harness, their prompts and scores, the shipped model run by it."""

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretrained import byte_level, save_model
from strategies import FORMS, OPS, SHORT

from revorder import Problem, ProblemError, trace
from revorder.arithmetic.expression import parse_problem
from revorder.evaluation.suites import Draw, suite_tasks
from revorder.inference.prompts import Prompts
from revorder.model.checkpoint import checkpoint

lm_eval = pytest.importorskip("lm_eval")
from lm_eval.tasks import TaskManager  # noqa: E402

import revorder.integrations.lm_eval.tasks as ours  # noqa: E402
from revorder.integrations.lm_eval.tasks import score  # noqa: E402

FOLDER = Path(ours.__file__).parent
TASKS = [f"revorder_hard_{name}" for name in ("addition", "subtraction", "multiplication", "division")]


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("REVORDER_DATA", raising=False)


def manager(**metadata):
    return TaskManager(include_path=FOLDER, include_defaults=False, metadata=metadata)


def evaluate(model, tasks, metadata=(), **options):
    return lm_eval.simple_evaluate(
        model="hf",
        model_args=f"pretrained={model},dtype=float32",
        tasks=tasks,
        device="cpu",
        batch_size=8,
        limit=2,
        bootstrap_iters=0,
        task_manager=manager(**dict(metadata)),
        **options,
    )


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("tiny"), byte_level(True), chat=True)


@pytest.mark.parametrize(("suite", "op", "n"), [("table1", "addition +", 1000), ("hard", "division /", None)])
def test_problems_are_the_suites_column_by_column(suite, op, n, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where no BIG-bench is
    name = f"revorder_{suite}_{op[:-2]}"
    wanted = suite_tasks(suite, Draw(op[-1], n, 2024))
    task = manager(method="goat").load(name)["tasks"][name]
    docs = task.eval_docs
    assert docs["column"][: len(wanted)] == list(wanted)
    there = {column: [] for column in wanted}
    for column, problem, answer in zip(docs["column"], docs["problem"], docs["answer"], strict=True):
        there[column].append(problem)
        assert answer == parse_problem(problem).answer
    assert there == {column: list(map(str, problems)) for column, problems in wanted.items()}
    room = task.config.generation_kwargs["max_gen_toks"]
    assert room > max(len(trace(problem, "goat").text) for problem in docs["problem"][::5])


def test_a_random_model_is_asked_by_our_turns_and_scores_0(tiny):
    options = {"num_fewshot": 2, "apply_chat_template": True, "system_instruction": "Be exact."}
    run = evaluate(
        tiny, ["revorder_hard_addition"], metadata={"method": "lean"}, gen_kwargs="max_gen_toks=8", **options
    )
    assert list(run["results"]) == ["revorder_hard_addition"]
    assert {run["results"]["revorder_hard_addition"][f"{name},none"] for name in ("exact_match", "verified")} == {0.0}
    samples = run["samples"]["revorder_hard_addition"]
    assert len(samples) == 2
    for sample in samples:
        problem = parse_problem(sample["doc"]["problem"])
        turns = [{"role": "system", "content": "Be exact."}, *Prompts("lean", "lean", shots=2).chat(problem)]
        text, generation = sample["arguments"][0]
        assert text == "".join(f"<{turn['role']}>{turn['content']}" for turn in turns) + "<assistant>"
        assert generation == {"do_sample": False, "until": [], "max_gen_toks": 8}


def test_a_completion_continues_our_text():
    name = "revorder_hard_division"
    task = manager(method="revorder", form="expanded").load(name)["tasks"][name]
    task.set_config("num_fewshot", 2)
    task.build_all_requests(limit=3, system_instruction="Be exact.")
    assert len(task.instances) == 3
    for request in task.instances:
        text, generation = request.arguments
        problem = parse_problem(request.doc["problem"])
        assert text == "Be exact.\n\n" + Prompts("revorder", "expanded", shots=2).completion(problem)
        assert generation["until"] == ["\n\n"]


def test_the_shipped_model_is_exact():
    results = evaluate(checkpoint("calculator"), ["revorder_hard"], metadata={"method": "lean"})["results"]
    assert set(results) == {"revorder_hard", *TASKS}
    assert results["revorder_hard"]["sample_len"] == 8
    assert results["revorder_hard"]["exact_match,none"] == results["revorder_hard"]["verified,none"] == 1.0


@settings(max_examples=50)
@given(st.sampled_from(FORMS), st.builds(Problem, SHORT, OPS, SHORT))
def test_right_work_scores_1_and_a_changed_answer_0(written, problem):
    method, form = written
    doc = {"problem": str(problem), "method": method, "form": form}
    text = trace(problem, method, form).text
    assert score(doc, [text]) == {"exact_match": 1.0, "verified": 1.0}
    assert score(doc, [text + "1"])["verified"] == 0.0
    assert score(doc, [""]) == {"exact_match": 0.0, "verified": 0.0}


def test_an_answer_counts_without_its_work_but_is_not_verified():
    doc = {"problem": "12+35", "method": "revorder", "form": "compact"}
    assert score(doc, ["r|74=47"]) == {"exact_match": 1.0, "verified": 1.0}
    assert score(doc, ["r|75=47"]) == {"exact_match": 1.0, "verified": 0.0}
    assert score(doc, ["r|74=470"]) == {"exact_match": 0.0, "verified": 0.0}
    said = {"problem": "12-35", "method": "plain", "form": "plain"}
    assert score(said, ["It is −23."])["exact_match"] == 1.0
    assert [score(said, [text])["exact_match"] for text in ("23", "-230", "-23 or 23")] == [0.0, 0.0, 0.0]


def test_a_method_that_is_none_is_refused():
    with pytest.raises(ProblemError, match="method 'magic' is unknown"):
        manager(method="magic").load("revorder_hard_addition")


def test_a_missing_library_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "lm_eval.api.task", None)
    with pytest.raises(ProblemError, match=r"install: pip install 'revorder\[lm-eval\]'\Z"):
        importlib.reload(ours)
