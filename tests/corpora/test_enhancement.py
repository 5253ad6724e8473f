"""Enhancement data: a pure function of seed and index, exact, without words, and never of a held-out split."""

import re
from collections import Counter

import pytest

from revorder import ProblemError
from revorder.arithmetic.expression import Expression, read_number
from revorder.corpora.enhancement import example, examples, problems
from revorder.corpora.gsm8k import final_answer
from revorder.corpora.rewriting import rewrite_back
from revorder.evaluation.word_problems.scoring import Attempt, check_solution
from revorder.mixtures.split import is_held_out
from revorder.reading.equations import find_annotations
from revorder.reading.numbers import NOTATIONS, read_reversed

N = 1500


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_sample_is_exact_and_without_words(notation):
    for row in examples(7, 0, N, notation):
        value = Expression.parse(read_reversed(row.question)).fraction()
        assert read_number(final_answer(row.answer)).value == value
        assert not re.search("[A-Za-z]", (row.question + row.answer).replace("r|", ""))
        [equation] = find_annotations(row.answer)
        assert notation in row.question + equation.steps and read_number(equation.stated).value == value
        checked = check_solution(Attempt("", row.answer, final_answer(row.answer), row.question))
        assert checked.correct and all(equation.right and not equation.cause for equation in checked.equations)


def test_it_is_a_pure_function_of_seed_and_index():
    rows = list(examples(7, 0, 50))
    assert [example(7, i) for i in reversed(range(50))] == rows[::-1]
    assert rows != list(examples(8, 0, 50)) and len(set(rows)) > 40
    # the notations have the same problems
    assert [rewrite_back(row.answer) for row in rows if "+" in row.question] == [
        rewrite_back(row.answer) for row in examples(7, 0, 50, "@@") if "+" in row.question
    ]


def test_what_it_is_made_of():
    kinds = Counter()
    for row in examples(3, 0, N):
        if row.question.startswith("r|"):
            kinds["read"] += 1
        else:
            operators = Expression.parse(row.question).operators
            kinds[operators[0] if len(operators) == 1 else "several" if operators else "reverse"] += 1
        kinds["places"] += "." in row.question
    shares = {"read": 1, "reverse": 1, "+": 2, "-": 2, "*": 2, "several": 4}
    for kind, share in shares.items():
        assert kinds[kind] / N == pytest.approx(share / 12, abs=0.04), kind
    assert kinds["places"] / N == pytest.approx(0.25, abs=0.05)


def test_no_held_out_problem_is_drawn():
    for row in examples(11, 0, N):
        if not row.question.startswith("r|"):
            assert not any(is_held_out(problem.a, problem.op, problem.b) for problem in problems(row.question))


def test_an_unknown_notation_is_refused():
    with pytest.raises(ProblemError, match="notation '#' is unknown"):
        example(0, 0, "#")
