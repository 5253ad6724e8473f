"""Checkpoint folders: the shipped ones load, and one from elsewhere that is not sound is refused in one line, at
once."""

import json
import os
import re
import struct
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from revorder import Problem, ProblemError, trace
from revorder.inference.ctranslate import Runtime
from revorder.model.checkpoint import DEFAULT, MAX_BYTES, CheckpointInfo, checkpoint, shipped
from revorder.model.llama_folder import MAX_PARAMETERS, read_config, read_llama
from revorder.model.tokenizer import Tokenizer

DOWN = "model.layers.0.mlp.down_proj.weight"
NORM = "model.norm.weight"
CONFIG = {
    "model_type": "llama",
    "vocab_size": 490,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 16,
    "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"},
}


@pytest.fixture
def folder(tmp_path):
    """A small checkpoint of random weights that is sound, to be spoilt."""
    folder = tmp_path / "model"
    folder.mkdir()
    CheckpointInfo("lean", "lean", (("+", 5, 5),)).save(folder)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    draw = np.random.default_rng(0)
    shapes = read_config(folder).shapes
    save_file({n: draw.normal(0, 0.1, shape).astype("f4") for n, shape in shapes.items()}, folder / "model.safetensors")
    Runtime(folder)
    return folder


def change(folder, name, **values):
    """Set keys of a JSON file; ... takes one out."""
    path = folder / name
    changed = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: value for key, value in changed.items() if value is not ...}))


def change_tensors(folder, tensors):
    path = folder / "model.safetensors"
    changed = load_file(path) | tensors
    save_file({name: tensor for name, tensor in changed.items() if tensor is not ...}, path)


def refused(folder):
    """What is said of the folder, in one line and at once; a library that loads it may end this process instead."""
    start = time.monotonic()
    with pytest.raises(ProblemError) as error:
        Runtime(folder)
    assert time.monotonic() - start < 1
    said = str(error.value)
    assert said.startswith(f"model {str(folder)!r}") and ("accepted: " in said or "; give " in said)
    assert "\n" not in said and len(said) < 500 + len(str(folder))
    return said


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_checkpoint_is_sound(name):
    runtime = Runtime(name)
    config, tensors = read_llama(runtime.folder, len(runtime.tokenizer.vocabulary))
    assert {name: tensor.shape for name, tensor in tensors.items()} == config.shapes
    written = trace("12+35", runtime.info.method, runtime.info.form).text
    assert runtime.generate(["12+35="], 9) == [written.removeprefix("12+35=")]


@pytest.mark.parametrize(
    "values, says",
    [
        ({"num_attention_heads": 0}, r"has num_attention_heads '0'; accepted: a whole number from 1"),
        ({"num_attention_heads": 3}, r"has num_attention_heads 3; accepted: a divisor of hidden_size, 64"),
        ({"num_attention_heads": 8}, r"q_proj.weight as F32 \[64, 64\]; accepted: F32 or F16 \[128, 64\]"),
        ({"num_attention_heads": -4}, "num_attention_heads '-4'"),
        ({"num_attention_heads": True}, "num_attention_heads 'true'"),
        ({"num_attention_heads": ...}, "lacks num_attention_heads; accepted: a whole number"),
        ({"num_key_value_heads": 0}, "num_key_value_heads '0'"),
        ({"num_key_value_heads": 3}, "num_key_value_heads 3; accepted: a divisor of num_attention_heads, 4"),
        ({"num_key_value_heads": 2}, r"k_proj.weight as F32 \[64, 64\]; accepted: F32 or F16 \[32, 64\]"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers '1000000000'; accepted: a whole number from 1 to 128"),
        ({"num_hidden_layers": 3}, "lacks the tensor 'model.layers.2.input_layernorm.weight'"),
        ({"num_hidden_layers": 1}, "has an unknown tensor 'model.layers.1.input_layernorm.weight'"),
        ({"hidden_size": 32}, r"\[490, 64\]; accepted: F32 or F16 \[490, 32\], the shape that config.json says"),
        ({"hidden_size": 10**9}, "hidden_size '1000000000'"),
        ({"hidden_size": "64"}, "hidden_size '\"64\"'"),
        ({"hidden_size": 64.0}, "hidden_size '64.0'"),
        ({"intermediate_size": 1}, r"gate_proj.weight as F32 \[96, 64\]; accepted: F32 or F16 \[1, 64\]"),
        ({"intermediate_size": 65536, "hidden_size": 65536}, f"parameters; accepted: at most {MAX_PARAMETERS:,}"),
        ({"head_dim": 0}, "head_dim '0'"),
        ({"head_dim": 15}, "heads of 15 numbers; accepted: an even number"),
        ({"head_dim": 10**9}, "head_dim '1000000000'"),
        ({"vocab_size": 491}, "vocab_size 491; accepted: 490, the tokenizer's"),
        ({"vocab_size": []}, r"vocab_size '\[\]'"),
        ({"model_type": "gpt2"}, 'model_type \'"gpt2"\'; accepted: "llama"'),
        ({"model_type": ...}, "lacks model_type"),
        ({"model_type": {}}, "model_type '{}'"),
        ({"hidden_act": "gelu"}, "hidden_act '\"gelu\"'"),
        ({"attention_bias": True}, "attention_bias 'true'; accepted: false"),
        ({"tie_word_embeddings": True}, "unknown tensor 'lm_head.weight'"),
        ({"rms_norm_eps": float("nan")}, "rms_norm_eps 'NaN'; accepted: a number between 0 and 1"),
        ({"rms_norm_eps": 0}, "rms_norm_eps '0'"),
        ({"rope_theta": 0}, "rope_theta '0'"),
        ({"rope_theta": float("inf")}, "rope_theta 'Infinity'"),
        ({"rope_parameters": {"rope_theta": "x"}}, "has rope_parameters .*accepted: a rope_theta from 1"),
        ({"rope_parameters": {"rope_type": "llama3", "factor": 8}}, 'accepted: .* the rope_type "default"'),
        ({"rope_scaling": 3}, "rope_scaling '3'"),
    ],
)
def test_a_config_that_is_wrong_or_says_something_else_than_the_tensors(folder, values, says):
    change(folder, "config.json", **values)
    assert re.search(says, refused(folder))


@pytest.mark.parametrize(
    "tensors, says",
    [
        ({DOWN: np.zeros((64, 95), "f4")}, r"down_proj.weight as F32 \[64, 95\]; accepted: .*\[64, 96\]"),
        ({DOWN: np.zeros((96, 64), "f4")}, r"down_proj.weight as F32 \[96, 64\]"),
        ({DOWN: np.zeros(64 * 96, "f4")}, r"as F32 \[6144\]"),
        ({DOWN: np.zeros((64, 96), "f8")}, r"as F64 \[64, 96\]; accepted: F32 or F16"),
        ({DOWN: np.zeros((64, 96), "i4")}, "as I32"),
        ({DOWN: ...}, "lacks the tensor 'model.layers.0.mlp.down_proj.weight'; accepted: those of config.json"),
        ({"model.more": np.zeros(1, "f4")}, "unknown tensor 'model.more'"),
        ({NORM: np.full(64, np.nan, "f4")}, "model.norm.weight with NaN or infinity in it"),
        ({NORM: np.full(64, np.inf, "f2")}, "NaN or infinity"),
    ],
)
def test_tensors_that_are_not_those_of_the_config(folder, tensors, says):
    change_tensors(folder, tensors)
    assert re.search(says, refused(folder))


def test_half_precision_and_tied_embeddings_are_read(folder):
    tensors = {name: tensor.astype("f2") for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(tensors, folder / "model.safetensors")
    written = Runtime(folder).generate(["12+35="], 9)
    save_file({name: tensor.astype("f4") for name, tensor in tensors.items()}, folder / "model.safetensors")
    assert Runtime(folder).generate(["12+35="], 9) == written
    change_tensors(folder, {"lm_head.weight": ...})
    change(folder, "config.json", tie_word_embeddings=True)
    assert len(Runtime(folder).generate(["12+35="], 9)) == 1


@pytest.mark.parametrize(
    "values, says",
    [
        ({"places": 10**9}, "places '1000000000'; accepted: a whole number from 0 to 1,000"),
        ({"places": 39}, "vocab_size 490; accepted: 480, the tokenizer's"),
        ({"places": -1}, "places '-1'"),
        ({"places": "40"}, "places '\"40\"'"),
        ({"method": "magic"}, "method 'magic' is unknown; accepted: revorder, lean"),
        ({"method": ["lean"]}, "has method"),
        ({"method": "x" * 10**5}, "method 'x{40}…x{19}' is unknown"),
        ({"form": "compact"}, "form 'compact' is unknown to method 'lean'"),
        ({"form": ...}, "lacks form"),
        ({"max_digits": 3}, r"max_digits '3'; accepted: a list of limits such as \[\"\+\", 16, 16\]"),
        ({"max_digits": [["+", 16]]}, "has max_digits"),
        ({"max_digits": [["^", 16, 16]]}, "has max_digits"),
        ({"max_digits": [["+", 16, 10**9]]}, "has max_digits"),
        ({"max_digits": [[["+"], 16, 16]]}, "has max_digits"),
        ({"max_digits": ..., "limits": [["+", 16, 16]]}, "lacks max_digits"),
        ({"limits": []}, "unknown key 'limits'; accepted: method, form"),
        ({"answer": "yes"}, "answer '\"yes\"'; accepted: false or true"),
        ({"extra": []}, "has extra"),
    ],
)
def test_a_wrong_key_in_revorder_json_is_named(folder, values, says):
    change(folder, "revorder.json", **values)
    assert re.search(says, refused(folder))


JSON_FILES = ["revorder.json", "config.json"]
FILES = [*JSON_FILES, "model.safetensors"]


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize(
    "text, says",
    [
        (b"", "can't be read"),
        (b"{", "can't be read"),
        (b"[" * 100_000, "can't be read"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "lacks|can't be read"),
        (b'{"model_type": ' + b"[" * 980 + b"]" * 980 + b', "method": 1}', "lacks|has|can't be read"),
        (b'{"places": ' + b"9" * 5000 + b"}", "can't be read"),
        (b"\xff\xfe\x00", "can't be read"),
        (b"null", "holds 'null'; give an object"),
        (b"[1, 2]", "holds"),
        (b" " * (MAX_BYTES + 1), "too large; accepted: at most 1,048,576 bytes"),
    ],
)
def test_a_file_that_is_no_sound_json(folder, name, text, says):
    (folder / name).write_bytes(text)
    said = refused(folder)
    assert name in said and re.search(says, said)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["pipe", "device", "endless", "folder", "missing", "loop", "nowhere"])
def test_what_is_no_file_in_a_folder_is_never_opened(folder, name, kind):
    path = folder / name
    path.unlink()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/tty")
        case "endless":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
        case "nowhere":
            path.symlink_to("/nowhere/at/all")
    assert name in refused(folder)


def test_safetensors_that_are_cut_off_or_lie(folder):
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    size = struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8 : 8 + size])
    header[DOWN]["data_offsets"] = [0, 2**62]
    lying = json.dumps(header).encode()
    nested = b"[" * 100_000
    for spoilt in (
        b"",
        whole[:7],
        whole[:100],
        whole[: 8 + size],
        whole[:-1],
        whole + b"\0",
        struct.pack("<Q", 2**63) + whole[8:],
        struct.pack("<Q", len(lying)) + lying + whole[8 + size :],
        struct.pack("<Q", len(nested)) + nested,
        bytes(8),
    ):
        path.write_bytes(spoilt)
        assert "model.safetensors" in refused(folder)
    with path.open("wb") as file:  # a file with holes: large, and nothing on the disk
        file.write(struct.pack("<Q", 2**40))
        file.truncate(2**41)
    assert "header of 1,099,511,627,776 bytes; accepted: at most 1,048,576" in refused(folder)


@pytest.mark.parametrize("name", ["", "\0", "x" * 300, "x" * 5000, "no such", "/dev/null", "../data", "."])
def test_a_model_that_is_nowhere(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProblemError, match=r"revorder\.json") as error:
        Runtime(name)
    assert "\n" not in str(error.value)


def test_a_folder_that_is_no_checkpoint_is_named(tmp_path):
    accepted = f"no revorder.json; give a checkpoint folder, or {', '.join(shipped())}"
    assert accepted in refused(tmp_path)
    CheckpointInfo("lean", "lean", (("+", 5, 5),)).save(tmp_path)
    assert "config.json" in refused(tmp_path)
    (tmp_path / "revorder.json").write_text('{"limits": 3}')
    with pytest.raises(ProblemError, match=r"revorder\.json"):
        CheckpointInfo.load(tmp_path)


def test_a_shipped_checkpoint_has_a_name_that_a_folder_may_take(tmp_path, monkeypatch):
    for name in shipped():
        assert Runtime(name).folder.parent.name == "checkpoints"
    monkeypatch.chdir(tmp_path)
    (tmp_path / DEFAULT).mkdir()
    assert Runtime().folder.parent.name == "checkpoints"
    with pytest.raises(ProblemError, match=f"model '{DEFAULT}' has no revorder.json"):
        Runtime(DEFAULT)


def test_what_is_saved_is_loaded(tmp_path):
    info = CheckpointInfo("revorder", "expanded", (("+", 5, 5), ("/", 12, 6)), True, 0, {"steps": 3})
    info.save(tmp_path)
    assert CheckpointInfo.load(tmp_path) == info
    change(tmp_path, "revorder.json", answer=..., places=..., extra=...)
    assert CheckpointInfo.load(tmp_path) == CheckpointInfo("revorder", "expanded", info.max_digits)
    assert CheckpointInfo.load(checkpoint()).places == 64


@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from("+-*/"))
def test_max_digits(n, m, op):
    info = CheckpointInfo("lean", "lean", (("+", 5, 5), ("*", 5, 1), ("/", 4, 2)))
    a, b = 10 ** (n - 1), 10 ** (m - 1)
    longer, shorter = max(n, m), min(n, m)
    expected = {"+": longer <= 5, "-": False, "*": longer <= 5 and shorter == 1, "/": n <= 4 and m <= 2}[op]
    assert info.covers(Problem(a, op, b)) == expected


def test_reading_a_config_takes_no_library():
    info = CheckpointInfo.load(checkpoint())
    assert read_config(checkpoint()).vocab_size == len(Tokenizer(info.places).vocabulary)
