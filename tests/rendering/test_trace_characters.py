"""A trace's text read back: no character is lost, and each digit is explained as CSID explains it."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import traces

from revorder import ProblemError, trace, verify
from revorder.metrics.csid import explain
from revorder.rendering.trace_characters import read_trace


def characters(reading):
    return [char for step in reading.steps for char in step]


def without_space(text):
    return "".join(text.split())


@settings(max_examples=60)
@given(traces())
def test_a_correct_trace_is_read_whole_and_each_digit_explained(drawn):
    made, rollbacks = drawn
    reading = read_trace(made.text, made.method, made.form)
    read = characters(reading)
    assert without_space("".join(char.char for char in read)) == without_space(made.text)
    assert [char.digit for char in read if char.digit] == list(explain(made))
    assert all(char.char == char.digit.char for char in read if char.digit)
    assert reading.wrong == "" and reading.trace is not None and len(reading.steps) == len(made.steps)
    marks = [char for i, char in enumerate(read) if char.char == "W" and char.taken_back]
    assert reading.verdict.rollbacks == rollbacks <= len(marks)


@settings(max_examples=60)
@given(traces(), st.data())
def test_a_changed_text_is_judged_as_the_judge_does_and_right_up_to_the_change(drawn, data):
    made, _ = drawn
    at = data.draw(st.integers(0, len(made.text) - 1))
    changed = made.text[:at] + data.draw(st.sampled_from("0123456789r|W=#-+ x")) + made.text[at + 1 :]
    reading = read_trace(changed, made.method, made.form)
    verdict = verify(changed, made.method, made.form)
    assert (reading.verdict.ok, reading.verdict.reason) == (verdict.ok, verdict.reason)
    assert (reading.trace is not None) == verdict.ok
    whole = "".join(char.char for char in characters(reading)) + reading.wrong
    assert without_space(whole) == without_space(changed)


@settings(max_examples=60)
@given(traces(), st.data())
def test_what_is_written_so_far_is_not_wrong(drawn, data):
    made, _ = drawn
    assume(made.method != "blocks")  # half of a wrong block can't be told from a wrong character
    begin = len(made.steps[0].segments[0].text) + 1  # goat's question ends with its first quotient digit
    written = made.text[: data.draw(st.integers(begin, len(made.text)))]
    assert read_trace(written, made.method, made.form).wrong == ""


def test_thousands_separators_of_a_question_are_read_over():
    text = "1,234+5=r|9321=1239"
    reading = read_trace(text)
    assert reading.verdict.ok and verify(text).ok
    assert "".join(char.char for char in characters(reading)) == text


@pytest.mark.parametrize("line_end", ["\r\n", "\r\n\r\n", "\n \n", " \n\n"])
def test_empty_lines_are_read_over(line_end):
    text = trace("948/12", form="expanded").text.replace("\n", line_end)
    assert read_trace(text, "revorder", "expanded").verdict.ok and verify(text, form="expanded").ok


def test_what_is_taken_back():
    def taken_back(text, method, form=None):
        return "".join(char.char for char in characters(read_trace(text, method, form)) if char.taken_back)

    wrong = trace("948/12", rollback={0: 8})
    assert taken_back(wrong.text, "revorder") == "8R-(12*80)(r|069)(-r|21)W"
    assert taken_back("12-35=r|77Wr|32-", "lean") == "r|77W"
    assert taken_back(trace("948/12", "lean", rollback={0: [8, 9]}).text, "lean").count("W") == 2
    lines = taken_back(trace("948/12", "revorder", "expanded", rollback={0: 8}).text, "revorder", "expanded")
    assert lines == "8 Rem (948-12*80)\n=8 Rem (948-r|069)\n=8 Rem (-r|21) W"


def test_a_number_that_stands_beside_an_equal_one_is_not_explained():
    one, other = trace("2*3+4", "mathglm"), trace("6+2*3", "mathglm")
    assert [char.char for char in characters(read_trace(one.text, "mathglm")) if char.digit] == ["6", "1", "0"]
    assert [char.char for char in characters(read_trace(other.text, "mathglm")) if char.digit] == ["1", "2"]


def test_without_a_form_every_form_is_read():
    made = trace("12+35", "revorder", "expanded")
    reading = read_trace(made.text)
    assert reading.verdict.ok and reading.trace.form == "expanded"


def test_no_question_and_no_method():
    reading = read_trace("what is it", "lean")
    assert reading.problem is None and reading.wrong == "what is it" and "no question" in reading.verdict.reason
    with pytest.raises(ProblemError, match="'nope' is unknown"):
        read_trace("1+1=2", "nope")
