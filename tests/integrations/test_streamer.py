"""The streamer, as transformers' generate calls it."""

import io
import re

import pytest

from revorder import ProblemError, restore
from revorder.model.checkpoint import checkpoint

transformers = pytest.importorskip("transformers")
pytest.importorskip("torch")

from pretrained import KINDS, save_model  # noqa: E402
from tokenizers.decoders import DecodeStream  # noqa: E402

from revorder.integrations.streamer import RestoringStreamer  # noqa: E402
from revorder.model.hf_tokenizer import RevOrderTokenizer  # noqa: E402


class Pieces(io.StringIO):
    """A file that keeps apart what it was given."""

    def __init__(self):
        super().__init__()
        self.pieces = []

    def write(self, text):
        if text:
            self.pieces.append(text)
        return super().write(text)


@pytest.fixture(scope="module")
def model():
    return transformers.AutoModelForCausalLM.from_pretrained(checkpoint("calculator"))


@pytest.mark.parametrize("kind", [transformers.AutoTokenizer, RevOrderTokenizer])
def test_it_prints_restored_text_as_it_becomes_certain(model, kind):
    tokenizer, file = kind.from_pretrained(checkpoint("calculator")), Pieces()
    question = tokenizer("12*34=", return_tensors="pt")
    model.generate(**question, max_new_tokens=64, streamer=RestoringStreamer(tokenizer, file=file))
    # 12*34=4r|84#30r|063r|804
    assert file.pieces == ["12*34=", "4", " 48#", "3", "0", " 360", " 408\n"]


def test_it_prints_to_stdout_without_the_prompt_and_again(model, capsys):
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint("calculator"))
    streamer = RestoringStreamer(tokenizer, skip_prompt=True)
    for problem, answer in (("12+35", "47"), ("999+1", "1000")):
        model.generate(**tokenizer(f"{problem}=", return_tensors="pt"), max_new_tokens=64, streamer=streamer)
        assert capsys.readouterr().out == f"{answer}\n"


def test_a_batch_is_refused(model):
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint("calculator"))
    questions = tokenizer(["1+2=", "3+4="], return_tensors="pt")
    with pytest.raises(ProblemError, match="a batch of 2 texts; give one text"):
        model.generate(**questions, max_new_tokens=8, streamer=RestoringStreamer(tokenizer))


@pytest.mark.parametrize("kind", ["single digits", "sentencepiece"])
def test_pieces_of_any_tokenizer_add_up_to_its_text(tmp_path, kind):
    save_model(tmp_path, KINDS[kind]())
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    text = "It's 12+35=r|74, a 𝟚-step sum — r|21- or 948/12=r|97"
    file = Pieces()
    streamer = RestoringStreamer(tokenizer, file=file)
    ids = tokenizer(text, return_tensors="pt").input_ids
    streamer.put(ids[:, :4])  # as generate does: the prompt as a batch of one, then a token at a time
    for token in ids[0, 4:]:
        streamer.put(token.reshape(1))
    streamer.end()
    decoded = tokenizer.decode(ids[0], skip_special_tokens=True)
    assert file.getvalue() == restore(decoded) + "\n" and "\ufffd" not in file.getvalue()


def test_tokens_decode_one_by_one_without_their_places():
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint("calculator")).backend_tokenizer
    text = "948/12=80r|69r|889W70r|48"
    stream = DecodeStream(skip_special_tokens=True)  # how vLLM decodes
    assert [stream.step(tokenizer, token) for token in tokenizer.encode(text).ids[1:]] == re.findall(r"r\||.", text)
