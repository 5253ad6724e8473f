"""The engine of the exported page, in Node: it writes, reads, reduces and judges what Python does."""

import random

import pytest
from node import ask_node

from revorder import Problem, ProblemError, trace
from revorder.arithmetic.expression import Expression
from revorder.arithmetic.reduction import run_exactly
from revorder.evaluation.suites import EXTRA, SMALL, Draw, columns
from revorder.inference.ctranslate import Runtime
from revorder.integrations.page.export import export_page
from revorder.judge import best_replay
from revorder.methods import METHODS
from revorder.model.tokenizer import Tokenizer

EXPRESSIONS = """
902/129  10/4  12 × 4,567  [12+34]*2-100  -7/2  7/-2  --5  +5  2-0  0-0  -3-5  3--5  (943+12)/12  5/3+1  1/0  1/(2-2)
1.5*2.25+10%  2/3-10%  7//2  -7//2  7//-2  -7.5//2  $1,000.50-10%  .5+.5  10%  1/3*3  1/3+1/6  2/3  20/3%  1e5
2 x 3  2x3  2 x -1  2x-1  0x1f  2**3  2^3  ((2)  2)  (2]  [2]  {3}*2  2+  *2  2 3  2(3)  1,234.5+1  1,23  12_345*2
948 ÷ (5+7) =?  12÷÷3  ２＋３  5−7  7–2  5 %  50%%  1.2.3  1..2  .  ()  x  100000000000000000000*3.5  0.1+0.2  0.125*8
5⋅3  5∙3  5✕3  5✖3  €5+€3  €5+$3  -$5*(£2-1)
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "page.html"
    export_page(None, out)
    return out


def item(problem):
    return [str(problem.a), problem.op, str(problem.b)]


def drawn_problems(count):
    """Problems of all kinds, with zeros, nines and equal beginnings among their digits."""
    draw = random.Random(7)

    def number():
        digits = draw.choice(["0123456789", "09", "019"])
        return int("".join(draw.choice(digits) for _ in range(draw.randint(1, 12))))

    for _ in range(count):
        a, op, b = number(), draw.choice("+-*/"), number()
        yield Problem(a, op, max(b, 1) if op == "/" else b)


def test_the_model_writes_what_ctranslate2_writes(page):
    tasks = columns(SMALL + EXTRA, Draw("+-*/", 6, seed=11))
    problems = [problem for task in tasks.values() for problem in task]
    assert len(tasks) == 32 and len(problems) > 180
    runtime = Runtime()
    limits = [runtime.info.max_new_tokens(problem) for problem in problems]
    texts = runtime.generate([f"{problem}=" for problem in problems], max(limits))
    requests = [{"do": "write", "question": f"{p}=", "limit": n} for p, n in zip(problems, limits, strict=True)]
    assert [reply["reply"] for reply in ask_node(page, requests)] == texts


def test_tokens_limits_and_what_is_covered(page):
    runtime = Runtime()
    texts = ["123+46=r|961", "-r|21- \n", "1" * 60, f"r|{'1' * 60}=", "W#R()abc"]
    problems = [*drawn_problems(60), Problem(10**20, "+", 1), Problem(10**19, "+", 10**19), Problem(7, "*", 10**7)]
    replies = ask_node(page, [{"do": "encode", "text": text} for text in texts])
    assert [reply["reply"] for reply in replies] == [Tokenizer(runtime.info.places).encode(text) for text in texts]
    replies = ask_node(page, [{"do": "limit", "problem": item(problem)} for problem in problems])
    assert [reply["reply"] for reply in replies] == [runtime.info.max_new_tokens(problem) for problem in problems]
    replies = ask_node(page, [{"do": "covers", "problem": item(problem)} for problem in problems])
    assert [reply["reply"] for reply in replies] == [runtime.info.covers(problem) for problem in problems]


@pytest.mark.parametrize(("method", "form"), [("lean", "lean"), ("blocks", "2"), ("blocks", "3")])
def test_traces_and_verdicts_are_pythons(page, method, form):
    draw = random.Random(form)
    size = METHODS[method].block_digits(form)
    problems = list(drawn_problems(250))
    replies = ask_node(page, [{"do": "trace", "problem": item(problem), "size": size} for problem in problems])
    assert [reply["reply"] for reply in replies] == [trace(problem, method, form).text for problem in problems]
    texts = []
    for problem in problems:  # right, with wrong digits taken back, and with any character changed
        steps = METHODS[method].quotient_steps(problem.a, problem.b, form) if problem.op == "/" else {}
        wrong = {i: draw.choice([n for n in range(10) if n != int(right)]) for i, right in steps.items()}
        plan = {i: wrong[i] for i in steps if draw.random() < 0.4}
        text = trace(problem, method, form, plan, answer=draw.choice([None, True])).text
        at = draw.randrange(text.index("=") + 1, len(text) + 1)
        spoiled = text[:at] + draw.choice("0123456789Wr|#R=- ") + text[at + draw.randint(0, 1) :]
        texts.append(draw.choice([text, spoiled, spoiled, text[:at]]))
    requests = [
        {"do": "judge", "problem": item(p), "text": text, "size": size} for p, text in zip(problems, texts, strict=True)
    ]
    expected = [
        best_replay(METHODS[method], form, problem, "".join(text.split()))
        for problem, text in zip(problems, texts, strict=True)
    ]
    assert [reply["reply"] for reply in ask_node(page, requests)] == [
        {"ok": one.ok, "at": one.at, "rollbacks": one.rollbacks} for one in expected
    ]
    assert {one.ok for one in expected} == {True, False}


def expected_answer(text, decimals):
    try:
        answer = run_exactly(Expression.parse(text).reduce_to_answer(decimals))
    except ProblemError:
        return None
    return {"text": answer.text, "rounded": answer.rounded}


def test_expressions_are_read_and_reduced_as_python_does(page):
    draw = random.Random(5)
    texts = [text for line in EXPRESSIONS.splitlines() for text in line.split("  ") if text]
    for _ in range(300):
        numbers = [draw.choice(["", "-"]) + draw.choice(["7", "120", "0.5", "2.25", "3%", "9999"]) for _ in range(4)]
        a, b, c, d = (draw.choice("+-*/") for _ in range(4))
        texts.append("{0}{a}({1}{b}{2}){c}{3}".format(*numbers, a=a, b=b, c=c) + draw.choice(["", f"{d}8"]))
    texts += [str(problem) for problem in drawn_problems(50)] + ["1" * 2001, "9" * 2000 + "*9+1"]
    requests = [{"text": text, "decimals": draw.choice([None, None, 0, 3, 6])} for text in texts]
    replies = ask_node(page, [{"do": "answer"} | request for request in requests])
    for request, reply in zip(requests, replies, strict=True):
        assert reply.get("reply") == expected_answer(**request), request
        assert ("refused" in reply) != ("reply" in reply)
