"""The model: its shape is checked, and the exported folder is the same model everywhere."""

import pytest

from revorder import ProblemError
from revorder.inference.ctranslate import Runtime
from revorder.model.checkpoint import CheckpointInfo
from revorder.model.llama import ModelShape, create_model, export
from revorder.model.tokenizer import Tokenizer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from revorder.model.place_init import fold_embeddings  # noqa: E402

SMALL = ModelShape(layers=2, width=64, ffn=96, heads=1)


def test_the_exported_folder_is_the_same_model_everywhere(tmp_path):
    model = create_model(SMALL, seed=3)
    ids = torch.tensor([[1, *Tokenizer().encode("12+35=r|7")]])
    with torch.no_grad():
        before = model(ids).logits
        assert torch.allclose(fold_embeddings(model)(ids).logits, before, atol=1e-5)
    export(model, tmp_path, SMALL.places)
    CheckpointInfo("lean", "lean", (("+", 2, 2),)).save(tmp_path)
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path)
    assert type(loaded) is transformers.LlamaForCausalLM and loaded.config.use_cache
    with torch.no_grad():
        assert torch.allclose(loaded(ids).logits, before, atol=1e-5)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for question in ("12+35=", "7-9="):
        prompt = tokenizer(question, return_tensors="pt")["input_ids"]
        greedy = loaded.generate(prompt, max_new_tokens=12, do_sample=False)[0, prompt.shape[1] :].tolist()
        assert Runtime(tmp_path).generate([question], 12) == [Tokenizer().decode(greedy)]


def test_everyone_may_read_the_exported_files(tmp_path):
    export(create_model(SMALL), tmp_path, SMALL.places)
    assert {oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()} == {"0o644"}
    (tmp_path / "key").touch(0o600)
    export(create_model(SMALL), tmp_path, SMALL.places)
    assert oct((tmp_path / "key").stat().st_mode & 0o777) == "0o600"  # a file of others in the folder stays as it is


def test_without_places_it_is_a_plain_character_model(tmp_path):
    shape = ModelShape(layers=1, width=32, ffn=32, heads=1, head_dim=32, places=0)
    model = create_model(shape)
    assert model.config.vocab_size == len(Tokenizer(places=0))
    export(model, tmp_path, 0)
    assert transformers.AutoTokenizer.from_pretrained(tmp_path)("12=")["input_ids"] == [1, *Tokenizer(0).encode("12=")]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"widht": 64}, "model: key 'widht' is unknown; accepted: layers, width"),
        ({"width": 32}, "key 'width' is 32; accepted: at least 54, any if 'places' is 0"),
        ({"places": 90}, "key 'places' is 90; accepted: 0 to 84"),
        ({"head_dim": 63}, "key 'head_dim' is 63; accepted: "),
        ({"heads": 3}, "key 'heads' is 3; accepted: a divisor of 'width', 128"),
        ({"layers": 0}, "key 'layers' is 0; accepted: "),
    ],
)
def test_a_wrong_shape_is_named(settings, says):
    with pytest.raises(ProblemError) as error:
        ModelShape.check(settings, "model")
    assert says in str(error.value)
