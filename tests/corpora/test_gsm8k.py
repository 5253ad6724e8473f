"""GSM8K: its rows are read from where they are, and a row or a place that is wrong is named."""

import json
import sys

import pytest

from revorder import ProblemError
from revorder.corpora import gsm8k
from revorder.corpora.gsm8k import WordProblem

ROWS = [WordProblem("How many?", "<<1+1=2>>2\n#### 2"), WordProblem("And here?", "#### 1,000")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REVORDER_DATA", raising=False)
    (tmp_path / "gsm8k").mkdir()
    (tmp_path / "gsm8k" / "test.jsonl").write_text("\n".join(json.dumps(row._asdict()) for row in ROWS) + "\n\n")
    return tmp_path


def test_it_is_read_from_a_folder_a_file_or_the_environment(folder, monkeypatch):
    assert list(gsm8k.load(str(folder / "gsm8k"), "test")) == ROWS
    assert list(gsm8k.load(str(folder / "gsm8k" / "test.jsonl"), "test")) == ROWS
    with pytest.raises(ProblemError, match="not found in .REVORDER_DATA"):
        gsm8k.load()
    monkeypatch.setenv("REVORDER_DATA", str(folder))
    assert list(gsm8k.load(split="test")) == ROWS


def test_what_is_wrong_is_named(folder):
    with pytest.raises(ProblemError, match="train.jsonl' can't be read"):
        list(gsm8k.load(str(folder / "gsm8k")))
    bad = folder / "bad.jsonl"
    bad.write_text('{"question": "a", "answer": "b"}\n{"question": "a"}\n')
    with pytest.raises(ProblemError, match="bad.jsonl', line 2: not a record of texts; give question and answer"):
        list(gsm8k.load(str(bad)))
    with pytest.raises(ProblemError, match="split 'dev' is unknown; accepted: train, test"):
        gsm8k.load(split="dev")


def test_a_name_is_a_dataset_of_the_hub(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ProblemError, match=r"needs datasets; install: pip install 'revorder\[data\]'"):
        gsm8k.load("openai/gsm8k")


def test_the_final_answer():
    assert gsm8k.final_answer("#### 3\n<<1=1>>1\n####  1,000 \n") == "1,000"
    assert gsm8k.final_answer("so 5\nA: 18") == "18"
    with pytest.raises(ProblemError, match="no final answer"):
        gsm8k.final_answer("It is A: 5")


def test_all_of_it(shared):
    for split, count in (("train", 7473), ("test", 1319)):
        rows = list(gsm8k.load(str(shared / "gsm8k"), split))
        assert len(rows) == count and all(gsm8k.final_answer(row.answer) for row in rows)
