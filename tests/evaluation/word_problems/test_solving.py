"""Word problems solved: what is asked, what is kept of a solution, and a run that goes on where it was cut off."""

import pytest

from revorder import ProblemError
from revorder.corpora.gsm8k import WordProblem, question_prompt
from revorder.evaluation.runner import load
from revorder.evaluation.word_problems.solving import (
    attempts_of,
    hash_of_problems,
    load_problems,
    result_of,
    write_solutions,
)
from revorder.files import partial_of

PROBLEMS = [WordProblem(f"{i} clips and 2?", f"{i}+2=<<{i}+2={i + 2}>>{i + 2}\n#### {i + 2}") for i in range(4)]


class Knowing:
    """Solves every problem, the last first, and goes on with one of its own; stops after `most`."""

    def __init__(self, most=4):
        self.most, self.asked = most, []

    def complete_each(self, prompts, max_tokens):
        right = {question_prompt(row.question): row.answer for row in PROBLEMS}
        for i, prompt in reversed(list(enumerate(prompts))):
            if len(self.asked) == self.most:
                raise KeyboardInterrupt
            self.asked.append(prompt)
            yield i, right[prompt] + "\n\nQuestion: 1+1?\nAnswer:\n#### 2"


def test_a_run_that_was_cut_off_goes_on(tmp_path):
    whole, out, settings = tmp_path / "whole.jsonl", tmp_path / "out.jsonl", {"suite": "gsm8k"}
    results = write_solutions(Knowing(), PROBLEMS, whole, settings)
    assert [(result.problem, result.text, result.answer) for result in results] == [
        (row.question, row.answer, str(i + 2)) for i, row in enumerate(PROBLEMS)
    ]
    assert all(result.correct and result.verified and result.step is None for result in results)
    with pytest.raises(KeyboardInterrupt):
        write_solutions(Knowing(3), PROBLEMS, out, settings)
    assert not out.exists()
    with partial_of(out).open("a") as file:
        file.write('{"task": "gs')  # cut off in the middle of a line
    done, writer = [], Knowing()
    assert write_solutions(writer, PROBLEMS, out, settings, progress=done.append) == results == load(out)
    assert writer.asked == [question_prompt("0 clips and 2?")] and done == [3, 1]
    assert out.read_bytes() == whole.read_bytes() and not partial_of(out).exists()
    assert write_solutions(Knowing(0), PROBLEMS, out, settings) == results
    with pytest.raises(ProblemError, match="are of another run: n None, not 3"):
        write_solutions(Knowing(0), PROBLEMS, out, settings | {"n": 3})
    with pytest.raises(ProblemError, match="choose a folder that exists"):
        write_solutions(Knowing(0), PROBLEMS, tmp_path / "no" / "out.jsonl", settings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("48+24=<<48+24=r|27=72>>72\n#### 72", ("72", True, True, None, "")),
        ("48+24=<<48+24=@@27@@=72>>72\n#### @@27@@", ("72", True, True, None, "")),
        ("<<1+1=2>>2\n<<48+24=r|27=73>>73\n#### 73", ("73", False, False, 1, "reversal")),
        ("<<48+25=73>>73 <<1+1=3>>3\n#### 72", ("72", True, False, 1, "")),
        ("I see", (None, False, False, None, "no answer")),
    ],
)
def test_what_is_kept_of_a_solution(text, expected):
    result = result_of("48 and 24?", text, "72")
    assert (result.answer, result.correct, result.verified, result.step, result.reason) == expected
    assert list(attempts_of([result], "m")) == [("m", text, "72", "48 and 24?")]


def test_the_first_problems_of_the_test_set(shared):
    data = str(shared / "gsm8k")
    first, every = load_problems(data, 3), load_problems(data)
    assert first == every[:3] and len(every) == 1319 and hash_of_problems(first) != hash_of_problems(every)
    with pytest.raises(ProblemError, match="test.jsonl.*can.t be read"):
        load_problems(str(shared / "bigbench_arithmetic"))
