"""The runtime: CTranslate2 gets the model that its own converter makes, without torch, and in every process."""

import json
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors.numpy import load_file

from revorder import Expression, verify
from revorder.inference.ctranslate import Runtime
from revorder.inference.ctranslate_model import model_files
from revorder.inference.solver import load_runtime
from revorder.model.checkpoint import shipped
from revorder.model.llama_folder import read_config


def converted(folder, vocabulary):
    """The weights as ctranslate2's own converter writes them."""
    from ctranslate2.specs import common_spec, transformer_spec

    config, weights = read_config(folder), load_file(folder / "model.safetensors")
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        config.num_hidden_layers,
        config.num_attention_heads,
        activation=common_spec.Activation.SWISH,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=False,
        rotary_base=config.rope_theta,
        num_heads_kv=config.num_key_value_heads,
        head_dim=config.head_dim,
    )
    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = weights["model.embed_tokens.weight"]
    decoder.layer_norm.gamma = weights["model.norm.weight"]
    decoder.projection.weight = weights["lm_head.weight"]
    for i, layer in enumerate(decoder.layer):
        of = {name.removeprefix(f"model.layers.{i}."): tensor for name, tensor in weights.items()}
        attention, ffn = layer.self_attention, layer.ffn
        attention.layer_norm.gamma = of["input_layernorm.weight"]
        attention.linear[0].weight = np.concatenate([of[f"self_attn.{x}_proj.weight"] for x in "qkv"])
        attention.linear[1].weight = of["self_attn.o_proj.weight"]
        ffn.layer_norm.gamma = of["post_attention_layernorm.weight"]
        ffn.linear_0.weight = of["mlp.gate_proj.weight"]
        ffn.linear_0_noact.weight = of["mlp.up_proj.weight"]
        ffn.linear_1.weight = of["mlp.down_proj.weight"]
    spec.register_vocabulary(list(vocabulary))
    spec.config.layer_norm_epsilon = config.rms_norm_eps
    spec.validate()
    return spec


@pytest.mark.parametrize("name", shipped())
def test_the_files_are_those_that_the_converter_of_ctranslate2_writes(name, tmp_path):
    runtime = Runtime(name)
    files = model_files(runtime.folder, runtime.tokenizer.vocabulary)
    converted(runtime.folder, runtime.tokenizer.vocabulary).save(str(tmp_path))
    assert files["model.bin"] == (tmp_path / "model.bin").read_bytes()
    assert files.keys() == {path.name for path in tmp_path.iterdir()}


def test_loading_a_model_does_not_import_torch_but_lets_others():
    code = """
import sys
from revorder.inference.ctranslate import Runtime
assert Runtime().generate(["12+35="], 9) == ["r|74"]
assert not {"torch", "transformers", "pydantic", "openai", "rich"} & sys.modules.keys()
try:
    import torch
except ModuleNotFoundError as error:
    assert "halted" not in str(error), error
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_imports_no_library():
    code = (
        "import sys, revorder; sys.exit(bool({'ctranslate2', 'numpy', 'torch', 'pydantic', 'rich'} &"
        " sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_batches_and_streams_agree():
    runtime = load_runtime()
    questions = [f"{a}+{b}=" for a, b in ((1, 2), (99999, 1), (123, 45678))]
    together = runtime.generate(questions, 60)
    assert together == ["".join(runtime.stream(question, 60)) for question in questions]
    assert dict(runtime.generate_each(questions, 60)) == dict(enumerate(together))
    for question, text in zip(questions, together, strict=True):
        problem = Expression.parse(question).problem()
        verdict = verify(runtime.as_trace(problem, text), runtime.info.method, runtime.info.form, problem)
        assert verdict.ok and verdict.answer == problem.answer


def test_a_text_ends_at_the_last_position_of_the_model(tmp_path):
    question, short = "123456*654321=", tmp_path / "short"
    shutil.copytree(load_runtime().folder, short)
    config = json.loads((short / "config.json").read_text())
    (short / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 40}))
    runtime, whole = Runtime(short), load_runtime().generate([question], 10**6)[0]
    (text,) = runtime.generate([question], 10**6)
    assert whole.startswith(text) and text == "".join(runtime.stream(question, 10**6))
    assert len(runtime.tokenizer.encode(question + text)) + 1 == 40 < len(runtime.tokenizer.encode(whole))


def test_texts_come_before_all_are_written():
    """Python hears of Ctrl-C between calls only, and what came is kept."""
    runtime, began = Runtime("calculator", threads=1), time.monotonic()
    texts = runtime.generate_each([f"{10**15 + i}+{i}=" for i in range(640)], 60)
    assert next(texts)[1] == "r|0000000000000001"
    first = time.monotonic() - began
    assert [i for i, _ in texts] == list(range(1, 640)) and first < (time.monotonic() - began) / 2


def run(code):
    """Run a program of its own; what hangs is ended, and fails."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_processes_of_a_pool_solve_after_their_parent_did():
    code = """
import multiprocessing, os, revorder

def answer(text):
    return os.getpid(), revorder.solve(text).answer

def shown(text):
    pieces = []
    revorder.solve(text, show=pieces.append)
    return "".join(pieces)

if __name__ == "__main__":
    assert revorder.solve("12+34", show=lambda piece: None).answer == "46"
    with multiprocessing.get_context("fork").Pool(2) as pool:
        done = pool.map_async(answer, [f"{i}*7" for i in range(20)]).get(60)
        assert pool.map_async(shown, ["12+35"] * 4).get(60) == ["12+35=r|74\\n"] * 4
    assert os.getpid() not in {process for process, _ in done}
    print(*[text for _, text in done], revorder.solve("12+36").answer)
"""
    assert run(code).split() == [str(i * 7) for i in range(20)] + ["48"]


@pytest.mark.parametrize("child", ["solve('12+36').answer == '48'", "True", "runtimes.clear() is None"])
def test_a_process_that_was_forked_off_ends(child):
    code = f"""
import os, signal, sys, time
from revorder import solve
from revorder.inference.ctranslate import Runtime
runtimes = [Runtime()]
assert solve("12+34").answer == "46"
process = os.fork()
if not process:  # it ends as any program does, with all that Python does at its end
    sys.exit(0 if {child} else 3)
for _ in range(600):
    ended, status = os.waitpid(process, os.WNOHANG)
    if ended:
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.1)
os.kill(process, signal.SIGKILL)
sys.exit("it hangs")
"""
    run(code)


def test_a_runtime_lets_go_of_its_memory():
    code = """
import gc, weakref
from revorder.inference.ctranslate import Runtime
runtime = Runtime()
seen = weakref.ref(runtime), runtime._generators
del runtime
gc.collect()
assert seen[0]() is None and not seen[1]
"""
    run(code)
