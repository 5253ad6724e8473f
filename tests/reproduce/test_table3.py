"""Table 3 at the size of a test: three arms that learn two problems by heart, in their own notations."""

import gzip
import json
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

from pretrained import byte_level, save_model

from revorder.errors import ProblemError
from revorder.evaluation.word_problems.scoring import Attempt, check_solution
from revorder.reproduce.exhibits import Sample
from revorder.reproduce.experiment import RunInfo, texts_file
from revorder.reproduce.gsm8k_samples import FIGURES7_8, converted_sample
from revorder.reproduce.harness import perform
from revorder.reproduce.table3 import (
    RECIPE,
    TABLE3,
    TEXTS,
    FinetuneRecipe,
    Table3Settings,
    by_learned,
    render,
    start_of,
)

ROWS = [
    {"question": "A?", "answer": "<<12+35=47>>47\n#### 47"},
    {"question": "B?", "answer": "<<9-2-3=4>>4\n#### 4"},
    {"question": "C?", "answer": "<<1+1=2>>2\n#### 2"},
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder of made-up problems; the last is not trained on."""
    folder = tmp_path_factory.mktemp("gsm8k")
    for split, rows in (("train", ROWS[:2]), ("test", ROWS)):
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder)


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    """The experiment, its settings, its folder, and what it said."""
    out, said = tmp_path_factory.mktemp("out"), []
    base = save_model(out / "base", byte_level(True), tied=False)
    recipe = {"steps": 120, "batch": 2, "lr": 1e-2, "schedule": "constant", "save_every": 1000}
    settings = Table3Settings(2, None, enhancement=1, recipe=recipe, max_tokens=40, model=base, data=data)
    experiment = replace(TABLE3, settings={"smoke": settings})
    folder = perform(experiment, "smoke", out, said.append)
    return experiment, settings, folder, said


def test_each_arm_learns_its_own_notation_and_is_scored(done):
    _, settings, folder, said = done
    written = {}
    for arm in TEXTS:
        head, *rows = map(json.loads, gzip.decompress(texts_file(folder / "solutions", arm).read_bytes()).splitlines())
        assert head["run"]["arm"] == arm and head["run"]["recipe"]["warmup"] == 0.08
        assert [row["correct"] for row in rows[:2]] == [True, True]
        written[arm] = [row["text"].partition(">>")[0] for row in rows[:2]]
    assert written == {
        "original": ["<<12+35=47", "<<9-2-3=4"],
        "reversed": ["<<12+35=r|74=47", "<<9-2-3=r|7-3=r|4=4"],
        "enclosed": ["<<12+35=@@74@@=47", "<<9-2-3=@@7@@-3=@@4@@=4"],
    }
    assert said == [line for arm in TEXTS for line in (f"{arm}: fine-tuning", f"{arm}: 3 problems")]
    assert RunInfo.read(folder).tokens > 3 * 60 * 2 * 10
    scores, causes, *samples = render(settings, folder)
    assert [row[0] for row in scores.rows[:3]] == ["base, original text", "base, in r|", "base, in @@"]
    assert all(row[1].endswith("of 3") for row in scores.rows[:3]) and "of 3" in scores.rows[0][2]
    assert causes.header[1] == "cause" and len(samples) == 1
    assert all(isinstance(sample, Sample) and "of 1 wrong solutions" in sample.text for sample in samples)


def test_an_arm_that_is_there_is_not_run_again(done):
    experiment, _, folder, _ = done
    info, said = RunInfo.read(folder), []
    replace(info, done=False).save(folder)
    texts_file(folder / "solutions", "enclosed").unlink()
    perform(experiment, "smoke", folder.parent, said.append)
    assert said == ["enclosed: fine-tuning", "enclosed: 3 problems"]  # a finished one takes no steps
    assert RunInfo.read(folder).tokens == info.tokens


def test_the_enhancement_data_come_first_in_the_rewritten_arms_alone(done):
    _, _, folder, _ = done
    for arm in TEXTS:
        data = json.loads((folder / "models" / arm / "revorder.json").read_text())["extra"]["data"]
        names = [path.rpartition("/")[2] for path in data]
        assert names == ([f"enhancement_{arm}.jsonl"] if TEXTS[arm] else []) + [f"{arm}.jsonl"]


def test_a_taught_arm_needs_its_taught_model(tmp_path):
    settings = Table3Settings(taught=True)
    assert [arm.start for arm in settings.arms] == ["", "", "", "plain restored", *["revorder restored"] * 2]
    with pytest.raises(ProblemError, match="plain restored' is missing; first run 'pretrained' with the same --preset"):
        start_of(settings, tmp_path / "table3", settings.arms[3])


def test_equations_that_the_taught_models_learned_to_solve_are_counted_apart():
    text = "<<12*3=36>>36 <<12*3=36>>36 <<12-35=r|32=23>>23 <<12*13=156>>156 <<1.5+2=3>>3 <<1+2+3=6>>6\n#### 6"
    table = by_learned([[check_solution(Attempt("x", text, "6"))]])
    counts = [(share[0], share.rpartition(" of ")[2]) for share in table.rows[0][1:]]
    assert table.header == ["system", "+", "-", "*", "others"]
    assert counts == [("-", "-"), ("0", "1"), ("1", "1"), ("6", "3")]  # a repeated one counts once


def test_the_papers_settings():
    recipe = FinetuneRecipe.read(RECIPE)
    assert (recipe.batch, recipe.lr, recipe.warmup, recipe.epochs) == (32, (5e-5,), 0.08, 3)
    assert TABLE3.settings["gpu"] == Table3Settings(taught=True)
    assert set(TABLE3.settings["cpu"].recipe) == {"checkpointing", "save_every"}  # what changes no step


def test_the_samples(data, tmp_path, shared):
    settings = replace(FIGURES7_8.settings["smoke"], data=data)
    folder = perform(replace(FIGURES7_8, settings={"smoke": settings}), "smoke", tmp_path)
    first, second, third, fourth = FIGURES7_8.render(settings, folder)
    assert first.text == "Question: B?\nAnswer:\n<<9-2-3=r|7-3=r|4=4>>4\n#### 4" and "@@7@@-3" in second.text
    assert first.title == "Figure 7: a problem in r|" and "=@@" in fourth.text
    assert third.text == fourth.text.replace("@@6249@@", "r|6249").replace("@@2349@@", "r|2349")
    assert "<<100-50-30-15=r|05-30-15=r|02-15=r|5=5>>5" in converted_sample(data=str(shared / "gsm8k"))
