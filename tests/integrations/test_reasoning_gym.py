"""reasoning-gym: items by seed and index, scores of 0 or 1, configs, curricula and experiments of the real library."""

import importlib
import sys

import pytest

from revorder import METHODS, ProblemError, verify
from revorder.evaluation.audit import RIGHT, check_answer
from revorder.mixtures.split import is_held_out

reasoning_gym = pytest.importorskip("reasoning_gym")
from reasoning_gym.coaching import CurriculumExperiment  # noqa: E402
from reasoning_gym.coaching.curriculum_config import CurriculumAttributeConfig, CurriculumExperimentConfig  # noqa: E402
from reasoning_gym.dataset import ReseedingDataset  # noqa: E402
from reasoning_gym.factory import create_curriculum, create_dataset, get_score_answer_fn  # noqa: E402

import revorder.integrations.reasoning_gym as ours  # noqa: E402

NAMES = ours.register()


@pytest.mark.parametrize("name", NAMES)
def test_items_are_pure_functions_of_seed_and_index(name):
    data = create_dataset(name, seed=42, size=40, hard=0.5)
    items = list(data)
    assert len(items) == 40 and len({item["question"] for item in items}) > 30
    assert [create_dataset(name, seed=42, hard=0.5)[i] for i in (39, 7)] == [items[39], items[7]]
    assert create_dataset(name, seed=43, hard=0.5)[7]["question"] != items[7]["question"]
    for i, item in enumerate(items):
        assert (item["metadata"]["source_dataset"], item["metadata"]["source_index"]) == (name, i)
        assert check_answer(item["question"], item["answer"]).outcome == RIGHT
        a, op, b = item["metadata"]["problem"].partition(data.config.op)
        assert not is_held_out(int(a), op, int(b))


@pytest.mark.parametrize("name", NAMES)
def test_answers_score_0_or_1(name):
    data = create_dataset(name, seed=0, size=10, remainder=0.5)
    for item in data:
        answer = item["answer"]
        for right in (answer, f" {answer}\n", f"The answer is **{answer}**.", rf"\boxed{{{answer}}}"):
            assert data.score_answer(right, item) == 1.0
        for wrong in (answer + "1", "1" + answer, f"{answer} or 7", answer[:-1], f"{answer}.5", "", "what?", None, 47):
            assert data.score_answer(wrong, item) == 0.0, wrong
        assert get_score_answer_fn(name)(answer, item) == 1.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
def test_work_scores_1_where_every_step_is_right(name, method):
    data = create_dataset(name, seed=0, size=5, method=method, shots=1)
    for item in data:
        problem, work = item["metadata"]["problem"], item["answer"]
        if not METHODS[method].states_answer_only:
            assert verify(work, method, problem=problem).ok
            assert data.score_answer(work.replace(problem[0], "x", 1), item) == 0.0
        assert data.score_answer(work, item) == get_score_answer_fn(name)(work, item) == 1.0
        assert data.score_answer(work + "1", item) == 0.0
        assert problem in item["question"].replace(" ", "") and work not in item["question"]


def test_a_lucky_answer_without_its_work_scores_0():
    data = create_dataset("revorder_addition", seed=0, method="revorder")
    assert data.score_answer(data[0]["metadata"]["problem"] + "=47", data[0]) == 0.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"min_a_digits": 5}, r"key 'a' is \[5, 4\]"),
        ({"max_b_digits": 99}, "key 'b'"),
        ({"hard": 2}, "key 'hard'"),
        ({"shots": -1}, "key 'shots' is -1; accepted: at least 0"),
        ({"method": "magic"}, "method 'magic' is unknown"),
        ({"method": "lean", "form": "short"}, "form 'short' is unknown"),
    ],
)
def test_settings_that_are_refused(settings, said):
    with pytest.raises(ProblemError, match=said):
        create_dataset("revorder_addition", **settings)


@pytest.mark.parametrize("name", NAMES)
def test_the_curriculum_goes_up_and_down(name):
    curriculum = create_curriculum(name)
    lengths = []
    for level in range(5):
        config = curriculum.generate_configuration({"seed": 1, "size": 50})
        lengths.append(config.max_a_digits)
        for item in create_dataset(name, **vars(config)):
            a, _, b = item["metadata"]["problem"].partition(config.op)
            assert len(a) <= config.max_a_digits and len(b) <= config.max_b_digits
        assert curriculum.increment_global_level() == (level < 4)
    assert lengths == sorted(set(lengths))
    assert curriculum.decrement_global_level() and curriculum.generate_configuration().max_a_digits == lengths[3]


def test_an_experiment_of_the_library():
    curricula = {name: CurriculumAttributeConfig(attribute_levels={"*": 0}, weight=1.0) for name in NAMES}
    experiment = CurriculumExperiment("ours", CurriculumExperimentConfig(curricula=curricula), size=40, seed=3)
    seen = set()
    for i in range(40):
        item = experiment.composite[i]
        seen.add(item["metadata"]["source_dataset"])
        assert experiment.score_answer_with_id(item["answer"], item["metadata"]["entry_id"]) == 1.0
    assert seen == set(NAMES)
    experiment.update_difficulty("revorder_division", "increment")
    assert experiment.composite.datasets["revorder_division"].config.max_a_digits == 4


def test_registering_twice_and_reseeding():
    assert ours.register() == NAMES
    endless = iter(ReseedingDataset(create_dataset("revorder_addition", seed=0), chunk_size=3))
    assert len({next(endless)["question"] for _ in range(9)}) > 6


def test_a_missing_library_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "reasoning_gym.coaching", None)
    with pytest.raises(ProblemError, match=r"install: pip install 'revorder\[reasoning-gym\]'\Z"):
        importlib.reload(ours)


def test_a_divisor_is_no_longer_than_its_dividend():
    items = create_dataset("revorder_division", seed=0, size=20, max_a_digits=2, max_b_digits=4)
    assert all(len(item["metadata"]["problem"].partition("/")[2]) <= 2 for item in items)
