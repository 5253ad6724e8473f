"""Scores: counts, intervals, and what is wrong grouped by its first wrong step."""

from revorder import trace
from revorder.arithmetic.expression import parse_problem
from revorder.evaluation.runner import judged
from revorder.evaluation.scores import Result, group_errors, score_tasks, wilson
from revorder.evaluation.tables import errors_table, markdown, summary
from revorder.model.checkpoint import CheckpointInfo

FAULTS = {
    "12+35": ("r|74", "r|84"),
    "948/12": ("70r|48", "80r|69"),
    "148/12": ("=12R4", "=13R4"),
    "99-12": ("r|78", "r|7"),
}


class Wrong:
    """A writer of the right lean traces with one fault each, as a bad model would write them."""

    info = CheckpointInfo("lean", "lean", ())

    def generate_each(self, questions, max_new_tokens):
        for i, question in reversed(list(enumerate(questions))):
            yield i, trace(question[:-1], "lean").text.removeprefix(question).replace(*FAULTS[question[:-1]], 1)

    def as_trace(self, problem, written):
        return f"{problem}={written}"


def result(task, problem, answer, expected, verified=True, reason="", rollbacks=0, correct_rollbacks=0):
    step, correct = None if verified else 1, answer == expected
    return Result(task, problem, "", answer, expected, correct, verified, step, reason, rollbacks, correct_rollbacks)


def test_scores():
    rows = [result("t", "1+1", "2", "2"), result("t", "1+2", "4", "3")]
    rows += [result("d", "8/2", "4", "4", True, "", 2, 1), result("d", "9/2", "5", "4R1", False, "missed", 1, 1)]
    score, division = score_tasks(rows)
    assert (score.correct, score.verified, score.false_passes, score.percent) == (1, 2, 1, 50.0)
    assert (division.rollbacks, division.correct_rollbacks, division.rolled, division.rolled_correct) == (3, 2, 2, 1)
    assert summary([score, division]).endswith("2 of 4 problems correct, 1 wrong answers verified")
    low, high = wilson(8, 10)
    assert (round(low, 1), round(high, 1)) == (49.0, 94.3)
    assert wilson(0, 0) == (0, 100)
    for total in range(1, 1200):
        for correct in (0, 1, total // 2, total):
            low, high = wilson(correct, total)
            assert low <= 100 * correct / total <= high, (correct, total)


def test_what_is_wrong_is_grouped_by_its_first_wrong_step():
    pairs = [("t", parse_problem(question)) for question in FAULTS]
    results = list(judged(Wrong(), pairs, 10))
    assert not any(row.verified for row in results)
    assert [row.problem for row in results if row.correct] == ["948/12"]  # which states 79 all the same
    groups = group_errors(results)
    assert {key: [row.problem for row in rows] for key, rows in groups.items()} == {
        ("-", "the text ends early"): ["99-12"],
        ("/", "a copied digit was changed"): ["148/12"],
        ("/", "wrong digit in the difference"): ["948/12"],
        ("+", "wrong digit in the sum"): ["12+35"],
    }
    assert {row.problem: row.step for row in results} == {"12+35": 0, "948/12": 0, "148/12": 2, "99-12": 0}
    header, rows = errors_table(groups)
    assert len(header) == len(rows[0]) and len(rows) == len(groups)
    lines = markdown(header, rows).replace(r"\|", "").splitlines()  # the mark r| ends no cell
    assert {line.count("|") for line in lines} == {len(header) + 1} and len(lines) == 2 + len(rows)
