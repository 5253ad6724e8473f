"""Kinds of texts that readers of numbers misread: each listed one stands for its kind, with other members beside it."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import Expression, ProblemError, solve
from revorder.evaluation.audit import LEFT_ALONE, RIGHT, WRONG, check_answer
from revorder.evaluation.word_problems.scoring import read_final
from revorder.integrations.trl import answer_reward, text_of
from revorder.reading.answers import extract_answer
from revorder.reading.questions import read_question

STATED = {
    "escaped and decorated": [
        (r"$\$72$", "72"),
        (r"\$72", "72"),
        ("1{,}047", "1047"),
        (r"1\,047", "1047"),
        (r"$1\,047\,000$", "1047000"),
        ("**72**", "72"),
        (".5", "0.5"),
    ],
    "scripts without spaces": [
        ("答案是47。", "47"),
        ("47です", "47"),
        ("답은 47입니다", "47"),
        ("共47元", "47"),
        ("答えは４７です。", "47"),
        ("负47", "-47"),
        ("共47万", None),
        ("第47", None),
    ],
    "an aside or an explanation behind the answer": [
        ("144, as 12 times 10 is 120 and 12 times 2 is 24", "144"),
        ("144 because 12*12 = 120 + 24", "144"),
        ("144 [1]", "144"),
        ("144 [1][2].", "144"),
        ("144 (source: page 3)", "144"),
        ("144 (check: 150-6=144)", "144"),
        ("The answer is 47 (12 + 35).", "47"),
        ("The answer is 47. Check: 47 - 35 = 12.", "47"),
        ("-3\n\nExplanation: 20 - 17 = 3, so negative", "-3"),
        ("79 (remainder 5)", "79R5"),
    ],
    "a minus before a currency, and struck out numbers": [
        ("So she has -€47", "-47"),
        ("(-£47)", "-47"),
        ("#### -$47", "-47"),
        (r"\boxed{-\$47}", "-47"),
        ("−¥47.", "-47"),
        ("47 ~~46~~", "47"),
        ("~~47~~", None),
    ],
    "fractions and percentages": [
        (r"\boxed{\frac{1}{2}}", "0.5"),
        ("The answer is 1/3.", "1/3"),
        ("So x = -3/4", "-0.75"),
        (r"\boxed{12\%}", "0.12"),
        ("It is 12.5 %", "0.125"),
        (r"\boxed{-\frac{3}{4}}", "-0.75"),
        (r"Therefore, \boxed{\frac{1}{2}}", "0.5"),
        ("So she pays 3/4.", "0.75"),
        ("The answer is 100%.", "1"),
        ("12/4", None),
        ("x <= 1/2", None),
        ("It can't be 1/2", None),
        ("The answer is not: 1/2", None),
        ("The split is 50:50%", None),
        ("1 1/2", None),
        ("1/2 or 1/3", None),
    ],
    "a footnote, and a remainder in Chinese": [("144.[1]", "144"), ("144. [1]", "144"), ("商79余5", "79R5")],
    "signs that stand beside an answer": [
        ("Question 1 : 47", "47"),
        ("Hmm, 12 + 35... 47.", "47"),
        ("The answer is 50% (47 students).", "47"),
        ("47 T-shirts", "47"),
        ("|12-59|-47|", "-47"),
    ],
    "reasoning is no answer": [
        ("<think>12+35=47</think>\n<answer></answer>", None),
        ("<think>... 47", None),
        ("<think>46</think>47", "47"),
        ("it is 46</think>47</s>", "47"),
        ("<think>a</think> 46 <think>47", None),
        ("<answer>46</answer><answer>47</answer><|im_end|>", "47"),
    ],
}
NOT_47 = [
    *("<= 47", ">= 47", r"\leq 47", r"\ge 47", "> 47", "≤ 47", "at least 47", "±47", r"\pm 47"),
    *(
        "sqrt(47)",
        r"\sqrt 47",
        "√ 47",
        r"\sqrt[3]{47}",
        "log 47",
        "ln(47)",
        "log_2 47",
        r"47 \pi",
        "47π",
        "47!",
        "47! =",
    ),
    *(r"\frac47", r"1\frac47", r"\frac{1}47", r"0.\bar47", r"0.\overline{47}", "x^{47}", "e^{47}", "10^47"),
    *("11, 12, and 47", "11; 12; and 47", "11; 47", "47 minus one", "47 plus two", "the square of 47", "minus: 47"),
    *(
        "47 (negative)",
        "47 is wrong",
        "47 is not right",
        "The answer cannot be 47",
        "It can't be 47",
        "anything but 47",
    ),
    *("2 ⋅ 47", "2 • 47", "12 : 47", "50 % 47", "50 take away 47", "2 through 47", "79 ... 47", "47⁻¹", "47 ⁴"),
    *("47 and ½", "$47 M", "47 mil", "47 mln", "47 tn", "|-47|", r"\left|-47\right|", "-(-47)"),
    *("all except 47", "neither 46 nor 47", "rather than 47"),
]


@pytest.mark.parametrize(("reply", "stated"), [case for cases in STATED.values() for case in cases])
def test_what_a_reply_states(reply, stated):
    assert extract_answer(reply) == stated
    if stated:
        assert answer_reward([""], [reply], answer=[stated], method="plain") == [1.0]


@pytest.mark.parametrize("reply", NOT_47)
def test_what_is_not_the_number_itself_earns_nothing(reply):
    assert extract_answer(reply) != "47"
    assert answer_reward([""], [reply], answer=["47"], method="plain") == [0.0]


@pytest.mark.parametrize("reply", ["r|64 or r|74", "46=x=47", "garbage r|74", "<think>r|74", "46=47"])
def test_what_is_no_trace_earns_nothing(reply):
    assert answer_reward([""], [reply], answer=["47"]) == [0.0]


@pytest.mark.parametrize("reply", ["<think>\n\n</think>\n\nr|74", "r|74</s>", "r|74=47<|im_end|>"])
def test_what_stands_around_a_trace_is_left_out(reply):
    assert answer_reward([""], [reply], answer=["47"]) == [1.0]


@pytest.mark.parametrize(
    ("gold", "reply"),
    [(".5", "0.5"), ("0.5", ".5"), ("5e-07", "0.0000005"), ("1e+16", "10000000000000000"), ("$47", "47")],
)
def test_right_answers_are_read_however_they_are_written(gold, reply):
    assert answer_reward([""], [f"It is {reply}."], answer=[gold], method="plain") == [1.0]


@pytest.mark.parametrize(
    "content", [5, [None], {"a": 1}, None, [{"type": "text"}], [{"text": 5}, "r|", {"text": "74"}]]
)
def test_a_reward_never_raises_for_a_messages_content(content):
    [reward] = answer_reward(["12+35="], [[{"role": "assistant", "content": content}]], answer=["47"])
    assert reward == float(isinstance(content, list) and len(content) == 3)
    assert text_of([{"role": "tool", "content": "47"}]) == "" and text_of([content]) == ""


@pytest.mark.parametrize(
    ("solution", "final"),
    [
        *((r"#### \$72", 72), (r"$\$72$", 72), ("**#### 72**", 72), (r"A: \$72", 72), ("#### 1{,}047", 1047)),
        *((r"#### 1\,047", 1047), ("#### 72元", 72), ("#### Step 1\nadd\n#### 72", 72), ("#### Solution\n#### 72", 72)),
        *(("48+24 = 72. The answer is #### 72", 72), ("A: 72\nAnd so it is.", 72), ("The answer is: 72", 72)),
        *((r"So $\boxed{72}$", 72), ("#### sqrt(72)", None), ("#### 72!", None), ("#### 72 is wrong", None)),
        *(("#### 71\n#### 72", None), ("<<48+24=72>>72", None), ("I don't know", None)),
    ],
)
def test_final_answers_of_word_problems(solution, final):
    assert read_final(solution) == final


QUESTIONS = {
    "What is 12 times 7?": 84,
    "the sum of 3 and 4": 7,
    "What is the product of 6 and 7?": 42,
    "the difference of 10 and 3": 7,
    "difference between 10 and 3": 7,
    "the difference between 3 and 10": None,
    "What is the quotient of 12 and 4?": 3,
    "3 added to 4": 7,
    "3 subtracted from 10": 7,
    "3 less than 10": 7,
    "12 over 4": 3,
    "Add 3 and 4.": 7,
    "Subtract 3 from 10.": 7,
    "Multiply 6 by 7.": 42,
    "Divide 12 by 4": 3,
    "half of 10": 5,
    "twice the sum of 3 and 4": 14,
    "15% of 200": 30,
    "I need to know 12 times 7": 84,
    "What is twelve plus thirty-five?": 47,
    "two hundred and forty-one plus nine": 250,
    "one plus one": 2,
    "What is a hundred divided by four?": 25,
    "What is fifteen more than a quarter of 48?": 27,
    r"\frac{1}{2} \div \frac{1}{4}": 2,
    r"12 \div \frac{3}{4}": 16,
    r"\frac52": 2.5,
    "12／／5": 2,
    # what can be read in two ways, or is more than arithmetic
    "1/2 divided by 1/4": None,
    "1/2 ÷ 1/4": None,
    "the sum of 3 and 4 times 5": None,
    "half of 10 plus 3": None,
    "3 times the sum of 4 and 5": None,
    "10 mod 3": None,
    "2^10": None,
    "(1+2)(3+4)": None,
    "1e3+1": None,
    "1,5+2": None,
    "10 % -3": None,
    "7 % +2": None,
    "What is 2024-05-06?": None,
    "Compute 3 + 5!": None,
    "Three dogs have how many legs?": None,
}


@pytest.mark.parametrize(("question", "value"), QUESTIONS.items())
def test_questions_in_words(question, value):
    asked = read_question(question)
    assert (asked and float(asked.expression.fraction())) == value


def test_solve_reads_words_and_says_what_it_does_not_support():
    assert solve("What is 12 times 7?").answer == "84" and solve("half of 10").answer == "5"
    assert solve("15% of 200").answer == "30"
    for text, says in {
        "2^10": "powers are not supported: '2^10'",
        "2**10": "powers are not supported: '2**10'",
        "10 mod 3": "remainders by % or mod are not supported",
        "10 % -3": "remainders by % or mod are not supported",
        "(1+2)(3+4)": "a product needs its sign",
        "1e3+1": "scientific notation is not supported",
        "1,5+2": "write a decimal point if one is meant, such as 1.5: '1,5+2'",
        "5!": "factorials are not supported",
    }.items():
        with pytest.raises(ProblemError) as error:
            Expression.parse(text)
        assert says in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("question", "answer", "outcome"),
    [
        ("What is 24/7?", "24 hours, 7 days a week.", LEFT_ALONE),
        ("What is 7-11?", "A chain of shops.", LEFT_ALONE),
        ("What is 50/50?", "An even chance.", LEFT_ALONE),
        ("What is 24/8?", "3", RIGHT),
        ("What is 7-11?", "4", WRONG),
        ("7 / 2 to the nearest whole number", "4", RIGHT),
        ("7 / 2 to the nearest whole number", "3", WRONG),
        ("5 / 2 to the nearest whole number", "3", RIGHT),
        ("5 / 2 to the nearest whole number", "2", RIGHT),
        ("0.125 * 1 to two decimal places", "0.12", RIGHT),
        ("0.135 * 1 to two decimal places", "0.13", WRONG),
        ("-7/2", "-4 R 1", RIGHT),
        ("-7/2", "-3.5", RIGHT),
        ("10/3", "3.3333333333334", WRONG),
        ("10/3", "3.3333333333333335", RIGHT),
        ("0.1+0.2", "0.30000000000000004", RIGHT),
    ],
)
def test_what_audit_says(question, answer, outcome):
    assert check_answer(question, answer).outcome == outcome


@given(st.text(max_size=200))
def test_no_text_makes_a_reader_raise(text):
    extract_answer(text)
    read_question(text)
    read_final(text)


@pytest.mark.parametrize(
    "piece",
    ["half of ", "the sum of 1 and ", "one hundred ", "(", "1 less than ", "#### ", "<think>", "\\frac", "²", "1;"],
)
def test_reading_takes_time_linear_in_the_text(piece):
    text = piece * 3_000
    extract_answer(text)
    read_question(text)
    read_final(text)


def test_readers_run_in_threads():
    found = []
    threads = [threading.Thread(target=lambda: found.append(extract_answer("It is **47**."))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["47"] * 8
