"""transformers runs any causal language model: one that was fine-tuned, by its method, and any other, as it is
asked."""

import json
import shutil
import threading

import pytest

from revorder import Problem, ProblemError, solve
from revorder.evaluation.runner import run
from revorder.reading.answers import CUT

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from pretrained import LEARNED, byte_level, save_model, save_taught, sentencepiece  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel  # noqa: E402

from revorder.inference.ctranslate import Runtime  # noqa: E402
from revorder.inference.solver import load_runtime  # noqa: E402
from revorder.inference.transformers_runtime import TransformersRuntime, is_other_model  # noqa: E402
from revorder.model.checkpoint import CheckpointInfo  # noqa: E402


@pytest.fixture(scope="module", params=[byte_level, sentencepiece], ids=["byte level", "sentencepiece"])
def taught(request, tmp_path_factory):
    kinds = [False] if request.param is byte_level else []
    out = save_taught(tmp_path_factory.mktemp("taught"), request.param(*kinds), tied=False)
    info = CheckpointInfo.load(out)
    CheckpointInfo("revorder", "compact", (("+", 2, 2),), True, 0, info.extra).save(out)
    return out


@pytest.fixture(scope="module")
def chatting(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("chatting"), byte_level(False), chat=True)


@pytest.fixture(scope="module")
def continuing(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("continuing"), byte_level(False))


def test_it_writes_what_it_learned_and_stops(taught):
    runtime = TransformersRuntime(taught)
    assert runtime.generate(list(LEARNED), 20) == list(LEARNED.values())
    assert dict(runtime.generate_each(list(LEARNED), 20)) == dict(enumerate(LEARNED.values()))
    assert [*runtime.complete_each(["3+4="], 20)] == [(0, "r|7=7")]
    assert [*runtime.complete_each(["3+4="], 2)] == [(0, "r|7…")]


def test_it_streams_the_same(taught):
    pieces = list(TransformersRuntime(taught).stream("12+35=", 20))
    assert pieces == ["r|", *"74=47"]


def test_a_stream_that_is_left_stops_the_model(taught):
    runtime = TransformersRuntime(taught)
    runtime.model.generation_config.eos_token_id = -1  # it would go on to the limit
    stream = runtime.stream("12+35=", 100_000)
    next(stream)
    stream.close()
    assert [thread for thread in threading.enumerate() if thread.daemon and "write" in thread.name] == []


def test_a_models_own_settings_change_nothing(taught, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(taught, folder)
    settings = json.loads((folder / "generation_config.json").read_text())
    own = {"no_repeat_ngram_size": 1, "max_time": 1e-9, "stop_strings": ["7"], "suppress_tokens": [5, 6, 7, 8]}
    (folder / "generation_config.json").write_text(json.dumps(settings | own))
    assert TransformersRuntime(folder).generate(list(LEARNED), 20) == list(LEARNED.values())


def test_a_failure_ends_the_stream(taught, monkeypatch):
    runtime = TransformersRuntime(taught)
    monkeypatch.setattr(runtime.model, "forward", lambda **inputs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(runtime.stream("12+35=", 20))


def test_the_runner_judges_it(taught):
    problems = [Problem(12, "+", 35), Problem(3, "+", 4)]
    results = run(TransformersRuntime(taught), {"task": problems})
    assert [(result.text, result.verified) for result in results] == [("12+35=r|74=47", True), ("3+4=r|7=7", True)]


def test_solve_takes_it(taught):
    shown = []
    solution = solve("12+35", model=str(taught), show=shown.append)
    assert (solution.answer, solution.verified, solution.by) == ("47", True, "model")
    assert "".join(shown) == "12+35=r|74=47\n"
    wrong = solve("12+36", model=str(taught))
    assert wrong.answer == "48" and wrong.verified
    assert solve("123+1", model=str(taught)).by == "tool"


def test_the_folder_says_what_runs_it(taught, continuing):
    assert is_other_model(taught) and isinstance(load_runtime(str(taught)), TransformersRuntime)
    assert (
        not is_other_model("calculator")
        and isinstance(load_runtime("calculator"), Runtime)
        and not is_other_model(None)
    )
    assert not is_other_model(continuing)


def test_a_model_that_was_trained_is_asked_no_other_way(taught):
    with pytest.raises(ProblemError, match="was trained to write revorder compact; drop --method"):
        TransformersRuntime(taught, "plain")
    with pytest.raises(ProblemError, match="shots 2: .* was trained to write without; drop --shots"):
        TransformersRuntime(taught, "revorder", shots=2)


def test_any_chat_model_is_asked_in_words_by_its_template(chatting):
    runtime = TransformersRuntime(chatting, "plain")
    asked = "What is 12 plus 35? Reply with the number only."
    assert runtime.prompt("12+35=") == f"<user>{asked}<assistant>"
    assert runtime.as_trace(Problem(12, "+", 35), "The sum is **47**.") == "12+35=47"
    [reply] = runtime.generate(["12+35="], 3)
    assert reply.endswith(CUT)  # it knows nothing, and does not stop
    [result] = run(runtime, {"task": [Problem(12, "+", 35)]})
    assert not result.correct


def test_any_text_is_completed_without_the_template_in_batches_of_any_size(chatting):
    alone, together = (
        TransformersRuntime(chatting, "plain", batch=1, device="cpu"),
        TransformersRuntime(chatting, "plain"),
    )
    prompts = ["She has 48 clips.", "1+1", "Question: How many?\nAnswer:\n"]
    written = list(alone.complete_each(prompts, 6))
    assert [i for i, _ in written] == [1, 0, 2] and all(text for _, text in written)
    assert sorted(written) == sorted(alone.complete_each(prompts, 6)) == sorted(together.complete_each(prompts, 6))


def test_worked_examples_come_before_a_question(chatting, continuing):
    chat, plain = TransformersRuntime(chatting, "lean", shots=1), TransformersRuntime(continuing, "lean", shots=1)
    assert chat.prompt("12+35=").endswith("<user>12+35=<assistant>") and chat.prompt("12+35=").count("r|") == 1
    shown, asked = plain.prompt("12+35=").split("\n")
    assert asked == "12+35=" and "=r|" in shown
    assert TransformersRuntime(continuing, "plain").prompt("12+35=") == "12+35="


def test_what_a_model_goes_on_with_is_cut_off(continuing):
    runtime = TransformersRuntime(continuing, "lean")
    assert runtime._shortened("r|74\n1+1=r|2", True) == "r|74" and runtime._shortened("r|74", True) == "r|74" + CUT
    assert runtime._shortened("r|74", False) == "r|74"


def test_a_reply_ends_at_the_models_last_position(tmp_path):
    tokenizer = byte_level(True)
    GPT2LMHeadModel(
        GPT2Config(vocab_size=len(tokenizer), n_positions=16, n_embd=32, n_layer=1, n_head=2)
    ).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    runtime = TransformersRuntime(tmp_path, "plain", device="cpu")
    [(_, text)] = runtime.complete_each(["12+35="], 50)
    assert text.endswith(CUT) and len(list(runtime.stream("12+35=", 50))) <= 10


def test_what_is_no_model_is_named(continuing, tmp_path):
    with pytest.raises(ProblemError, match="has no revorder.json; give a method to ask it by, such as plain"):
        TransformersRuntime(continuing)
    with pytest.raises(ProblemError, match="can't be loaded: .*; give the folder of a causal language model"):
        TransformersRuntime(tmp_path, "plain")
    with pytest.raises(ProblemError, match="method 'nope' is unknown"):
        TransformersRuntime(continuing, "nope")
    with pytest.raises(ProblemError, match="device 'nope': .*; give cpu, or a GPU such as cuda"):
        TransformersRuntime(continuing, "plain", device="nope")
