"""The checker: right equations pass, a changed result is found at its place, and what is uncertain is unread."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder.integrations.scores import compute_score, equations_right
from revorder.integrations.trl import equation_reward, equation_veto
from revorder.reading.checking import check_text
from revorder.reading.sides import RIGHT, UNREAD, WRONG


def verdicts(text):
    return [(found.verdict, found.expected, found.cause) for found in check_text(text)]


@pytest.mark.parametrize(
    "text",
    [
        *("12 boxes of 8 make 12*8 = 96", "<<48/2=24>>24", r"$12 \\times 35 = 420$", r"1{,}047 + 1 = 1048"),
        *(r"\\frac{1}{2}+\\frac{1}{4} = \\frac{3}{4}", "10/3 = 3.33", "10/3 ≈ 3.3", "about 10/3 = 3", "17/5 = 3 R 2"),
        *("17/5 = 3 remainder 2", "(3+4)*2\\n= 7*2\\n= 14", "| 12*8 | 96 |", "| 12*8 | = 96 |", "**12 + 35 = 47**"),
        *("2*(3+4) = 2*7 = 14", "<<48+24=r|27=72>>72", "$5 * 3 = $15", "20/100 = 20%", "1/3 = 0.333..."),
        *("0.1+0.2 = 0.30000000000000004", "12×8 = 96", "12 ÷ 8 = 1.5", "-3 + 5 = 2", "1) 12+35 = 47"),
        *("-17/5 = -3 R -2", "-17/5 = -4 R 3", "17/5 = 3 (R2)", "17/5 = 3, R2", "17.5/5 = 3 R 2.5", "17 ÷ 5 = 3 余 2"),
        *("17/5 = 3 with a remainder of 2", "17/5 = 3 and 2 left over", "10/5 = 2 with 3 left over"),
        *(
            "r = 12/4 = 3, R = 8",
            "I = 12/4 = 3\\nR = 8",
            "17/5 = 3 bags, with 2 apples left.",
            "20/8 = 2, remaining 4.",
        ),
        *("17/5 = 3 apples each, 2 left", "17 / 5 = 3 apples for each child, with 2 left over", "1/2 ÷ 4 = 1/8"),
        *("19/5 = 3 boxes and 4 left over", "17 ÷ 5 = 3 ... 2", "17/5 = **3** R **2**", "(17+3)/6 = 3 R 2"),
        *("10/3 = 3R1", "| 10/3 | 3 R 1 |", "17/5 = 3, leaving 2", "20/3 = 6.67, leaving 3 apples", "100/2/5 = 10"),
        *(
            r"17/5 = 3 \\text{ R } 2",
            r"$\\frac12 + \\frac13 = \\frac56$",
            "12*8 = 96kg.",
            "98 + 203 ≈ 300",
            "49*51 ≈ 2500",
            "- 5 + 3 = 8",
        ),
    ],
)
def test_right_equations(text):
    text = text.replace("\\\\", "\\").replace("\\n", "\n")
    assert [verdict for verdict, _, _ in verdicts(text)] == [RIGHT]


@pytest.mark.parametrize(
    ("text", "expected", "cause"),
    [
        ("48+24 = 62", "72", "carry"),
        ("48+24=82", "72", "carry"),
        ("3+4=7*2=14", "7", "run-on chain"),
        ("10/3 = 3", "10/3", "rounding"),
        ("10/3 = 3.3333333333334", "10/3", "rounding"),
        ("12-35 = 23", "-23", "sign"),
        ("12*35 = 4200", "420", "power of ten"),
        ("123*45 = 1107", "5535", "misalignment"),
        ("2+3*4 = 20", "14", "precedence"),
        ("1000+234 = 124", "1234", "digit dropped"),
        ("1000+234 = 12334", "1234", "digit doubled"),
        ("1000+234 = 1324", "1234", "digits swapped"),
        ("1000+234 = 4321", "1234", "digits reversed"),
        ("| 12*8 | 95 |", "96", "one digit"),
        ("17 / 5 = 3 remainder 4", "3 remainder 2", "remainder"),
        ("17 / 5 = 3 with 3 left over", "3 remainder 2", "remainder"),
        ("10 / 5 = 2 R 3", "2 remainder 0", "remainder"),
        ("1.25 + 1.34 = 2.5", "2.59", "rounding"),
        ("19.99 * 3 = 59.9", "59.97", "rounding"),
        ("17/5 = 3 boxes with 3 left over", "3 remainder 2", "remainder"),
        ("17/5 = 3, and the remainder is 4", "3 remainder 2", "remainder"),
        ("17/5 = 3 remainder **4**", "3 remainder 2", "remainder"),
        (r"$17 \div 5 = 3\text{ remainder }4$", "3 remainder 2", "remainder"),
        ("17÷5=3……4", "3 remainder 2", "remainder"),
        ("10/3 = 3R2", "3 remainder 1", "remainder"),
        ("17 \\times 24 &= 17 \\times 20 + 17 \\times 4 \\\\\n&= 340 + 68 \\\\\n&= 418", "408", "carry"),
        ("3 + 4\r\n= 8", "7", "one digit"),
        (r"$5 + 3 \approx 9$", "8", "one digit"),
        ("5+3＝9", "8", "one digit"),
        ("$3 + 4$ = $8$", "7", "one digit"),
        (r"$3 \times \left(4 + 5\right) = 28$", "27", "one digit"),
        ("In 2020, 3+4 = 8 people", "7", "one digit"),
        ("- 5 + 3 = 9", "8", "one digit"),
        ("3-5 = 2", "-2", "sign"),
        *[
            (f"{label} 12 + 35 = 48", "47", "one digit")
            for label in ("1)", "(1)", "[1]", "a)", "Q1)", "1:", "Exercise 1:", "**Step 2:**", "> 3.", r"\item")
        ],
        (r"\boxed{12+35 = 48}", "47", "one digit"),
    ],
)
def test_wrong_equations_have_an_expected_value_and_a_cause(text, expected, cause):
    [(verdict, right, why)] = verdicts(text)
    assert (verdict, right) == (WRONG, expected) and (why == cause or (cause == "rounding" and why))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "3 + 4 = 8 is wrong",
            "3 + 4 = 8 (incorrect)",
            "It's not true that 3 + 4 = 8.",
            "~~3 + 4 = 8~~",
            "❌ 3 + 4 = 8",
        ),
        *("True or false: 3 + 4 = 8", "Is 3 + 4 = 8 true?", "3+4 = 8 isn't right", "In binary, 10 + 10 = 100"),
        *("Mod 12: 10 + 5 = 3", "20 / 3 = 6 (integer division)", "Date: 10/12 = 12 October", "10 + 25 = $0.35"),
        *("90/60 = 1 hour 30 minutes", "30/7 = 4 weeks 2 days", "3 * .5 = $1.50 = 150 cents", "512 * 2 = 1 GB"),
        *("100,000 * 5 = 5 lakh", "500*20=1万", "3/4 = 75 %", r"3/4 = 75\,\%", "1/4 = 250 ‰", "1/4 = 25 per cent"),
        *(
            "2 times 3 + 4 = 10",
            "10 divided by 2 + 3 = 8",
            "2/3 of 9 + 1 = 7",
            "2 groups of 3 + 4 = 10",
            "17 % 5 + 1 = 3",
        ),
        *(
            "the product of 3 and 4 + 1 = 13",
            "10 - 2 = 4 times 2",
            "5 + 3 = 4 ⋅ 2",
            "5 + 3 = 16 : 2",
            "10 — 2 + 4 = 12",
        ),
        *("5 + 5 = 1/2 of 20", "2*8 = 2⁴", "10/3 = 3⅓", "7/2 = 3 ½", "10/3 = 3.(3)", r"10/3 = 3.\overline{3}"),
        *("- 5 + 3 = -2", "Step 1 - 5 + 3 = 8", "3-5 = 20 kids", "8-5 = 9 hours", "80-89 = 3", "$3 - $5 = ($2)"),
        *("€5 + €3 = $9", "$2*4 + $3 = £9"),
        *(
            "2+2=4,300+300=600",
            "5+5=10,100",
            "1.500 + 500 = 2.000",
            "500 + 600 = 1\u2009100",
            "1\xa0500 + 500 = 2\xa0000",
        ),
        *("| 3-5 | 20 |", "| 5/6 | 300 |", "| 2x4 | 12 |", "| 3+3 | 500 |", "49 * 51 ≈ 50 * 50 = 2500"),
        *("3 ÷ 1/2 = 6", "22/7 = 3.14 = 3 + 0.15", "about 98 + 203 = 300", "17/5 = 3 and a remainder of two"),
        *("100/60 = 1 hour with 40 minutes left.", "€1/2 = 50 cents", "3*.25 = 75 cents", "1024 * 1024 = 1 MB"),
        *("24 * 7 = 1 week", "60*60*24 = 1 day", "12 + 6 = 3 x", r"$10 + 5 = 3\,n$", "3 + 4 = 8 is clearly wrong."),
        *("3 + 4 = 8 would be wrong.", "3 + 4 = 8 cannot be right.", "3 + 4 = 8 doesn't hold.", "3 + 4 = 8: wrong"),
        *(
            "Common mistake: 2+3*4 = 20",
            "Don't write 3+4 = 8.",
            "~~So 3 + 4 = 8 apples~~",
            "Integer division: 17 / 5 = 3",
        ),
        *("Base 2: 1 + 1 = 10", "In base two, 1 + 1 = 10", "49 + 27 ≈ 75", "12 * 8 ≈ 95"),
        "| 12*8 | 96 |\n\n| Date | Visitors |\n|---|---|\n| 5/6 | 300 |",
        *(
            "2+2 = 5?",
            "not 12*8=95",
            "x + 3*4 = 12",
            "3*4 = 12x",
            "2(3+4) = 13",
            "1 1/2 + 1 = 2 1/2",
            "4/3 = 1 and 1/3",
        ),
        *("80 000 x 20/100 = 16 000", "28 / 1/5 = 140", "0900-0130 = 0730", "$1/2 = 50 cents", "Weeks 1-2 = 96"),
        *(r"$\sqrt{9+16} = 5$", r"\sqrt{16} + 1 = 5", r"\sin 30 + 1 = 1.5", "a_{3} + 2 = 13", "√(9 + 16) = 5"),
        *("∛27 + 1 = 4", "the square root of 9 + 16 = 5", "cos 60 * 2 = 1", "twice 3 + 1 = 7", "minus 3 + 5 = 2"),
        *("5 choose 2 + 1 = 11", "20% of 50 + 10 = 20", r"\sqrt{\frac{9}{4}} + 1 = 2.5", r"\log_{2} 8 + 1 = 4"),
        *("1'200 + 100 = 1'300", "12’345 - 45 = 12’300", "8 + 5 = 1 (mod 12)", r"3 + 4 = 1 \pmod{6}", "9 + 5 = 2 PM"),
        *("11 + 3 = 2 o'clock", "1 + 1 = 10 in binary", "5 + 5 = 12₈", "50 + 50 = 1 dollar", "60 + 60 = 2 hours"),
        *("the remainder of 17 / 5 = 2", "2 (3+4) = 13"),
        # a number, a word or a letter before it that belongs to it
        *(
            "Mary has 5 more than 2*3 = 11",
            "Subtract 5 from 3 * 4 = 7",
            "10 decreased by 3 + 4 = 3",
            "n times 3 + 4 = 19",
        ),
        *(
            "A tenth of 50 * 4 = 20",
            "the absolute value of 3 - 5 = 2",
            "log₂ 8 + 1 = 4",
            "2π 3 * 2 = 37.7",
            "f (3+1) = 16",
        ),
        *(
            "Total = 12\n+ 30 + 5\n= 47",
            "T &= 12 + 30 \\\\ &\\quad + 5 + 3 \\\\ &= 50",
            "2 х 3 + 4 = 10",
            "n ** 2 + 1 = 10",
        ),
        *("Year 1 - 100 + 50 = 150", "1 - 20*3 = 60", "500.000 * 2 = 1.000.000", "45 + 21 + 28 = 94%"),
        # denied, supposed or asked elsewhere in the sentence, or in the next one
        *(
            "Would 3+4 = 8 be right?",
            "Suppose that 2+2=5",
            "It's wrong that 12*8 = 94.",
            "12*8 = 94, but that's wrong.",
        ),
        *(
            "The student wrote 3 + 4 = 8. This is incorrect.",
            "Claim: 2+2=5. False.",
            "<del>2+2=5</del>",
            "2+2=5 # wrong",
        ),
        *(
            "In base-8, 7 + 1 = 10.",
            "On a 12-hour clock, 7 + 8 = 3.",
            "20 - 25 = 5 below zero",
            "3/10 + 4/10 = 7 tenths",
        ),
        *(
            "17/5 = 3 groups, leaving 2.",
            "17/5 = 3, the rest is 2.",
            "17/5 = 3 boxes and 2 extra",
            "We round up. 17/5 = 4",
        ),
        *("1,250 * 4 = 5", "7,500/2 = 3,75", "1024 * 1024 = 1MB", "60 + 60 = 2hrs", "90/60 = 1hr 30"),
        *("1/2 = 500 ml", "3 + 4 = 8kg * 2", "| 2-1 | 1 |\n| 3-0 | 2 |"),
        *("f( 3 + 4 ) = 9", "the list ( 3, 4 ) + 2 = 5", "x ( 3 + 4 ) = 9", "2( 3 + 4 ) = 9", "(n = 3 ) + 4 = 9"),
        *("100-10% = 90", "5 million * 2 = 10 million", "2**3 + 1 = 9", "Suppose 2+2=5", "at 7:00+48 = 7:48"),
    ],
)
def test_what_is_not_certain_is_never_wrong(text):
    assert WRONG not in [verdict for verdict, _, _ in verdicts(text)]


@pytest.mark.parametrize(
    "text",
    [
        *("12*8 = 94, which is not enough.", "He got 12*8 = 94 wrong answers", "12*8 = 94 miles, 5 days a week"),
        *("Step 1 — 12*8 = 94", "Total (in dollars) — 12*8 = 94", "Total (in dollars): 12*8 = 94", "(ii) 12*8 = 94"),
        *("12*8 = 94 of 100 students", "12*8 = 94 over 3 days", "1) Total of 12*8 = 94", "In base 10, 12*8 = 94."),
        *("Wait, that's not right: 12*8 = 94.", "12*8 = 94 May flowers.", "12*8 = 94\nT-shirts are sold"),
        *("Total for week 1: 12*8 = 94", "In 2020: 12*8 = 94", "### Step 1: 12*8 = 94", "1.) 12*8 = 94"),
        *("\t- 12*8 = 94", "> - 12*8 = 94", r"12*8 = 94 \tag{1}", r"\because 12*8 = 94", "12*8 = 94 cookies left over"),
        *("In 2021 profits of 12*8 = 94 dollars", "1️⃣ 12*8 = 94", "12*8 = 94。3+4=7", "12*8 = 94、3+4=7"),
        *(
            "Think about it: 12*8 = 94",
            "The question is about apples. 12*8 = 94",
            "She ran 3 miles; 12*8 = <<12*8=94>>94",
        ),
        *("Leon is 2 months older: 12*8 = 94", "- 3+4 = 7\n- 12*8 = 94", "She has 5 since 12*8 = 94"),
        *("The problem is about apples. 17/5 = 3.", "The nearest town sells 2.5*3 = 8", "See x.org/~bob: 17/4 = 4"),
        *("12*8 = 94 and 94/2 = 47", r"\frac{12 \times 8}{4} = 25", "25/100 = 30%"),
        *(
            "( 3 + 4 ) * 2 = 15",
            r"$\left( 3 + 4 \right) \times 2 = 15$",
            r"$\bigl(3+4\bigr) * 2 = 15$",
            "(so 3 + 4 = 8 )",
        ),
        *(
            "[3+4]*2 = 15",
            "2 * [ 3 + 4 ] = 15 [1]",
            r"$\left[(3+4)\times 2\right]-1 = 12$",
            "{3 + 4}*2 = 11",
            "[12*8 = 94]",
        ),
        *("12*8 = 94kg", "12 * 8 = 94cm, so it fits", "Total: 12*8 = $94"),
        *("12*8 = 94 ≈ 94", "12*8 = 90 ≈ 90", "17 * 2 = 34 \\\\[4pt]\n12*8 &= 94"),
    ],
)
def test_words_around_a_wrong_equation_do_not_hide_it(text):
    assert WRONG in [verdict for verdict, _, _ in verdicts(text)]


@pytest.mark.parametrize(
    "text",
    [
        *("3 ÷ 1/2 = 1.5", "22/7 = 3.14 = 3 + 0.15", "2000/3 = 666.67 = 660 + 10"),
        *("2/3 = 0.7 = 7/10", "1/3 = 0.3 = 30%", "She has 3+4 = <<3+4=7>>8 apples."),
        *("€5 + $3 = $8", "$5 + €3 = 9"),
    ],
)
def test_what_is_not_certain_is_never_right(text):
    assert [verdict for verdict, _, _ in verdicts(text)] == [UNREAD]


@pytest.mark.parametrize(
    "text", ["[3+4]*2 = 14", "{[(3+4)*2]-1}*3 = 39", "{1,200+3}*2 = 2406", "3+4 = 7 [2-4]", "3+4 = 7[2-4]"]
)
def test_square_and_curly_brackets_group_as_round_ones_do(text):
    assert [verdict for verdict, _, _ in verdicts(text)] == [RIGHT]


@pytest.mark.parametrize(
    "text",
    [
        *(r"$60\times 70 = 4,\!200$", r"$12\cdot1000=12\;000$", r"$3\times 4000 = 12\text{,}000$"),
        r"$26,\!235\times 990=\boxed{25,\!972,\!650}$",
        *("2 &times; 3 + 2 = 8", "4 &times; 5 &divide; 2 = 10", "2500*2 = 5&nbsp;000", "<b>5</b>+3+4 = 12"),
        *("3 cm + 4 cm = 7 cm", "3€ + 4€ = 7€", "10 kg - 3 kg = 7 kg.", "90° - 30° = 60°"),
        *("2 ⨯ 3 + 4 = 10", "7÷2=3⋯⋯1", "7/2 = 3 reste 1", "7÷2=3あまり1", "10/3 = 3.33..."),
    ],
)
def test_signs_and_separators_of_markup_are_read(text):
    assert [verdict for verdict, _, _ in verdicts(text)] == [RIGHT]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "15/2 = 7&frac12;",
            "2 * 8 = 16 = 2<sup>4</sup>",
            "The total is 12 + 30 +\n5 + 3 = 50.",
            "1 + 2\n+3 + 4 = 10",
        ),
        *(r"12 + 30 + \\ 5 + 3 = 50", r"$\frac{\sqrt{9}}{5-4} = \frac31$", r"$\frac{\text{total}}{3+4} = 5$"),
        *(r"$34\div\frac25 = (34)\left(\frac52\right)$", "12+8 = 2 (10)", "$18+2 = 5 b$", r"$20\%$ of $(50+10) = 12$"),
        *("180°-60-50 = 70", "12€-3-2 = 7€", "½ (6 + 10) × 4 = 32", "200 * 6 = 1.2 L", "50 + 50 = £1"),
        *(
            "2/3*100 = 67%",
            "8 + 7 = 15/20",
            "In Java, 5 / 2 = 2, not 2.5",
            "7/2 = 3 (floor)",
            "### Base 8\n\n7 + 1 = 10",
        ),
        *(
            "7 + 5 = 2, carry 1",
            "the last digit of 3*4 = 2",
            "7 + 5 = 1 ten and 2 ones",
            "If a * b = a + 4b, then 3 * 4 = 19.",
        ),
        *("2024-12-25 - 2024-12-20 = 5 days", "1914-1918 = 4 years", "18.5-24.9 = 1", "123 * 45 = 5500 (2 s.f.)"),
        *(
            "Common error: 2 + 3*4 = 20",
            "True or false?\n3 + 4 = 8",
            "3 + 4 = 8, a contradiction.",
            "You can't make 2 + 2 = 5.",
        ),
        *(
            "20 - 25 = 5 degrees below zero",
            "100 - 120 = $20 over budget",
            "25 / 2 = 12... no, 12.5",
            "15/2 = 8... hmm",
        ),
        *("[7/2] = 3", r"$\left[7/2\right] = 3$", "[5/2] + [7/2] = 5", "3x + 5x = 10x"),
        *("3 cm + 4 cm = 7 cm = 0.07 m", "300 cm + 400 cm = 7 m", "8 am + 5 am = 1 am"),
    ],
)
def test_what_may_be_right_in_another_reading_is_neither_wrong_nor_right(text):
    assert {verdict for verdict, _, _ in verdicts(text)} <= {UNREAD}


def test_a_word_that_rounds_another_number_excuses_nothing():
    assert [verdict for verdict, _, _ in verdicts("There are about 30 pupils, and 31/4 = 7 groups")] == [WRONG]
    assert [verdict for verdict, _, _ in verdicts("It's about 5, because 16/3 = 5")] == [RIGHT]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "A = l × w = 12 × 8 = 94",
            "12*8 = 94 g",
            "5+3 = 9 w/ tax",
            "5+3 = 9 C) 5+3 = 10",
            "12*8 = 94 (1)",
            "94+2 = 98 (2023)",
        ),
        *(
            "The ones digits: 8+4 = 13",
            "The last digit is 2. So 48+24 = 62",
            "A clock is dear. She pays 12*8 = 94",
            "85 in C. 85+90 = 165",
        ),
        *(
            "2 - 5 = -3\n-3 + 24 = 24",
            "Here is the answer -\n12*8 = 94",
            "100 - 60 = 30 short",
            "62+30 = 94 short tons",
        ),
        *(
            "3/4 + 1/4 = 1/2",
            "2/3 + 1/3 = 1/6",
            "100-20-30 = 40 days",
            "210/7/6 = 6 days",
            "12*8 = 94&amp;",
            "12*8 = 94<sup>[2]</sup>",
        ),
        *(
            "Margin of error: 3*2 = 7",
            "She can't make more than 48+24 = 62",
            "8+7 = 16, carry the 1",
            "3+4 = 8 quarters",
            "3*4 = 13 ten-packs",
        ),
    ],
)
def test_what_only_resembles_another_reading_stays_wrong(text):
    assert WRONG in [verdict for verdict, _, _ in verdicts(text)]


@pytest.mark.parametrize(
    "text",
    ["10 + 2x + 3x = 7x", "2 hours 10 minutes + 30 minutes = 160 minutes", "1 foot 3 inches + 4 inches = 19 inches"],
)
def test_letters_and_two_units_are_no_one_unit(text):
    assert WRONG not in [verdict for verdict, _, _ in verdicts(text)]


def test_a_range_in_square_brackets_is_not_wrong():
    assert [verdict for verdict, _, _ in verdicts("[3-5] = 20")] == [UNREAD]


numbers = st.integers(0, 10**6)


@given(st.lists(st.tuples(numbers, st.sampled_from("+-*"), numbers), min_size=1, max_size=6), st.data())
def test_one_changed_result_is_the_one_finding(operations, data):
    stated = [a + b if op == "+" else a - b if op == "-" else a * b for a, op, b in operations]
    changed = data.draw(st.integers(0, len(operations) - 1))
    off = data.draw(st.integers(-(10**6), 10**6).filter(bool))
    results = [value + off if i == changed else value for i, value in enumerate(stated)]
    lines = [f"We have {a} {op} {b} = {value} of them." for (a, op, b), value in zip(operations, results, strict=True)]
    text = "\n".join(lines)
    wrong = [found for found in check_text(text) if found.verdict != RIGHT]
    assert [(found.expected, text[found.at : found.to].strip()) for found in wrong] == [
        (str(stated[changed]), str(results[changed]))
    ]


@given(st.text(st.sampled_from("0123456789+-*/=≈()$%.,|<> \n\\{}xR&"), max_size=80))
def test_no_text_makes_the_checker_raise(text):
    for found in check_text(text):
        assert found.verdict in (RIGHT, WRONG, UNREAD) and 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize(
    "piece",
    ["1+", "1+1=", "(", "= ", "\n=1", "|1+1|", "1 ", "\\frac{1}{2}", "1{,}", "$", "<<1+1=2>>", "| 3-5 | 20 |\n"],
)
def test_checking_takes_time_linear_in_the_text(piece):
    list(check_text(piece * 20_000 + "a = 3"))


def test_many_equations_of_one_line_are_checked_in_linear_time():
    """Each would look at a line of 150,000 characters."""
    found = list(check_text("We have 1.5 + 1 = 3 of them. " * 5_000))
    assert len(found) == 5_000 and {finding.verdict for finding in found} == {WRONG}


def test_no_solution_of_gsm8k_is_called_wrong_falsely(shared):
    """Its 22 wrong equations were looked at one by one: all are wrong."""
    texts = [
        json.loads(line)["answer"] for name in ("train", "test") for line in (shared / "gsm8k" / f"{name}.jsonl").open()
    ]
    found = [finding for text in texts for finding in check_text(text)]
    wrong = [finding.equation for finding in found if finding.verdict == WRONG]
    assert len(texts) == 8792 and len(wrong) == 22 and "2*8 = 24" in wrong and "3 x (8/16) = 6" in wrong
    assert sum(finding.verdict == RIGHT for finding in found) > 28_600


def test_rewards():
    texts = ["48+24 = 72, 2*3 = 7", "<<48/2=24>>24", "It is 72.", "48+24 = 72"]
    assert equation_reward([""] * 4, texts) == [0.5, 1.0, None, 1.0]
    assert equation_veto([""] * 4, texts) == [0.0, None, None, None]
    assert compute_score("", "48+24 = 72. The answer is 72.", "72") == 1.0
    assert compute_score("", "48+24 = 62. The answer is 72.", "72") == compute_score("", "none", None) == 0.0
    assert equations_right([{"role": "assistant", "content": 5}]) == 0.0


def test_a_batch_of_equal_rewards_is_named_once(capsys, monkeypatch):
    monkeypatch.setattr("revorder.integrations.trl._warned", False)
    for _ in range(3):
        equation_reward([""] * 2, ["1+1 = 2"] * 2)
    assert capsys.readouterr().err.count("all 2 rewards of a batch are 1.0") == 1
