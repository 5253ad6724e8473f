"""Questions of arithmetic: which are read and which are left alone, and how their values are to be rounded."""

import pytest

from revorder import ProblemError
from revorder.reading.answers import read_answer
from revorder.reading.questions import read_expression, read_question


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("Calculate 50 + 83 * 6 + 9.", "50+83*6+9"),
        ("What is 12 × (3 - -4)?", "12*(3--4)"),
        ("What is 12 multiplied by 7 divided by 3?", "12*7/3"),
        ("$1,200.50 + $3", "1200.50+3"),
        (r"Compute $3 \times 4 \div 2$.", "3*4/2"),
        (r"Simplify the fraction $\frac{92}{524}$ to its lowest terms.", "92/524"),
        ("What is 3 x 4?", "3*4"),
        ("What does 2.5 * 4 equal?", "2.5*4"),
        # more than a value is asked for, or something else
        ("What is the last digit of 3 * 4?", None),
        ("What is the remainder of 7 / 2?", None),
        ("Estimate 48 * 52.", None),
        ("What is 7 / 2, rounded up?", None),
        ("What is 3 + 4 in binary?", None),
        ("Compute 3 + 5!", None),
        ("Compute a * 3 + 4.", None),
        ("Compute 2**3 + 1.", None),
        ("Solve 3x + 4 = 10.", None),
        ("Is 3 + 4 = 7?", None),
        ("Is 3 + 4 equal to 7?", None),
        ("Find the greatest common divisor of 12, 18.", None),
        ("Anna has 3 + 4 apples. How many does she have?", None),
        ("What is 10% of 55?", "0.10*55"),
        ("50 increased by 10%", "50*(1+0.10)"),
        ("What is 10% less than 50?", "50*(1-0.10)"),
        ("twice the sum of 3 and 4", "2*(3+4)"),
        # words that may hold for one term or for all
        ("half of 10 + 3", None),
        ("12 + half of 10", None),
        ("add 5 to 3 * 2", None),
        ("2 * 3 more than 4", None),
        ("24 / 2 over 3", None),
        ("add 10% to 50", None),
        ("What is the difference of 3 and 10?", None),
        ("What is the difference of 10 and 3?", "10-3"),
        ("What is 200 minus 15%?", None),
        ("50 plus 10 percent", None),
        ("What is 8 ÷ 1/2?", None),
        ("What is 1/2 ÷ 4?", "1/2/4"),
        # words that may be terms
        ("Find a+3*2", None),
        ("What is a - 3*2?", None),
        ("What is i-2*3?", None),
        ("What is one -3*2?", "1-3*2"),
        ("What is -3*2?", "-3*2"),
        ("What’s 12+7?", "12+7"),
        ("3 + 4 please!", "3+4"),
        # numbers that belong to no expression
        ("15% of the sum of 20 and 30", "0.15*(20+30)"),
        ("the sum of 3 and 4 increased by 2", "3+4+2"),
        ("the product of 6 and 7 subtracted from 50", "50-6*7"),
        ("half of 12 added to 20", "20+12/2"),
        ("I need to solve the equation for 48 + 24", "48+24"),
        ("the sum of 3 and (1/0)", "3+1/0"),
        ("10 decreased by 4 increased by 2", None),  # 8, or 4
        ("100 increased by 10 decreased by 20%", None),
        ("3 less than 10 less than 20", None),
        ("the difference between 20 and 5 less than 8", None),
        ("multiply 3 by 4 increased by 2", None),
        ("half of 10 increased by 4", None),
        ("twice 5 less than 20", None),
        ("What is 5 / 1/2?", None),
        ("What is $5 + €3?", None),
        ("What is £5 - £3$?", "5-3"),
        ("What is the number of terms in 3 + 4?", None),
        ("What is the exact number of decimal places in 0.25 * 0.5?", None),
        ("Write an addition equation for 3 + 3.", None),
        ("Is 3 + 4 an expression?", None),
        ("1. 3 + 4", None),
        ("(a) 3 + 4", None),
        ("Question 1: 234 + 5", None),
        ("Question 5 - 3 + 4", None),
        ("Calculate - 3 + 4", None),
        ("What is 12?", None),
        ("", None),
    ],
)
def test_questions(question, expression):
    asked = read_question(question)
    assert (asked and str(asked.expression)) == expression


def test_a_question_of_two_values_says_so():
    with pytest.raises(ProblemError, match="has more than one value, by the order of its words"):
        read_expression("100 increased by 10 decreased by 20%")


@pytest.mark.parametrize(
    ("question", "places", "significant", "rounding"),
    [
        ("10 / 3", None, None, False),
        ("10 / 3, rounded", None, None, True),
        ("10 / 3 to 2 decimal places", 2, None, True),
        ("Round 10 / 3 to one decimal.", 1, None, True),
        ("10 / 3 with three digits after the decimal point", 3, None, True),
        ("10 / 3 to the nearest cent", 2, None, True),
        ("10 / 3 to the nearest whole number", 0, None, True),
        ("120 / 7 to the nearest ten", -1, None, True),
        ("10 / 3 to a maximum of 12 significant digits, rounding up from the half", None, 12, True),
    ],
)
def test_rounding(question, places, significant, rounding):
    asked = read_question(question)
    assert (asked.places, asked.significant, asked.rounding) == (places, significant, rounding)


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("1,234.50", "1234.50"),
        ("$3", "3"),
        ("-1.5e-3", "-0.0015"),
        ("12E2", "1200"),
        ("**47**", "47"),
        ("48/2 = 24\n#### 24", "24"),
        ("79 remainder 2", "79R2"),
        ("four", "None"),
        ("46 or 47", "None"),
        ("", "None"),
    ],
)
def test_stored_answers(answer, read):
    assert str(read_answer(answer)) == read
