"""The audit: which answers are wrong and why, data sets, and records that can't be read."""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import PROBLEMS, SHORT, answer_of

from revorder.corpora.bigbench import NAMES
from revorder.corpora.records import read_jsonl, read_records
from revorder.errors import ProblemError
from revorder.evaluation.audit import (
    BY_ZERO,
    LAST_DIGITS,
    LEFT_ALONE,
    NOT_LOWEST,
    RIGHT,
    ROUNDED_DOWN,
    UNREAD,
    WRONG,
    audit,
    check_answer,
)
from revorder.inference.prompts import in_words
from revorder.reading.questions import read_question


def value_of(text):
    """The value by Python, with Fractions for its integers; None where it divides by zero."""
    try:
        return eval(re.sub(r"[0-9]+", r"Fraction(\g<0>)", text), {"Fraction": Fraction})
    except ZeroDivisionError:
        return None


ASKED = st.sampled_from(
    ["Calculate {}.", "What is {}?", "{} =", "Q: {}\nA:", "Please evaluate: **{}**. Reply with the number only."]
)
EXPRESSIONS = st.recursive(
    SHORT.map(str),
    lambda inner: st.builds("{} {} {}".format, inner, st.sampled_from("+-*/"), inner) | inner.map("({})".format),
    max_leaves=6,
).filter(lambda text: re.search("[-+*/]", text))


@given(ASKED, EXPRESSIONS, st.integers(-9, 9))
def test_what_python_computes_is_right_and_all_else_wrong(asked, text, off):
    value = value_of(text)
    if value is None:
        assert check_answer(asked.format(text), "0").cause == BY_ZERO
        return
    found = check_answer(asked.format(text), str(value + off))
    assert found.outcome == (WRONG if off else RIGHT)
    assert not off or (Fraction(found.expected), Fraction(found.found)) == (value, value + off)


@given(PROBLEMS)
def test_our_own_questions_in_words_have_right_answers(problem):
    assert check_answer(in_words(problem), answer_of(problem)).outcome == RIGHT
    assert check_answer(in_words(problem), f"The answer is {answer_of(problem)}1.").outcome == WRONG


@pytest.mark.parametrize(
    ("question", "answer", "outcome"),
    [
        ("10 / 4", "2.5", RIGHT),
        ("10 / 4", "5/2", RIGHT),
        ("10 / 4", r"$\frac{5}{2}$", RIGHT),
        ("10 / 4", "2R2", RIGHT),
        ("10 / 4", "2R1", WRONG),
        ("1234567 + 1", "1.234568e6", RIGHT),
        ("1 / 8", "12.5E-2", RIGHT),
        ("1200 + 34", "1,234", RIGHT),
        ("3 - 5", "−2", RIGHT),
        ("48 / 2", "48/2 = 24\n#### 24", RIGHT),
        ("0.1 + 0.2", "0.30000000000000004", RIGHT),
        # rounded to the decimals that it has
        ("10 / 3", "3.33", RIGHT),
        ("20 / 3", "6.66", RIGHT),
        ("10 / 3", "3.34", WRONG),
        ("10 / 3", "3", WRONG),
        ("1.28 + 1.5", "2.8", RIGHT),
        ("1.28 + 1.5", "2.7", WRONG),
        # or as is asked
        ("10 / 3. Round to the nearest integer.", "3", RIGHT),
        ("20 / 3. Round to the nearest integer.", "6", WRONG),
        ("What is 10 / 3 rounded to 2 decimal places?", "3.33", RIGHT),
        ("What is 10 / 3 rounded to 2 decimal places?", "3.3", WRONG),
        ("What is 10 / 3 rounded to two decimal places?", "3.33333", RIGHT),
        ("What is 10 / 3 to the nearest tenth?", "3.3", RIGHT),
        ("What is 123 * 2 to the nearest ten?", "250", RIGHT),
        ("What is 123 * 2 to the nearest ten?", "240", WRONG),
        ("Give 2 / 3 to 3 significant figures.", "0.667", RIGHT),
        ("Give 2 / 3 to 3 significant figures.", "0.67", WRONG),
        ("Give 123456 * 10 to 3 significant figures.", "1230000", RIGHT),
        ("10 / 3, rounded", "3", RIGHT),
        ("20 / 3, rounded", "6", WRONG),
        ("What is 123+4 to the nearest ten?", "130", RIGHT),
        ("What is 123+4 to the nearest ten?", "127", RIGHT),
        ("What is 123+4 to the nearest ten?", "132", WRONG),
        ("Give 1234 * 1000 to 3 significant figures.", "1234999", WRONG),
        # a fraction is an answer, another operation is none
        ("3/6 + 1/6", "4/6", RIGHT),
        ("Simplify 92/524", "23/131", RIGHT),
        ("Simplify 92/524", "46/262", WRONG),
        ("Simplify 950/12", "79R2", RIGHT),
        ("3/4, rounded", "1/3", WRONG),
        ("Simplify \\frac{92}{524}", "\\frac{92}{524}", WRONG),
        ("12 * 7", "12 * 7", UNREAD),
        ("12 * 7", "80+4", UNREAD),
        ("12 * 7", "168/2", UNREAD),
        # a percent of something
        ("50 + 10%", "50.1", RIGHT),
        ("50 + 10%", "55", LEFT_ALONE),
        # no value, no number
        ("5 / 0", "undefined", LEFT_ALONE),
        ("5 / 0", "0", WRONG),
        ("2 + 2", "four", UNREAD),
        ("2 + 2", "", UNREAD),
        ("2 + 2", "9" * 5000, UNREAD),
        ("2 + 2", "9" * 5000 + "e5", UNREAD),
        ("2 + 2", "9" * 400 + "e999", WRONG),
        ("9" * 1500 + " * " + "9" * 1500, "1", UNREAD),
    ],
)
def test_answers(question, answer, outcome):
    assert check_answer(question, answer).outcome == outcome


@pytest.mark.parametrize(
    ("question", "answer", "cause"),
    [
        ("50 + 83 * 6 + 9", "807", "precedence"),
        ("7 / 2 * 3", "9", ROUNDED_DOWN),
        ("(3 + 4) * 2", "11", "precedence"),
        ("8 / 3", "3", "rounding"),
        ("3 - 5", "2", "sign"),
        ("12 * 12", "441", "digits reversed"),
        ("12 * 12", "1440", "power of ten"),
        ("7.873 * (3.714 / 6.710 * 3.645). Give 12 significant digits.", "15.8839006989", LAST_DIGITS),
        ("5 / 0 + 1", "1", BY_ZERO),
        ("Simplify 4/6", "4/6", NOT_LOWEST),
        ("Simplify 6/8", "2/6", "unknown"),
        ("2 + 2", "5", "one digit"),
        ("48 + 24", "62", "carry"),
        ("48 + 24", "91", "unknown"),
    ],
)
def test_causes(question, answer, cause):
    assert (check_answer(question, answer).outcome, check_answer(question, answer).cause) == (WRONG, cause)


def test_long_questions():
    long = " + ".join(["12345"] * 5000)
    assert check_answer(f"Calculate {long}.", str(12345 * 5000)).outcome == RIGHT
    assert check_answer("b " * 100_000 + "1 + 1", "2").outcome == LEFT_ALONE


# Datasets


@pytest.mark.parametrize(("op", "name"), NAMES.items())
def test_bigbench_is_right(shared, op, name):
    for n in range(1, 6):
        records = read_records(shared / "bigbench_arithmetic" / f"{n}_digit_{name}.jsonl", ("input", "target"))
        assert {finding.outcome for _, finding in audit(records, "input", "target")} == {RIGHT}


@pytest.mark.parametrize(("split", "arithmetic"), [("train", ["48/4+15"]), ("test", [])])
def test_word_problems_are_left_alone_but_for_the_one_that_is_arithmetic(shared, split, arithmetic):
    """`What is fifteen more than a quarter of 48?` is the one."""
    records = list(read_records(shared / "gsm8k" / f"{split}.jsonl", ("question", "answer")))
    findings = [finding for _, finding in audit(records)]
    assert [finding.outcome for finding in findings if finding.outcome != LEFT_ALONE] == [RIGHT] * len(arithmetic)
    asked = filter(None, (read_question(record["question"]) for _, record in records))
    assert [str(question.expression) for question in asked] == arithmetic


def test_reasoning_gyms_stored_answers():
    reasoning_gym = pytest.importorskip("reasoning_gym")

    def items(name, **settings):
        for item in reasoning_gym.create_dataset(name, size=300, seed=0, **settings):
            yield item, check_answer(item["question"], item["answer"])

    wrong = 0
    for item, finding in items("basic_arithmetic", allow_parentheses=False):
        value = value_of(item["metadata"]["expression"])
        assert finding.outcome == (RIGHT if value == int(item["answer"]) else WRONG), item
        wrong += finding.outcome == WRONG
    assert wrong > 100
    for name in ("chain_sum", "decimal_chain_sum", "products", "fraction_simplification"):
        assert {finding.outcome for _, finding in items(name)} == {RIGHT}, name
    for name in ("gcd", "lcm", "power_function", "simple_equations", "leg_counting", "bitwise_arithmetic"):
        assert {finding.outcome for _, finding in items(name)} == {LEFT_ALONE}, name


# Records


def test_lines_that_cant_be_read_are_named():
    lines = [
        b'\xef\xbb\xbf{"question": "1+1", "answer": 2}\n',
        b"\n",
        b"{\n",
        b"\xff\n",
        b"[1]\n",
        b'{"question": "1+1"}\n',
        b'{"question": "1+1", "answer": null}\n',
        b'{"question": "1+1.10", "answer": 2.10}\n',
        ProblemError("the line has more than 9 bytes"),
        b'{"question": "Which?", "answer": ["a", "b"]}\n',
    ]
    found = {line: (finding.outcome, finding.cause) for line, finding in audit(read_jsonl(lines))}
    assert found.pop(10) == (LEFT_ALONE, "")
    assert found.pop(1) == found.pop(8) == (RIGHT, "")
    assert {outcome for outcome, _ in found.values()} == {UNREAD}
    causes = {line: cause for line, (_, cause) in found.items()}
    assert causes[3].startswith("not JSON") and causes[4].startswith("not UTF-8")
    assert causes[5].startswith("not a JSON object")
    assert causes[6] == "no field 'answer'; there are: question"
    assert causes[7] == "field 'answer' is None; accepted: text or a number"
    assert "more than" in causes[9] and set(causes) == {3, 4, 5, 6, 7, 9}


def test_parquet_as_jsonl(tmp_path):
    import pyarrow
    import pyarrow.parquet

    rows = [{"question": f"{n} + 1", "answer": n + 1 + (n == 4321)} for n in range(5000)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    both = [
        [(line, finding) for line, finding in audit(read_records(tmp_path / name, ("question", "answer")))]
        for name in ("rows.parquet", "rows.jsonl")
    ]
    assert both[0] == both[1]
    assert [(line, finding.expected) for line, finding in both[0] if finding.outcome == WRONG] == [(4322, "4322")]
    with pytest.raises(ProblemError, match="no column 'q'; there are: question, answer"):
        list(read_records(tmp_path / "rows.parquet", ("q", "answer")))
    pyarrow.parquet.write_table(pyarrow.table({"question": [b"2+2"], "answer": [b"5"]}), tmp_path / "bytes.parquet")
    with pytest.raises(ProblemError, match="field 'question' is b'2\\+2'; accepted: text or a number"):
        list(audit(read_records(tmp_path / "bytes.parquet", ("question", "answer"))))
    (tmp_path / "text.parquet").write_text("text")
    for name in ("text.parquet", "none.parquet", "none.jsonl"):
        with pytest.raises(ProblemError, match=f"{name}.*; give "):
            list(read_records(tmp_path / name, ("question", "answer")))
