"""The ONNX export, run by onnxruntime: the same traces as CTranslate2, the same logits as transformers."""

from pathlib import Path

import numpy as np
import pytest
from exports import MOST, questions, save_grouped

from revorder.inference.ctranslate import Runtime

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from revorder.integrations.onnx import export_onnx  # noqa: E402


def opened(folder, file):
    export_onnx(folder, file)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(file, options)


def step(session, ids, attended, cache=()):
    """(logits, cache) after the last tokens of texts; `attended` is 0 where a token of a text is padding."""
    past = [wanted for wanted in session.get_inputs() if wanted.name.startswith("past_key_values.")]
    cache = cache or [np.zeros((len(ids), wanted.shape[1], 0, wanted.shape[3]), np.float32) for wanted in past]
    fed = {wanted.name: array for wanted, array in zip(past, cache, strict=True)}
    fed |= {"input_ids": ids, "attention_mask": attended}
    fed["position_ids"] = np.maximum(attended.cumsum(1) - 1, 0)[:, -ids.shape[1] :]
    logits, *cache = session.run(None, fed)
    return logits, cache


def generate(session, asked):
    """What the model writes after each question, greedily, all at once, padded on the left."""
    tokenizer = Runtime("calculator").tokenizer
    texts = [[tokenizer.bos, *tokenizer.encode(question)] for question in asked]
    width = max(map(len, texts))
    ids = np.array([[tokenizer.pad] * (width - len(text)) + text for text in texts])
    attended = np.array([[0] * (width - len(text)) + [1] * len(text) for text in texts])
    written, cache, over = [], (), np.zeros(len(asked), bool)
    while len(written) < MOST and not over.all():
        logits, cache = step(session, ids, attended, cache)
        ids = np.where(over, tokenizer.pad, logits[:, -1].argmax(1))[:, None]
        over |= ids[:, 0] == tokenizer.eos
        written.append(ids)
        attended = np.pad(attended, ((0, 0), (0, 1)), constant_values=1)
    return [tokenizer.decode(text) for text in np.concatenate(written, 1).tolist()]


def test_onnxruntime_writes_the_same_traces(tmp_path):
    asked = questions()
    session = opened("calculator", tmp_path / "model.onnx")
    written = generate(session, asked)
    assert written == Runtime("calculator").generate(asked, MOST) and len(set(written)) == len(asked) == 48
    assert generate(session, asked[:1]) == written[:1]  # alone, without padding


def test_logits_of_another_shape_are_those_of_transformers(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    model = save_grouped(tmp_path)
    session = opened(tmp_path, tmp_path / "model.onnx")
    ids = np.random.default_rng(0).integers(3, model.config.vocab_size, (2, 9))
    expected = model(torch.tensor(ids)).logits.detach().numpy()
    logits, cache = step(session, ids[:, :5], np.ones((2, 5), np.int64))
    more, _ = step(session, ids[:, 5:], np.ones((2, 9), np.int64), cache)
    np.testing.assert_allclose(np.concatenate([logits, more], 1), expected, atol=1e-4)
    assert np.ptp(expected) > 1


def test_the_code_in_the_docs_runs(tmp_path, monkeypatch, capsys):
    docs = Path(__file__).parents[2] / "docs" / "serving.md"
    code = docs.read_text().partition("## ONNX")[2].partition("```python\n")[2].partition("```")[0]
    opened("calculator", tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert capsys.readouterr().out == "r|74\n"
