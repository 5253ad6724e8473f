"""What the tests draw: numbers, problems, ways of writing them, and divisions with wrong digits to be taken back."""

from hypothesis import strategies as st

from revorder import METHODS, Problem, trace

OPS = st.sampled_from("+-*/")
FORMS = METHODS.all_forms()
ROLLING = [(name, form) for name, form in FORMS if METHODS[name].can_rollback]


def of_length(least, most):
    """Numbers of so many digits, each length as often."""
    return st.integers(least, most).flatmap(lambda n: st.integers(10 ** (n - 1), 10**n - 1))


SHORT = of_length(1, 12)
NUMBERS = st.one_of(
    st.integers(0, 99),
    SHORT,
    of_length(40, 60),
    st.sampled_from([10**6, 999999, 1000001, 900090, 10**12 - 1, 10**59, 10**60 - 1]),
)
POSITIVE = NUMBERS.map(lambda n: max(n, 1))
PROBLEMS = st.builds(lambda a, op, b: Problem(a, op, max(b, 1) if op == "/" else b), NUMBERS, OPS, NUMBERS)


def value_of(problem):
    """(value, remainder) by Python's integers."""
    a, b = problem.a, problem.b
    return divmod(a, b) if problem.op == "/" else ({"+": a + b, "-": a - b, "*": a * b}[problem.op], 0)


def answer_of(problem):
    """The answer as text, by Python's integers."""
    value, remainder = value_of(problem)
    return f"{value}R{remainder}" if remainder else str(value)


def does_not_reach(problem):
    """Whether as many leading digits of the dividend as the divisor has are less than it, and more digits follow."""
    a, b = str(problem.a), str(problem.b)
    return len(a) > len(b) and int(a[: len(b)]) < problem.b


def block_size(method, form):
    """How many digits of a multiplier or quotient a step takes."""
    return int(form) if method == "blocks" else 1


def quotient_digits(method, form, problem):
    """{step: correct digits} of a division; step -1, where the method has it, is a 0 that is not written."""
    size, digits = block_size(method, form), str(problem.a // problem.b)
    if METHODS[method].unreached_mark and does_not_reach(problem):
        digits = "0" + digits
    blocks = [digits[max(0, stop - size) : stop] for stop in range(len(digits), 0, -size)][::-1]
    return dict(enumerate(blocks, -1 if len(blocks) > 1 and blocks[0] == "0" else 0))


@st.composite
def plans(draw, method, form, problem):
    """Wrong quotient digits {step: [digits]} of a division, to be taken back, possibly none."""
    digits = quotient_digits(method, form, problem)
    steps = draw(st.lists(st.sampled_from(sorted(digits)), max_size=3, unique=True))
    wrong = {
        step: st.sampled_from([n for n in range(10 ** len(digits[step])) if n != int(digits[step])]) for step in steps
    }
    return {step: draw(st.lists(wrong[step], min_size=1, max_size=2)) for step in steps}


@st.composite
def divisions(draw, forms=ROLLING):
    """A method, a form, a division, and wrong digits to be taken back, possibly none."""
    method, form = draw(st.sampled_from(forms))
    problem = Problem(draw(NUMBERS), "/", draw(POSITIVE))
    return method, form, problem, draw(plans(method, form, problem))


@st.composite
def traces(draw):
    """A correct trace of any method and form, and how many digits it takes back."""
    method, form = draw(st.sampled_from(FORMS))
    problem = draw(PROBLEMS)
    rolls = problem.op == "/" and METHODS[method].can_rollback
    plan = draw(plans(method, form, problem)) if rolls else {}
    return trace(problem, method, form, plan), sum(map(len, plan.values()))


TRACE_TEXTS = st.builds(
    lambda method, a, op, b: trace(Problem(a, op, b), method).text,
    st.sampled_from(list(METHODS)),
    st.integers(0, 10**18),
    OPS,
    st.integers(1, 10**12),
)
