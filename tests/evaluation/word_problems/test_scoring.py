"""Solutions scored: final answers, equations and causes, from files of several shapes and in every notation."""

import json

import pytest

from revorder import ProblemError
from revorder.corpora.rewriting import rewrite
from revorder.evaluation.word_problems.scoring import (
    Attempt,
    check_solution,
    check_solutions,
    errors_table,
    errors_text,
    read_final,
    read_solutions,
    score_system,
    solutions_of,
    table,
)
from revorder.reading.numbers import NOTATIONS

SOLUTIONS = [
    ("one", "<<48/2=24>>24\n<<24+17=41>>41\n#### 41", "41"),
    ("one", "<<48+2=51>>51\n<<2*3=6>>9\n#### 51", "41"),
    ("one", "<<1+2+4=7>>7\n#### 7", "41"),
    ("one", "<<6-2=4>>4 and so on", "41"),
    ("two", "<<24+17=r|14=14>>14\nA: 14", "41"),
    ("two", "<<24+17=41>>41\nA: $41.00 a day", "41"),
]


def scores_of(attempts):
    systems = check_solutions(Attempt(*attempt) for attempt in attempts)
    return [score_system(system, solutions) for system, solutions in systems.items()]


def test_scores_and_causes():
    one, two = scores_of(SOLUTIONS)
    assert (one.system, one.total, one.correct, one.all_equations) == ("one", 4, 1, (5, 6))
    assert one.equations == {"+": (2, 3), "-": (1, 1), "*": (1, 1), "/": (1, 1), "mixed": (0, 0)}
    assert one.wrong_equations == {"arithmetic": 1, "copy": 1}
    assert one.causes == {"arithmetic": 1, "reasoning": 1, "no answer": 1}
    assert (two.correct, two.wrong_equations, two.causes) == (1, {"reversal": 1}, {"reversal": 1})
    header, rows = errors_table([one, two])
    assert rows == [
        ["one", "arithmetic", "1", "1", "48+2=51"],
        ["one", "copy", "1", "0", "2*3=6"],
        ["one", "reasoning", "0", "1", ""],
        ["one", "no answer", "0", "1", ""],
        ["two", "reversal", "1", "1", "24+17=r|14=14"],
    ]
    assert len(header) == 5


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("72", 72),
        ("$72 a day, that is $72", 72),
        ("$72 a day, or rather $72", None),
        ("48+24=72", 72),
        ("<<48+24=72>>72", 72),
        ("10%", 10),
        ("72 or 73", None),
        ("x = 72 or x = 73", None),
        ("3/4", None),
        ("5 million", None),
        ("6 * 6", None),
        ("10+John's age", None),
        ("$5k", None),
        ("72 - the total", 72),
        ("7…", None),
        ("-$ 5", None),
        ("-**5**", None),
        ("⁻5", -5),
        ("5e5", None),
        ("5 ½", None),
        ("5 and a half", None),
        ("√5", None),
        ("5:05", None),
        ("not 5", None),
        ("5 tenths", None),
        ("half of 10", None),
        ("5R5", None),
        ("5-", None),
        ("5 minus 5", None),
        ("0,500", None),
        ("1" * 2001, None),
    ],
)
def test_a_final_answer_that_could_be_two_is_none(said, read):
    assert read_final(f"#### {said}") == read


def test_rounding_is_stated_by_the_verb_alone():
    assert not check_solution(Attempt("", "Each round trip is 10/3=<<10/3=3>>3 miles.\n#### 3", "3")).equations[0].right
    assert check_solution(Attempt("", "We round down: 10/3=<<10/3=3>>3\n#### 3", "3")).equations[0].right


def test_an_operation_that_cant_be_read_is_wrong_and_one_with_letters_is_none():
    attempt = Attempt("", "<<48+=72>>72\n<<28-2x=20>>20\n#### 72", "71", "Why?")
    solution = check_solution(attempt)
    assert [(equation.text, equation.cause) for equation in solution.equations] == [("48+=72", "notation")]
    assert "-> notation in 48+=72; the final answer is 72, not 71" in errors_text([solution])


def test_an_equation_that_is_wrong_in_one_place_is_wrong():
    once = score_system("", [check_solution(Attempt("", "<<48/2=24>>42\n<<48/2=24>>24\n#### 24", "24"))])
    assert once.wrong_equations == {"copy": 1} and once.all_equations == (1, 1)


def test_references_of_every_kind_are_read_or_refused_by_their_line(tmp_path):
    file = tmp_path / "solutions.jsonl"
    rows = [{"answer": "2.5", "solution": "#### 2.5"}, {"answer": "10%", "solution": "#### 10%"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert all(check_solution(attempt).correct for attempt in read_solutions(file))
    file.write_text(json.dumps({"answer": "#### 3/4", "solution": "#### 3/4"}))
    with pytest.raises(ProblemError, match="line 1: number '3/4': an expression"):
        list(read_solutions(file))


def test_the_table_has_intervals_and_the_papers_rows():
    header, rows = table(scores_of(SOLUTIONS))
    assert header == ["system", "score", "equations", "+", "-", "*", "/", "mixed"]
    assert rows[0][:3] == ["one", "25.0 (4.6-69.9) of 4", "83.3 (43.6-97.0) of 6"] and rows[0][-1] == "-"
    narrow, rows = table(scores_of(SOLUTIONS), wide=False)
    assert rows[1] == ["two", "50.0", "50.0", "50.0", "-", "-", "-", "-"] and narrow == header
    assert rows[-1] == ["LLaMA2-7B, RevOrder (paper)", "44.4", "94.1", "99.8", "99.6", "98.8", "-", "-"]


def test_wrong_solutions_are_shown_by_cause_with_what_is_wrong_in_them():
    solutions = check_solutions(Attempt(*attempt, "Why?") for attempt in SOLUTIONS)
    parts = errors_text(solutions["one"]).split("\n\n")
    assert parts == [
        "arithmetic: first in 1 of 3 wrong solutions",
        (
            "Why?\n<<48+2=51>>51\n<<2*3=6>>9\n#### 51\n-> arithmetic in 48+2=51, which is 50; the final answer is 51,"
            " not 41"
        ),
        "reasoning: first in 1 of 3 wrong solutions",
        "Why?\n<<1+2+4=7>>7\n#### 7\n-> the final answer is 7, not 41",
        "no answer: first in 1 of 3 wrong solutions",
        "Why?\n<<6-2=4>>4 and so on\n-> no answer",
    ]
    assert "-> reversal in 24+17=r|14=14, which is 41; the final answer is 14, not 41" in errors_text(solutions["two"])
    assert "-> copy in 48/2=24; the" in errors_text([check_solution(Attempt("", "<<48/2=24>>42\n#### 42", "24"))])
    assert errors_text(solutions["two"][1:]) == "no wrong solutions"


@pytest.mark.parametrize(
    ("text", "final"),
    [
        ("#### 1,234", 1234),
        ("#### -6.50\n#### -6.5", -6.5),
        ("#### 5\n#### -6.50", None),
        ("A: $18 a day", 18),
        ("#### .5", 0.5),
        ("#### 3.", 3),
        ("#### r|27", 72),
        ("#### @@05.1-@@", -1.5),
        ("#### −５", -5),
        ("#### - 5", None),
        ("#### minus 5", None),
        ("#### 5½", None),
        ("#### 5²", None),
        ("#### ", None),
        ("The answer is 5", 5),
        ("The answer is $1,250.50.\n\nShall I explain step 3?", 1250.5),
        ("**Final Answer: 47**\n\nNote: this assumes 30 days.", 47),
        ("So it is \\boxed{1{,}234}.\n\nNote that 3 days remain.", 1234),
        ("She has 5 left.\n\nSo he has 47.", 47),
        ("#### 1. Find the total\n3*5 = 15\n\nThe answer is 15.", 15),
        ("3*5 = 15\n#### 15. Apples", 15),
        ("The answer is 15.\n\n#### 15. Apples", 15),
        ("He has 3 or 4 hats. 3 + 4 = 7. The answer is 7.", 7),
        ("The answer is 62.\n\nWait, no. It is 72.", 72),
        (r"\boxed{5} or \boxed{6}", None),
    ],
)
def test_the_final_answer(text, final):
    assert read_final(text) == final


def test_records_of_several_shapes():
    assert solutions_of({"answer": "...\n#### 1,000", "completion": "x"}) == [("completion", "x", "1,000", "")]
    assert solutions_of({"question": "?", "ground_truth": "A: 5", "a": {"solution": "x"}, "b": {"output": "y"}}) == [
        ("a", "x", "5", "?"),
        ("b", "y", "5", "?"),
    ]
    for row, reason in (
        ([], "not a JSON object"),
        ({"solution": "x"}, "no reference; accepted: one of the keys ground_truth"),
        ({"answer": "#### 5", "text": "x"}, "no solution; accepted: one of the keys solution"),
        ({"answer": "five", "solution": "x"}, "no final answer"),
    ):
        with pytest.raises(ProblemError, match=reason):
            solutions_of(row)


def test_a_wrong_line_is_named(tmp_path):
    path = tmp_path / "solutions.jsonl"
    path.write_text('{"answer": "#### 5", "solution": "#### 5"}\n\n{"answer": "#### 5"}\n')
    with pytest.raises(ProblemError, match="solutions.jsonl', line 3: no solution"):
        list(read_solutions(path))
    path.write_bytes(b'{"answer": "#### 5", "solution": "#### 5"}\n' * 2 + b'{"answer": "\xff"}\n')
    with pytest.raises(ProblemError, match="solutions.jsonl', line 3: 'utf-8' codec can't decode byte 0xff"):
        list(read_solutions(path))
    with pytest.raises(ProblemError, match="none.jsonl' can't be read: No such file"):
        list(read_solutions(tmp_path / "none.jsonl"))
    path.write_text('{"answer": "5", "a": {"solution": "#### 5"}, "b": {"solution": null}}\n')
    with pytest.raises(ProblemError, match="line 1: solution of 'b' is 'None'; give a text, which may be empty"):
        list(read_solutions(path))
    both, one = (
        '{"answer": "5", "a": {"solution": "5"}, "b": {"solution": "5"}}',
        '{"answer": "5", "a": {"solution": "5"}}',
    )
    for lines, number in (((both, one), 2), ((one, both), 2)):
        path.write_text("\n".join(lines))
        with pytest.raises(ProblemError, match=f"line {number}: solution of 'b': not in every line; give an empty one"):
            list(read_solutions(path))
    path.write_text("\n \n")
    with pytest.raises(ProblemError, match="nothing in it"):
        list(read_solutions(path))


@pytest.mark.parametrize("notation", [None, *NOTATIONS])
def test_gsm8ks_own_solutions_are_right_in_every_notation(shared, notation):
    texts = []
    for line in (shared / "gsm8k" / "test.jsonl").read_text().splitlines():
        answer = json.loads(line)["answer"]
        texts.append((rewrite(answer, notation) if notation else answer, answer.rpartition("#### ")[2]))
    [score] = scores_of(("gold", text, final) for text, final in texts)
    assert (score.total, score.correct) == (1319, 1319)
    assert score.all_equations == (4200, 4200) and not score.causes and score.wrong_equations == {}


def test_an_equation_that_is_written_again_counts_once():
    [score] = scores_of([("loop", "<<2*2=4>>4\n" * 25 + "<<1+1=3>>3\n" * 2 + "#### 4", "4")])
    assert score.equations["*"] == (1, 1) and score.equations["+"] == (0, 1)


def test_the_example_solutions(shared):
    path = shared / "gsm8k" / "example_model_solutions.jsonl"
    systems = check_solutions(read_solutions(path))
    assert {name: sum(solution.correct for solution in solutions) for name, solutions in systems.items()} == {
        "6b_finetuning": 286,
        "6b_verification": 515,
        "175b_finetuning": 458,
        "175b_verification": 742,
    }
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for name, solutions in systems.items():
        assert [solution.correct for solution in solutions] == [row[name]["is_correct"] for row in rows]
        right, total = score_system(name, solutions).all_equations
        assert total > 4000 and right / total > 0.99
