"""Write the prompts for a model, with worked examples, and turn its replies into traces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from revorder.arithmetic.problem import OPS, Problem, question_in
from revorder.errors import ProblemError
from revorder.judge import verify
from revorder.methods import METHODS, trace
from revorder.reading.answers import extract_answer
from revorder.reading.scanner import final_part

SHOT_DIGITS = 4  # the most digits of an operand in a worked example
_FURTHER = r"(?i)(?<=\S)\s*\n\W*(?:question|q)\s?[0-9]*\W?:"  # the next problem of a chat's reply
_WORDS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts for traces in a `form` of a `method`, after up to `shots` worked examples.

    If the method only states the answer, the question is asked in words.

    >>> Prompts("plain", "plain").chat(Problem(12, "+", 35))
    [{'role': 'user', 'content': 'What is 12 plus 35? Reply with the number only.'}]
    """

    method: str
    form: str
    shots: int = 0

    @property
    def stop(self) -> str:
        """The end of a completion and the separator of worked examples: an empty line if traces span several lines.

        >>> Prompts("revorder", "compact").stop, Prompts("revorder", "expanded").stop
        ('\\n', '\\n\\n')
        """
        several = any("\n" in self._trace(Problem(948, op, 12)) for op in OPS)
        return "\n\n" if several else "\n"

    def chat(self, problem: Problem) -> list[dict[str, str]]:
        """Return the turns of a chat that asks a problem. Raises the same ProblemErrors as `trace`.

        >>> Prompts("lean", "lean", shots=1).chat(Problem(12, "+", 35))[-1]
        {'role': 'user', 'content': '12+35='}
        """
        turns = []
        for shown in worked_examples(problem, self.shots):
            work = shown.answer if METHODS[self.method].states_answer_only else self._trace(shown)
            turns += [{"role": "user", "content": self._asked(shown)}, {"role": "assistant", "content": work}]
        return [*turns, {"role": "user", "content": self._asked(problem)}]

    def completion(self, problem: Problem) -> str:
        """Return the prompt that a completion continues. Raises the same ProblemErrors as `trace`.

        >>> Prompts("lean", "lean").completion(Problem(12, "+", 35))
        '12+35='
        """
        if not self.shots:
            return f"{problem}="
        pieces = []
        for shown in worked_examples(problem, self.shots):
            work = self._trace(shown)
            pieces.append(work if self._lead(shown) else f"{shown}=\n{work}")
        return self.stop.join([*pieces, self._lead(problem) or f"{problem}=\n"])

    def until_next(self, text: str, api: str) -> tuple[str, bool]:
        """Return a reply up to a further problem that the model made up, and whether there is such a problem.

        A completion ends at `stop`, even if the server ignores it. A chat's reply ends before a further `Question:`.

        >>> Prompts("plain", "plain").until_next(" 47\\n13+1=14", "completions")
        (' 47', True)
        """
        following = re.search(re.escape(self.stop) if api == "completions" else _FURTHER, text)
        return (text[: following.start()], True) if following else (text, False)

    def as_trace(self, problem: Problem, reply: str) -> str:
        """Return a reply as a trace for the judge: the question and the work, or only the stated answer.

        >>> Prompts("lean", "lean").as_trace(Problem(12, "+", 35), "r|74")
        '12+35=r|74'
        """
        method = METHODS[self.method]
        if method.states_answer_only:
            return f"{problem}={extract_answer(reply) or ''}"
        work = without_fence(reply)
        joined = (self._lead(problem) or f"{problem}=") + work
        try:
            begins = method.parse_question(work) == problem
        except ProblemError:
            begins = False
        # the work may repeat the question, as in the authors' 12*40=12*40=r084=480
        if not begins or verify(joined, self.method, self.form, problem).ok:
            return joined
        return work

    def of_trained(self, problem: Problem, written: str) -> str:
        """Return the output of a model trained on the method as a trace for the judge, with nothing left out.

        >>> Prompts("goat", "goat").of_trained(Problem(13, "/", 12), "13 - 12 * 1 = 13 - 12 = 1")
        '13 - 12 * 1 = 13 - 12 = 1'
        """
        question = f"{problem}="
        if METHODS[self.method].states_answer_only or self._lead(problem) == question:
            return question + written
        return self.as_trace(problem, written)

    def _asked(self, problem: Problem) -> str:
        return in_words(problem) if METHODS[self.method].states_answer_only else f"{problem}="

    def _trace(self, problem: Problem) -> str:
        return trace(problem, self.method, self.form).text

    def _lead(self, problem: Problem) -> str:
        """Return the question as the method's trace starts with it, `=` included, or an empty text if it doesn't."""
        return question_in(problem, self._trace(problem))


def without_fence(reply: str) -> str:
    """Return a reply without reasoning, end tokens, and the Markdown fence or backticks around the whole of it.

    >>> without_fence("```text\\nr|74\\n```"), without_fence(" `r|74`")
    ('r|74', 'r|74')
    """
    reply = final_part(reply).strip()
    fenced = re.fullmatch(r"```\w*\n(.*?)\n?```|`([^`\n]*)`", reply, re.DOTALL)
    return (fenced[1] or fenced[2] or "").strip() if fenced else reply


def in_words(problem: Problem) -> str:
    """Return BIG-bench's question for a problem, and the format of the reply; its example is never the answer.

    >>> in_words(Problem(950, "/", 12))
    'What is 950 divided by 12? Reply with the quotient and the remainder only, such as 79R5.'
    """
    question = f"What is {problem.a} {_WORDS[problem.op]} {problem.b}?"
    if not problem.remainder:
        return f"{question} Reply with the number only."
    example = "79R5" if problem.answer != "79R5" else "86R3"
    return f"{question} Reply with the quotient and the remainder only, such as {example}."


def worked_examples(problem: Problem, n: int) -> list[Problem]:
    """Return up to `n` problems to show before `problem`: the same operation, fewer digits if possible, never itself.

    None of them is held out, because others may train on prompts. Problems with the same numbers of digits get the
    same examples, so a server can reuse its prompt cache.

    >>> [(shown.op, len(str(shown.a)), len(str(shown.b))) for shown in worked_examples(Problem(123, "*", 7), 2)]
    [('*', 2, 1), ('*', 2, 1)]
    """
    a, b = len(str(problem.a)), len(str(problem.b))
    a = max(1, min(a - 1, SHOT_DIGITS))
    b = max(1, min(b - 1, SHOT_DIGITS if problem.op != "/" else a // 2))
    same = [(problem.a, problem.b), *([(problem.b, problem.a)] if problem.op in "+*" else [])]
    pool = _pool(problem.op, a, b, n + len(same), not problem.remainder) if n else []
    return [shown for shown in pool if (shown.a, shown.b) not in same][:n]


@lru_cache(maxsize=256)
def _pool(op: str, a: int, b: int, n: int, exact: bool) -> list[Problem]:
    from revorder.mixtures.sampling import distinct
    from revorder.mixtures.split import is_held_out

    return distinct(op, a, b, n, 0, exact, lambda a, op, b: not is_held_out(a, op, b))
