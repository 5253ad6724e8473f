"""Answer extraction: answers in many wrappings are read exactly, and what is another number is never read as the
answer."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import Problem, verify
from revorder.arithmetic.problem import answer_text
from revorder.reading.answers import extract_answer


def grouped(separator):
    return lambda text: re.sub(r"[0-9]+", lambda digits: f"{int(digits[0]):,}".replace(",", separator), text)


def worded(text):
    quotient, mark, remainder = text.partition("R")
    return f"{quotient} with a remainder of {remainder}" if mark else text


WRITTEN = [
    str,
    grouped(","),
    grouped(" "),
    grouped("\u202f"),
    grouped("'"),
    grouped("_"),
    grouped("{,}"),
    grouped(r"\,"),
    lambda text: text.replace("-", "−"),
    lambda text: text.replace("-", "‑"),
    lambda text: re.sub("^-", "minus ", text),
    lambda text: re.sub("^-", "negative ", text),
    lambda text: text.translate(str.maketrans("0123456789-", "０１２３４５６７８９－")),
    lambda text: text.replace("R", " R "),
    lambda text: text.replace("R", " r"),
    lambda text: text.replace("R", " remainder "),
    lambda text: text.replace("R", ", remainder "),
    lambda text: text.replace("R", r" \text{ R } "),
    lambda text: text.replace("R", r"\ \text{remainder}\ "),
    lambda text: text.replace("R", "\nRemainder: "),
    lambda text: text.replace("R", " and the remainder is "),
    worded,
]
WRAPPED = [
    "{}",
    " {}\n",
    "{}.",
    "**{}**",
    "*{}*",
    "__{}__",
    "_{}_",
    "`{}`",
    "```\n{}\n```",
    "={}",
    "= {}",
    "\\boxed{{{}}}",
    "$\\boxed{{{}}}$.",
    "\\[ \\boxed{{{}}} \\]",
    "So it is $\\boxed{{{}}}$ (3 per day).",
    "\\boxed{{{}}}\n\nNote that 3 days remain.",
    "\\({}\\)",
    "${}$",
    "$$\n{}\n$$",
    "$\\mathbf{{{}}}$",
    "<answer>{}</answer>",
    "<b>{}</b>",
    "The answer is {}.",
    "The answer is {}",
    "The answer is: {}!",
    "Answer: **{}**",
    "**Answer:** {}",
    "**Answer:**\n\n{}\n",
    '"{}"',
    "({})",
    "It is {}, I think.",
    "12 + 35 = {}",
    "12 plus 35 is {}.",
    "12 × 35 = {}",
    "12 ÷ 35 = **{}**",
    "$12 \\times 35 = {}$",
    "\\[\\frac{{12}}{{35}} = {}\\]",
    "The sum of 12 and 35 is {}.",
    "Dividing 12 by 35 gives {}",
    "First 2 + 5 = 7, then 1 + 3 = 4.\n\nSo the result is {}.",
    "<think>1234 or 5, no, 99</think>\n{}",
    "<think>112+11 = 123</think>{}",
    "<td>12</td><td>{}</td>",
    "It isn't 12, it is {}.",
    "{} is the sum of 12 and 35",
    "\u200b{}\ufeff",
]
numbers = st.one_of(st.integers(-999, 999), st.integers(-(10**40), 10**40), st.integers(10**400, 10**401))


@st.composite
def answers(draw):
    value = draw(numbers)
    return answer_text(value, draw(st.integers(0, 10**6)) if value >= 0 and draw(st.booleans()) else 0)


@given(answers(), st.sampled_from(WRITTEN), st.sampled_from(WRAPPED))
def test_any_answer_in_any_wrapping_is_read_exactly(answer, written, wrapped):
    assert extract_answer(wrapped.format(written(answer))) == answer


@pytest.mark.parametrize("answer", ["0", "7", "47", "-23", "1234567", "-1234567", "79R5", "1234R5678", "0R12"])
def test_every_wrapping_of_a_few_answers(answer):
    for written in WRITTEN:
        for wrapped in WRAPPED:
            text = wrapped.format(written(answer))
            assert extract_answer(text) == answer, text


OTHERS = [  # with a right number in it, another one, or none
    "1{}",
    "{}0",
    "1,{}",
    "1 {}",
    "1, {}",
    "1'{}",
    "1_{}",
    "1{{,}}{}",
    "1\\,{}",
    "1~{}",
    "{},000",
    "{} 000",
    "1.{}",
    "{}.5",
    "{}.000",
    "0.{}",
    ".{}",
    "...{}",
    "…{}",
    "{}…",
    "{}...",
    "{}-",
    "{} ½",
    "{} and a half",
    "{} squared",
    "{} tenths",
    "{}.(3)",
    "{}R1R2",
    "half of {}",
    "It is {}…",
    "1{}.",
    "The answer is 1{}.",
    "-{}",
    "−{}",
    "- {}",
    "minus {}",
    "negative {}",
    "-({})",
    "-${}$",
    "-**{}**",
    "--{}",
    "—{}",
    "x{}",
    "v{}",
    "GPT-{}",
    "{}k",
    "{}e3",
    "1e{}",
    "{}th",
    "{}%",
    "{} %",
    "{} percent",
    "{} thousand",
    "{} million",
    "{}²",
    "{}^2",
    "2^{}",
    "2^{{{}}}",
    "2**{}",
    "√{}",
    "\\sqrt{{{}}}",
    "1/{}",
    "\\frac{{1}}{{{}}}",
    "{}/2",
    "3{{{}}}",
    "1)({}",
    "{}R1",
    "{} R 1",
    "{} remainder 1",
    "{} R one",
    "1R{}",
    "R{}",
    "The remainder is 1 and the quotient is {}.",
    "≠ {}",
    "not {}",
    "0+{}=",
    "0 + {} = ?",
    "{} + 0",
    "{} × 1 =",
    "0 plus {}",
    "What is 0 plus {}?",
    "the sum of 0 and {}",
    "{}\\frac{{1}}{{2}}",
    "{}½",
    "1\n{}",
    "1  {}",
    "1\t{}",
    "1\u2003{}",
    "1\u3000{}",
    "1<br>{}",
    "<b>1</b>{}",
    "1`{}`",
    "1&{}",
    "1${}$",
    "{} k",
    "{} bn",
    "{} lakh",
    "{} per cent",
    "-+{}",
    "< {}",
    "less than {}",
    "It isn't {}.",
    "{} or 1",
    "1 or {}",
    "",
    "I can't.",
]


@given(st.one_of(st.integers(2, 99), st.integers(100, 999), st.integers(10**5, 10**40)))
def test_another_number_is_never_read_as_the_answer(value):
    for other in OTHERS:
        assert extract_answer(other.format(value)) != str(value), other


@pytest.mark.parametrize(
    "reply",
    [
        "47 or 48",
        "It is 47 or 48.",
        "Either **47** or **48**",
        "47, or maybe 48",
        "The answer is 47 (or 48).",
        "12 + 35 = 47 OR 48",
        "12 + 35 is 47, or if the carry counts, 48",
        "\\boxed{47} or \\boxed{48}",
        "79 R 5 or 80 R 2",
        "79R5 or 80",
        "79 or 80 remainder 2",
        "The quotient is 79 or 80, the remainder 2",
        "quotient 79, remainder 2 or 3",
        "46 or 47 or 48",
        "47 or 12 + 35",
    ],
)
def test_two_alternatives_state_no_answer(reply):
    assert extract_answer(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Is it 46 or 48? It is 47.",
        "12 plus 35, or 35 plus 12, is 47.",
        "47 = 12 + 35 or 35 + 12",
        "You add 5 or 2 first. 12 + 35 = 47",
        "The order does not matter: 47",
    ],
)
def test_an_or_elsewhere_is_no_alternative_to_the_answer(reply):
    assert extract_answer(reply) == "47"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("12 * 8 = 96. You can check: 96 / 8 = 12.", "96"),
        ("Answer: 96\nConfidence: 95%", "96"),
        ("12*8 = 94. Check: 10*8 + 2*8 = 96, so the correct answer is 96.", "96"),
        ("5*4 = 20. To check the other: 3*4 = 12. Total: 20+12 = 32", "32"),
        ("In 6 hours, 20 inches of rain fell.", "20"),
        ("It takes 2 hours and 30 people", "30"),
        (r"The answer is \boxed{10}\%", "0.1"),
        (r"\boxed{3} R 1", "3R1"),
        (r"Put your answer in \boxed{}. The answer is 72.", "72"),
        (r"My first guess was \boxed{62}. But the right answer is 72.", "72"),
        (r"The answer is not \boxed{62}. It is 72.", "72"),
        (r"\boxed{47} or 48", None),
        ("2 hours 15 minutes", None),
        ("5 feet 4 inches", None),
        ("47 out of 50", None),
    ],
)
def test_what_stands_behind_an_answer_is_another_number(reply, answer):
    assert extract_answer(reply) == answer


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.sampled_from("+-*/"), answers(), st.sampled_from(WRAPPED))
def test_the_judge_passes_a_stated_answer_only_if_it_is_the_right_one(a, b, op, answer, wrapped):
    problem = Problem(a, op, b or 1)
    for said in (answer, problem.answer):
        assert verify(f"{problem}={extract_answer(wrapped.format(said))}", "plain").ok == (said == problem.answer)


@given(st.text(st.sampled_from("0123456789.,'_ -−*R=+()[]{}\\$%^…\nabrx"), max_size=60))
def test_what_is_read_is_a_number_in_the_reply(text):
    answer = extract_answer(text)
    assert answer is None or re.fullmatch(r"-?[0-9]+(R-?[0-9]+|\.[0-9]+)?", answer)


@pytest.mark.parametrize(
    "piece",
    ["1,", "1 ", "(", "-", "{", "\\frac{", "<a", "_", "12 and ", "R", " ", "9", "**", "1 or ", "1 or 2 R ", "\\boxed{"],
)
def test_reading_takes_time_linear_in_the_reply(piece):
    extract_answer(piece * 20_000 + "x")


@pytest.mark.parametrize("reply", ["-3 R -1", "79 remainder -5", "quotient -3, remainder -1"])
def test_a_remainder_below_zero_is_no_answer_but_as_an_expression_has_it(reply):
    assert extract_answer(reply) is None and extract_answer("-3R-1") == "-3R-1"


@pytest.mark.parametrize(
    "reply",
    ["1.2e+7", "1e+7", r"$x \neq 7$", r"x \ne 7", r"\not= 7", "=/= 7", "It is not equal to 7.", "not exactly 7"],
)
def test_what_is_denied_or_goes_on_is_no_answer(reply):
    assert extract_answer(reply) is None


def test_a_number_of_keycaps_is_one_number():
    assert extract_answer("4\ufe0f\u20e37\ufe0f\u20e3") == "47"


@pytest.mark.parametrize("minus", "‒⁻˗➖")
def test_every_minus_sign_counts(minus):
    assert extract_answer(f"{minus}23") == "-23"
