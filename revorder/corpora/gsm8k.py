"""GSM8K (Cobbe et al., 2021): 7,473 training and 1,319 test problems whose solutions have calculator annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from revorder.corpora.locate import find_folder, read_hub
from revorder.corpora.records import read_texts
from revorder.errors import ProblemError, quote

PARTS = ("train", "test")
_FINAL = re.compile(r"(?:####|^[ *]*A:)(.*)$", re.MULTILINE)


class WordProblem(NamedTuple):
    """A problem and its solution, whose last line is `#### ` followed by the final answer."""

    question: str
    answer: str


def question_prompt(question: str) -> str:
    """Return the prompt of a word problem.

    >>> question_prompt("How many clips?")
    'Question: How many clips?\\nAnswer:\\n'
    """
    return f"Question: {question.strip()}\nAnswer:\n"


def load(data: str | None = None, split: str = "train") -> Iterator[WordProblem]:
    """Return the rows of a split, one by one.

    Args:
        data: A folder of train.jsonl and test.jsonl, a JSONL file, or the name of a Hugging Face dataset. By default
            the folder gsm8k in $REVORDER_DATA.
        split: `train` or `test`.

    Raises:
        ProblemError: The data are missing, or a row has no question or no answer.
    """
    if split not in PARTS:
        raise ProblemError(f"split {split!r} is unknown; accepted: {', '.join(PARTS)}")
    folder = find_folder(data, "gsm8k", f"{split}.jsonl")
    if folder:
        return read_rows(folder / f"{split}.jsonl")
    if data is None:
        raise ProblemError(
            "GSM8K: not found in $REVORDER_DATA; give a folder with train.jsonl and test.jsonl, "
            "a JSONL file, or a Hugging Face dataset such as openai/gsm8k"
        )
    path = Path(data)
    return read_rows(path) if path.is_file() else iter(read_hub(data, "main", hub_rows, split))


def read_rows(path: Path) -> Iterator[WordProblem]:
    """Yield the rows of a JSONL or Parquet file. Raises ProblemError that names the file and the line."""
    for question, answer in read_texts(path, "question", "answer"):
        yield WordProblem(question, answer)


def hub_rows(rows: Iterable[Mapping[str, str]]) -> list[WordProblem]:
    """Return the rows of a Hugging Face dataset's split."""
    return [WordProblem(row["question"], row["answer"]) for row in rows]


def final_answers(solution: str) -> list[str]:
    """Return the text after each `####`, and after each `A:` at the start of a line. Raises ProblemError without any.

    >>> final_answers("<<48+24=72>>72 clips.\\n#### 72")
    ['72']
    """
    found = [text.strip().strip("*").strip() for text in _FINAL.findall(solution)]
    if not found:
        raise ProblemError(f"solution {quote(solution)}: no final answer; end it with a line such as '#### 72'")
    return found


def final_answer(solution: str) -> str:
    """Return the last final answer of a solution."""
    return final_answers(solution)[-1]
