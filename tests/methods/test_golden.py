"""Golden traces: byte for byte what each method writes. `python tests/methods/test_golden.py` writes the files
again."""

from pathlib import Path

import pytest

from revorder import METHODS, trace

FOLDER = Path(__file__).parent.parent / "golden"
NAMES = {"+": "plus", "-": "minus", "*": "times", "/": "divide"}
# carries, borrows, zeros, unequal lengths, a < b, a = b, remainders, a small dividend, a divisor 1
CASES = {
    "+": "123+46 999+1 0+0 5+1234567890123456 1005+995 0+7 7+0 5+5 12+35 1234+8766 100200+99 555555+444445",
    "-": "123-46 12-35 1000-1 105-98 77-77 5-100200 7-0 0-0 0-7 100000-99999 98-105 200100-100200",
    "*": "12*7 12*4567 120*4050 7*123 12*0 0*12 300*400 99*99 0*0 4567*12 1*90807 1001*1001",
    "/": "948/12 1212/12 950/12 7/12 0/5 84/12 183147/1 100000/7 999999/1999 12/12 1000/10 5999/60",
}
ROLLBACKS = [
    ("948/12", {0: 8}),
    ("948/12", {0: 6, 1: [8, 7]}),
    ("1212/12", {1: 1}),
    ("950/12", {1: 0}),
    ("7/12", {0: 1}),
]
LEADING = [
    ("120/48", {}),
    ("606/95", {}),
    ("119/12", {-1: 1}),
    ("100000/7", {-1: [1, 9], 1: 5}),
]  # for an unreached mark
BLOCKS = [
    ("948/12", {0: 80}),
    ("7/12", {0: 1}),
    ("802099890453/610850", {0: 2, 1: [40, 0], 2: 99}),
    ("100000/700", {0: 2}),
]  # for a step that writes several digits
FILES = [(method, op) for method in METHODS for op in NAMES]


def written(name, op):
    """The traces of the cases in every form of a method, a line with dashes after each."""
    return "".join(
        trace(problem, name, form, rollback).text + "\n----\n"
        for form in METHODS[name].forms
        for problem, rollback in [(problem, {}) for problem in CASES[op].split()]
        + wrong_digits(METHODS[name], form, op)
    )


def wrong_digits(method, form, op):
    """The divisions with wrong quotient digits that a method can take back."""
    if op != "/" or not method.can_rollback:
        return []
    return BLOCKS if method.block_digits(form) > 1 else ROLLBACKS + LEADING * bool(method.unreached_mark)


@pytest.mark.parametrize(("method", "op"), FILES)
def test_golden(method, op):
    assert written(method, op) == (FOLDER / f"{method}_{NAMES[op]}.txt").read_text()


def test_every_golden_file_is_compared():
    found = {path.name for name in NAMES.values() for path in FOLDER.glob(f"*_{name}.txt")}
    assert found == {f"{method}_{NAMES[op]}.txt" for method, op in FILES}


PAPER = {
    "12*7": "12*7=r|48=84",
    "123+46": "123+46=r|961=169",
    "12*4567": "12*4567=12*4000+12*500+12*60+12*7=r|00084+r|0006+r|027+r|48=r|00045+r|408=r|40845=54804",
    "948/12": "948/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79",
}


@pytest.mark.parametrize("problem", PAPER)
def test_the_papers_own_compact_forms(problem):
    assert trace(problem).text == PAPER[problem]


def test_the_papers_equations():
    assert trace("948/12", rollback={0: 8}).text == (
        "948/12=8R-(12*80)(r|069)(-r|21)W7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79"
    )
    assert trace("12*4567", form="expanded").text.splitlines() == [
        "12*4567",
        "=12*4000+12*500+12*60+12*7",
        "=r|00084+r|0006+r|027+r|48",
        "=(r|00084+r|0006)+(r|027+r|48)",
        "=r|00045+r|408",
        "=r|40845",
        "=54804",
    ]
    lines = trace("948/12", form="expanded", rollback={0: 8}).text.splitlines()
    assert lines[:5] == [
        "948/12",
        "=8 Rem (948-12*80)",
        "=8 Rem (948-r|069)",
        "=8 Rem (-r|21) W",
        "=7 Rem (948-12*70)",
    ]
    assert lines[5:] == [
        "=7 Rem (948-r|048)",
        "=7 Rem r|801",
        "=79 Rem (r|801-12*9)",
        "=79 Rem (r|801-r|801)",
        "=79 Rem (0)",
        "=79",
    ]


def test_the_authors_dialect():
    assert trace("948/12", "authors").text == "948/12=7R(-7*120~r048~r801)#9R(-9*12~r801~r0)=79"
    assert trace("12-40", "authors").text == "12-40=r82-=-28"
    assert trace("12-40").text == "12-40=r|82-=-28"


LEAN = {
    "948/12": "948/12=70r|48r|801#9r|801r|000=79",
    "120/48": "120/48=#2r|69r|042=2R24",  # 12 does not reach 48
    "606/95": "606/95=#6r|075r|063=6R36",
    "4567*12": "4567*12=2r|4319#10r|07654r|40845",
    "456*120": "456*120=0#20r|0219#100r|00654r|02745",  # a zero digit has no product
    "4567*102": "4567*102=2r|4319#00#100r|007654r|438564",
    "123+46": "123+46=r|961",
    "105-98": "105-98=r|700",
    "12-35": "12-35=r|77Wr|32-",
}


@pytest.mark.parametrize("problem", LEAN)
def test_the_lean_notation(problem):
    assert trace(problem, "lean").text == LEAN[problem]


def test_lean_takes_back_a_digit_where_the_divisor_does_not_fit_yet():
    assert trace("119/12", "lean", rollback={-1: 1}).text == "119/12=10r|21r|999W#9r|801r|011=9R11"


BLOCK_TEXTS = {
    ("123*4567", "2"): "123*4567=23r|140501#100r|007654r|147165",
    ("123*4567", "3"): "123*4567=r|147165",
    ("4567*1002", "2"): "4567*1002=02r|4319#1000r|0007654r|4316754",
    ("4567*1200", "2"): "4567*1200=00#1200r|0040845",
    ("950/12", "2"): "950/12=79r|849r|0020=79R2",
    ("120/48", "2"): "120/48=02r|69r|0042=2R24",  # the first block has the place where 12 does not reach 48
    ("1200/48", "2"): "1200/48=#25r|0021r|0000=25",  # and here it is that place alone
    ("1200/480", "3"): "1200/480=02r|069r|000042=2R240",
}


@pytest.mark.parametrize(("problem", "form"), BLOCK_TEXTS)
def test_the_blocks_notation(problem, form):
    assert trace(problem, "blocks", form).text == BLOCK_TEXTS[problem, form]


@pytest.mark.parametrize("op", NAMES)
def test_blocks_of_one_digit_are_lean(op):
    for problem in CASES[op].split():
        assert trace(problem, "blocks", "1").text == trace(problem, "lean").text


def test_nyes_scratchpad():
    assert trace("29+57", "scratchpad").text == (
        "2 9 + 5 7\n<scratch>\n2 9 + 5 7 , C: 0\n2 + 5 , 6 C: 1\n, 8 6 C: 0\n0 8 6\n</scratch>\n8 6"
    )


def test_mathglm_rewrites_the_whole_expression():
    assert trace("3468*4046/7424", "mathglm").text == "3468*4046/7424=14031528/7424=1890R168"
    assert trace("(1+2)*(3-5)", "mathglm").text == "(1+2)*(3-5)=3*(3-5)=3*-2=-6"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file in FILES:
        (FOLDER / f"{file[0]}_{NAMES[file[1]]}.txt").write_text(written(*file))
