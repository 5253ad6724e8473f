"""A model behind an OpenAI-compatible server: asked over HTTP, its replies read as texts that the judge takes."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from .methods import METHODS, method_named, trace
from .problem import MAX_DIGITS, OPS, Problem, ProblemError
from .prose import CUT, stated
from .runtime import Card
from .verify import verify

APIS = ("chat", "completions")
DAY = 86_400  # seconds
SHOT_DIGITS = 4  # the most digits of an operand in a worked example
_WORDS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


class Endpoint:
    """A model that an OpenAI-compatible server serves at `base_url`, as eval takes a Runtime.

    `method`: `plain` asks for the answer in words; any other has the model write traces of that `form`, and shows it
    `shots` worked ones first, of the same operation and smaller operands. `api`: `chat`, or `completions`, which
    continues the bare question, as a trained checkpoint is asked. `timeout`: seconds a request may be silent.
    `retries`: how often a request is sent again, after growing waits, on timeouts, 429 and 5xx. `concurrency`: requests
    at once. `key`: OPENAI_API_KEY by default. Raises ProblemError for a setting that is not accepted, and where the
    openai package is missing.

    >>> Endpoint("http://localhost:8000/v1", "some-model").as_trace(Problem(12, "+", 35), "The sum is **47**.")
    '12+35=47'
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        method: str = "plain",
        form: str | None = None,
        shots: int = 0,
        api: str = "chat",
        timeout: float = 60.0,
        retries: int = 4,
        concurrency: int = 8,
        key: str | None = None,
    ) -> None:
        self.url, self.model, self.shots, self.api = base_url, model, shots, api
        self.timeout, self.retries, self.concurrency = timeout, retries, concurrency
        module, form = method_named(method, form)
        try:
            parts = urlsplit(base_url)
            good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # a port that is no number
            good = False
        if not good:
            raise self._wrong("it is no URL; accepted: one such as http://localhost:8000/v1")
        if api not in APIS:
            raise self._wrong(f"api {api!r} is unknown; accepted: {', '.join(APIS)}")
        for name, value, least in (("shots", shots, 0), ("retries", retries, 0), ("concurrency", concurrency, 1)):
            if not isinstance(value, int) or value < least:
                raise self._wrong(f"{name} {value!r}; accepted: a whole number of at least {least}")
        if not 0 < timeout <= DAY:
            raise self._wrong(f"timeout {timeout!r}; accepted: seconds, more than 0, up to {DAY}")
        try:
            import openai
        except ImportError:
            raise self._wrong("the openai package is missing; pip install 'revorder[api]'") from None
        limits = tuple((op, MAX_DIGITS, MAX_DIGITS) for op in OPS)
        answer = getattr(module, "ANSWER", True)
        self.card = Card(method, form, limits, answer, extra={"url": base_url, "model": model})
        lines = any("\n" in trace(Problem(948, op, 12), method, form).text for op in OPS)
        self.stop = "\n\n" if lines else "\n"  # ends a completion, and stands between worked examples
        self._key = key or os.environ.get("OPENAI_API_KEY") or "none"
        if not (self._key.isascii() and self._key.isprintable()):
            raise self._wrong("the key has characters that no HTTP header takes; accepted: printable ASCII")
        self._limit = "max_tokens"  # what the server calls a chat reply's most tokens
        self._client: Any = openai.OpenAI(base_url=base_url, api_key=self._key, timeout=timeout, max_retries=retries)

    # What is asked

    def messages(self, problem: Problem) -> list[dict[str, str]]:
        """The turns of a chat that ask a problem, worked examples first; raises ProblemError as `trace` does.

        >>> Endpoint("http://localhost:8000/v1", "some-model").messages(Problem(12, "+", 35))
        [{'role': 'user', 'content': 'What is 12 plus 35? Reply with the number only.'}]
        """
        turns = []
        for shown in shots(problem, self.shots):
            work = shown.answer if self.card.method == "plain" else self._trace(shown)
            turns += [
                {"role": "user", "content": self._asked(shown)},
                {"role": "assistant", "content": work},
            ]
        return [*turns, {"role": "user", "content": self._asked(problem)}]

    def prompt(self, problem: Problem) -> str:
        """The text that a completion of a problem continues, worked examples first; raises ProblemError as `trace` does.

        >>> Endpoint("http://localhost:8000/v1", "some-model", "lean", api="completions").prompt(Problem(12, "+", 35))
        '12+35='
        """
        if not self.shots:
            return f"{problem}="
        lines = []
        for shown in shots(problem, self.shots):
            work, lead = self._trace(shown), self._lead(shown)
            lines.append(work if lead else f"{shown}=\n{work}")
        lines.append(self._lead(problem) or f"{problem}=\n")
        return self.stop.join(lines)

    def _asked(self, problem: Problem) -> str:
        return in_words(problem) if self.card.method == "plain" else f"{problem}="

    def _trace(self, problem: Problem) -> str:
        return trace(problem, self.card.method, self.card.form).text

    def _lead(self, problem: Problem) -> str:
        """The question as the method's trace begins with it, `=` included; empty where it begins otherwise."""
        match = re.match(r"\s*".join(map(re.escape, f"{problem}=")), self._trace(problem))
        return match[0] if match else ""

    # Requests

    def generate(self, questions: Sequence[str], max_tokens: int) -> list[str]:
        """The raw reply to each question, such as `12+35=`, of at most `max_tokens` tokens, in order.

        A reply that was cut off there ends in `…`. Raises ProblemError as `generate_each` does.

        >>> Endpoint("http://localhost:8000/v1", "some-model").generate([], 32)
        []
        """
        replies = dict(self.generate_each(questions, max_tokens))
        return [replies[i] for i in range(len(questions))]

    def generate_each(self, questions: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """The same as they come: (index of the question, raw reply).

        After a failure no further request is sent, replies that are under way are still yielded, and then one
        ProblemError is raised: the host can't be reached, the key or the model is refused, or a request failed after
        all of its retries.

        >>> list(Endpoint("http://localhost:8000/v1", "some-model").generate_each([], 32))
        []
        """
        problems = [Problem.parse(question) for question in questions]
        stop = threading.Event()

        def ask(problem: Problem) -> str | None:
            if stop.is_set():
                return None
            try:
                return self._reply(problem, max_tokens)
            except BaseException:
                stop.set()
                raise

        pool = ThreadPoolExecutor(self.concurrency)
        try:
            at = {pool.submit(ask, problem): i for i, problem in enumerate(problems)}
            failure: BaseException | None = None
            for future in as_completed(at):
                if error := future.exception():
                    failure = failure or error
                elif (reply := future.result()) is not None:
                    yield at[future], reply
            if failure:
                raise failure
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _reply(self, problem: Problem, max_tokens: int) -> str:
        """One reply; what is no reply at all is asked for again, as the client does on timeouts, 429 and 5xx."""
        import openai

        found = ""
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(min(0.5 * 2 ** (attempt - 1), 8))
            try:
                done = self._request(problem, max_tokens)
                choice = done.choices[0]
                text = choice.text if self.api == "completions" else choice.message.content or ""
                if not isinstance(text, str):
                    raise TypeError(f"a reply of type {type(text).__name__}")
                return text + CUT if choice.finish_reason == "length" else text
            except openai.APIResponseValidationError as error:
                found = one_line(error.message)
            except openai.APIError as error:
                raise self._failed(error) from None
            except (AttributeError, IndexError, TypeError, ValueError) as error:
                found = f"{type(error).__name__}: {one_line(str(error))}"
        raise self._wrong(
            f"no reply could be read, {self._times()} ({found}); accepted: the JSON of an OpenAI-compatible {self.api} "
            "API with one of the choices"
        )

    def _request(self, problem: Problem, max_tokens: int) -> Any:
        import openai

        common = {"model": self.model, "temperature": 0}
        if self.api == "completions":
            prompt = self.prompt(problem)
            return self._client.completions.create(prompt=prompt, max_tokens=max_tokens, stop=self.stop, **common)
        turns, limit = self.messages(problem), self._limit
        try:
            return self._client.chat.completions.create(messages=turns, **common, **{limit: max_tokens})
        except openai.BadRequestError as error:
            if limit != "max_tokens" or error.param != limit:
                raise
            self._limit = "max_completion_tokens"  # the name that newer models want
            return self._request(problem, max_tokens)

    # Failures

    def _wrong(self, what: str) -> ProblemError:
        return ProblemError(f"endpoint {self.url!r}: {what}")

    def _times(self) -> str:
        return f"in {self.retries + 1} attempt{'s' if self.retries else ''}"

    def _failed(self, error: Any) -> ProblemError:
        import openai

        said = one_line(error.message if self._key == "none" else error.message.replace(self._key, "***"))
        if isinstance(error, openai.APITimeoutError):
            return self._wrong(
                f"no reply within {self.timeout:g} s, {self._times()}; accepted: a server that is faster, a longer "
                "timeout, or fewer requests at once"
            )
        if isinstance(error, openai.APIConnectionError):
            cause = one_line(str(error.__cause__ or said))
            return self._wrong(f"it can't be reached ({cause}); accepted: the URL of a server that runs")
        status = getattr(error, "status_code", None)
        if status in (401, 403):
            return self._wrong(f"the key was refused ({said}); accepted: a valid key, by default in OPENAI_API_KEY")
        if status == 404:
            served = self._served() or "a model that the server has, at a URL that mostly ends in /v1"
            return self._wrong(f"model {self.model!r} was not found ({said}); accepted: {served}")
        if status in (408, 409, 429) or (status or 0) >= 500:
            return self._wrong(f"it failed {self._times()} ({said}); accepted: a server that answers, or more retries")
        return self._wrong(
            f"the request was refused ({said}); accepted: a model of the {self.api} API at temperature 0"
        )

    def _served(self) -> str:
        """The names of the models that the server lists, empty where it does not."""
        try:
            names = [str(model.id) for model in self._client.with_options(max_retries=0).models.list().data]
        except Exception:  # it is only a hint: whatever goes wrong, the failure at hand is what counts
            return ""
        return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if names[8:] else "")

    # What was replied

    def as_trace(self, problem: Problem, reply: str) -> str:
        """A reply as a text that the judge reads: the question, and what the model wrote, or for `plain` what it states.

        >>> Endpoint("http://localhost:8000/v1", "some-model", "lean").as_trace(Problem(12, "+", 35), "r|74")
        '12+35=r|74'
        """
        if self.card.method == "plain":
            return f"{problem}={stated(reply) or ''}"
        work = reply.strip()
        if fenced := re.fullmatch(r"```\w*\n(.*?)\n?```|`([^`\n]*)`", work, re.DOTALL):
            work = (fenced[1] or fenced[2] or "").strip()
        joined = (self._lead(problem) or f"{problem}=") + work
        try:
            begins = METHODS[self.card.method].question(work) == problem
        except ProblemError:
            begins = False
        # authors' 12*40=12*40=r084=480: what comes after the question may begin with the question again
        if not begins or verify(joined, self.card.method, self.card.form, problem).ok:
            return joined
        return work


def one_line(text: str) -> str:
    """A server's message on one line, of at most 200 characters.

    >>> one_line("not\\n  found")
    'not found'
    """
    text = " ".join(text.split())
    return text if len(text) <= 200 else f"{text[:199]}…"


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


def shots(problem: Problem, n: int) -> list[Problem]:
    """Up to `n` problems to show before `problem`: its operation, fewer digits where there are any, never itself.

    They are the same for every problem of as many digits, so that a server can keep what it computed for them.

    >>> [(shown.op, len(str(shown.a)), len(str(shown.b))) for shown in shots(Problem(123, "*", 7), 2)]
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
    from .data import held_out

    return held_out(op, a, b, n, seed=0, exact=exact)
