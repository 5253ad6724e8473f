"""revorder export: a checkpoint as one file, and what is said where there can be none."""

import json
import re
import shutil
import sys

import pytest

from revorder.model.checkpoint import checkpoint

gguf = pytest.importorskip("gguf")
onnx = pytest.importorskip("onnx")


def test_the_name_says_the_format(revorder, tmp_path):
    done = revorder("export", "calculator", tmp_path / "new" / "model.gguf")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tmp_path / 'new' / 'model.gguf'}\n", "")
    file = gguf.GGUFReader(tmp_path / "new" / "model.gguf")
    assert sum(int(tensor.n_elements) for tensor in file.tensors) == 1_236_608
    assert file.get_field("llama.context_length").contents() == 2048


def test_a_folder_is_exported_in_the_format_of_to(revorder, tmp_path):
    out = tmp_path / "model"
    done = revorder("export", checkpoint("calculator"), out, "--to", "onnx", "--json")
    assert json.loads(done.stdout) == {"file": str(out), "format": "onnx", "bytes": out.stat().st_size}
    assert onnx.load(out).producer_name == "revorder"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_page_is_one_small_file(revorder, tmp_path):
    out = tmp_path / "page.html"
    done = revorder("export", "calculator", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{out}\n", "")
    text = out.read_text()
    assert len(text) < 6_000_000 and "{{style}}" not in text and not re.search(r"(src|href)=\"?http(?!s://arxiv)", text)


def test_a_page_of_a_method_that_it_cant_judge_is_refused(refused, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(checkpoint("calculator"), folder)
    info = json.loads((folder / "revorder.json").read_text())
    (folder / "revorder.json").write_text(json.dumps(info | {"method": "plain", "form": "plain"}))
    assert "writes plain; the page can judge lean and blocks alone" in refused("export", folder, tmp_path / "page.html")


@pytest.mark.parametrize("arguments", [["model.bin"], ["model"], ["model.onnx", "--to", "bin"]])
def test_an_unknown_format_is_refused(refused, arguments):
    assert "names no format; accepted: html, gguf, onnx" in refused("export", "calculator", *arguments)


def test_what_is_no_checkpoint_is_refused(refused, tmp_path):
    assert "has no revorder.json; give" in refused("export", tmp_path, tmp_path / "model.gguf")
    assert "can't be written" in refused("export", "calculator", tmp_path, "--to", "gguf")
    assert not list(tmp_path.iterdir())


def test_a_fine_tuned_model_is_written_as_gguf_alone(refused, tmp_path):
    (tmp_path / "revorder.json").write_text((checkpoint("calculator") / "revorder.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text("{}")
    said = refused("export", tmp_path, tmp_path / "model.onnx")
    assert "has another tokenizer than train's; export it as GGUF, or with torch.onnx" in said


def test_what_cant_be_written_leaves_nothing(refused, tmp_path):
    out = tmp_path / "model.gguf"
    out.mkdir()
    assert "model.gguf' can't be written: it is not a file" in refused("export", "calculator", out)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("package", ["gguf", "onnx"])
def test_a_missing_package_is_one_line(refused, monkeypatch, tmp_path, package):
    monkeypatch.setitem(sys.modules, package, None)
    said = refused("export", "calculator", tmp_path / f"model.{package}")
    assert said.endswith(f"install: pip install 'revorder[{package}]'\n")


def test_no_file_is_replaced_unless_asked(revorder, refused, tmp_path):
    out = tmp_path / "page.html"
    out.write_text("mine")
    assert "exists; choose a new file, or pass --overwrite" in refused("export", "calculator", out)
    assert out.read_text() == "mine"
    assert revorder("export", "calculator", out, "--overwrite").returncode == 0 and "<html" in out.read_text()
