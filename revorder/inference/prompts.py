"""What a served model is asked, with worked examples before it, and how its reply is read as a trace."""

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

    A method that states the answer only is asked in words.

    >>> Prompts("plain", "plain").chat(Problem(12, "+", 35))
    [{'role': 'user', 'content': 'What is 12 plus 35? Reply with the number only.'}]
    """

    method: str
    form: str
    shots: int = 0

    @property
    def stop(self) -> str:
        """What ends a completion, and stands between worked examples: an empty line where traces have several.

        >>> Prompts("revorder", "compact").stop, Prompts("revorder", "expanded").stop
        ('\\n', '\\n\\n')
        """
        several = any("\n" in self._trace(Problem(948, op, 12)) for op in OPS)
        return "\n\n" if several else "\n"

    def chat(self, problem: Problem) -> list[dict[str, str]]:
        """The turns of a chat that ask a problem; raises ProblemError as `trace` does.

        >>> Prompts("lean", "lean", shots=1).chat(Problem(12, "+", 35))[-1]
        {'role': 'user', 'content': '12+35='}
        """
        turns = []
        for shown in worked_examples(problem, self.shots):
            work = shown.answer if METHODS[self.method].states_answer_only else self._trace(shown)
            turns += [{"role": "user", "content": self._asked(shown)}, {"role": "assistant", "content": work}]
        return [*turns, {"role": "user", "content": self._asked(problem)}]

    def completion(self, problem: Problem) -> str:
        """The text that a completion of a problem continues; raises ProblemError as `trace` does.

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
        """A reply up to where the model goes on with a problem of its own, and whether it does.

        A completion ends at `stop`, also where a server ignores that; a chat's reply before a further `Question:`.

        >>> Prompts("plain", "plain").until_next(" 47\\n13+1=14", "completions")
        (' 47', True)
        """
        following = re.search(re.escape(self.stop) if api == "completions" else _FURTHER, text)
        return (text[: following.start()], True) if following else (text, False)

    def as_trace(self, problem: Problem, reply: str) -> str:
        """A reply as the judge reads it: the question and the work, or the answer alone that the reply states.

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
        # authors' 12*40=12*40=r084=480: what comes after the question may begin with the question again
        if not begins or verify(joined, self.method, self.form, problem).ok:
            return joined
        return work

    def of_trained(self, problem: Problem, written: str) -> str:
        """What a model that was trained on the method wrote after the question, as the judge reads it: nothing is left
        out.

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
        """The question as the method's trace begins with it, `=` included; empty where it begins otherwise."""
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
    """A problem as BIG-bench asks it, and what to reply; the example of a remainder is never the answer.

    >>> in_words(Problem(950, "/", 12))
    'What is 950 divided by 12? Reply with the quotient and the remainder only, such as 79R5.'
    """
    question = f"What is {problem.a} {_WORDS[problem.op]} {problem.b}?"
    if not problem.remainder:
        return f"{question} Reply with the number only."
    example = "79R5" if problem.answer != "79R5" else "86R3"
    return f"{question} Reply with the quotient and the remainder only, such as {example}."


def worked_examples(problem: Problem, n: int) -> list[Problem]:
    """Up to `n` problems to show before `problem`: its operation, fewer digits where there are any, never itself.

    None is held out, since prompts may be trained on. They are the same for every problem of as many digits, so that a
    server can keep what it computed for them.

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
