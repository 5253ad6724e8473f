"""Ask a model on an OpenAI-compatible server, and turn its replies into traces for the judge."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any
from urllib.parse import urlsplit

from revorder.arithmetic.expression import parse_problem
from revorder.arithmetic.problem import MAX_DIGITS, OPS, Problem
from revorder.errors import ProblemError, first_line
from revorder.inference.prompts import Prompts
from revorder.methods import METHODS, find_method
from revorder.model.checkpoint import CheckpointInfo
from revorder.reading.answers import CUT

APIS = ("chat", "completions")
A_URL = "one such as http://localhost:8000/v1"
DAY = 86_400  # seconds
MAX_REPLY = 1024 * 1024  # bytes
SECRET = 6  # characters; a shorter key is a placeholder such as "none", not a secret
TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?|[\x00-\x08\x0e-\x1f\x7f-\x9f]"
)  # escapes
CUT_OFF = {
    "length",
    "content_filter",
    "max_tokens",
    "model_length",
}  # finish reasons of several servers, in lower case


def without_password(url: str) -> str:
    """Return a URL without user, password and query, for messages and results.

    >>> without_password("https://me:secret@localhost:8000/v1?key=secret")
    'https://localhost:8000/v1'
    """
    return re.sub(r"(?<=//)[^/?#]*@|\A(?!\w+://).*@|[?#].*", "", url, flags=re.DOTALL)


class Endpoint:
    """A model on an OpenAI-compatible server, with the interface of a Runtime.

    Args:
        base_url: The server's URL, such as http://localhost:8000/v1.
        model: The model's name on the server.
        method: `plain` asks for the answer in words; any other method asks for traces.
        form: The form of the traces.
        shots: The number of worked examples shown first, of the same operation with smaller operands.
        api: `chat`, or `completions`, which continues the bare question as a trained checkpoint does.
        timeout: The most seconds that a request may be silent.
        retries: How often a request is repeated on timeouts, 429 and 5xx, after growing waits.
        concurrency: The number of requests at the same time.
        key: The API key, OPENAI_API_KEY by default. If the server repeats it, it is replaced by `***`.

    Raises:
        ProblemError: A setting is not accepted, or the openai package is missing.

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
        self._key = key or os.environ.get("OPENAI_API_KEY") or "none"
        writes, form = find_method(method, form)
        try:
            parts = urlsplit(base_url)
            good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # the port is not a number
            good = False
        if not good:
            raise self._wrong(f"it is not a URL; give {A_URL}")
        if api not in APIS:
            raise self._wrong(f"api {api!r} is unknown; accepted: {', '.join(APIS)}")
        for name, value, least in (("shots", shots, 0), ("retries", retries, 0), ("concurrency", concurrency, 1)):
            if not isinstance(value, int) or value < least:
                raise self._wrong(f"{name} {value!r}; accepted: a whole number of at least {least}")
        if not 0 < timeout <= DAY:
            raise self._wrong(f"timeout {timeout!r}; accepted: seconds, more than 0, up to {DAY}")
        if not (self._key.isascii() and self._key.isprintable()):
            raise self._wrong("the key has characters that no HTTP header takes; give printable ASCII")
        try:
            import openai
        except ImportError:
            raise self._wrong("needs openai; install: pip install 'revorder[api]'") from None
        max_digits = tuple((op, MAX_DIGITS, MAX_DIGITS) for op in OPS)
        self.info = CheckpointInfo(method, form, max_digits, writes.writes_answer)
        self.prompts = Prompts(method, form, shots)
        self._limit = "max_tokens"  # the server's name of the token limit
        self.greedy = True  # False once the server refuses temperature 0
        self.reasoned = False  # whether a reply had reasoning but no text
        try:
            self._client: Any = openai.OpenAI(
                base_url=base_url,
                api_key=self._key,
                timeout=timeout,
                max_retries=retries,
                default_headers={"Accept-Encoding": "identity"},  # a few bytes of a compressed reply may be gigabytes
                http_client=openai.DefaultHttpxClient(event_hooks={"response": [limit_reply]}),
            )
        except Exception as error:  # the client raises it for a URL that it can't parse
            raise self._wrong(f"it is not a URL: {first_line(error)}; give {A_URL}") from None

    # Requests

    def generate(self, questions: Sequence[str], max_tokens: int) -> list[str]:
        """Return the raw reply to each question, such as `12+35=`, of at most `max_tokens` tokens, in order.

        A reply that was cut off at the limit ends in `…`. Raises the same ProblemErrors as `generate_each`.
        """
        return [reply for _, reply in sorted(self.generate_each(questions, max_tokens))]

    def generate_each(self, questions: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """Yield (index of the question, raw reply) as replies arrive.

        After a failure no further request is sent. Replies to requests already sent are still yielded, and then one
        ProblemError is raised: the host can't be reached, the key or the model is refused, a reply is too long, or a
        request failed after all of its retries.
        """
        yield from self._replies([parse_problem(question) for question in questions], max_tokens)

    def complete_each(self, prompts: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """Yield (index, raw reply) for any prompts, sent unchanged as a chat's only turn or a completion's prompt."""
        yield from self._replies(prompts, max_tokens)

    def _replies(self, asked: Sequence[Problem | str], max_tokens: int) -> Iterator[tuple[int, str]]:
        stop = threading.Event()

        def ask(one: Problem | str) -> str | None:
            if stop.is_set():
                return None
            try:
                return self._reply(one, max_tokens)
            except BaseException:
                stop.set()
                raise

        pool = ThreadPoolExecutor(self.concurrency)
        try:
            at = {pool.submit(ask, one): i for i, one in enumerate(asked)}
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

    def as_trace(self, problem: Problem, reply: str) -> str:
        """Return a reply as a trace for the judge: the question and the work, or for `plain` the stated answer.

        If a server shows the names of its tokens, the places in them are removed: `7₁` is 7.

        >>> Endpoint("http://localhost:8000/v1", "some-model", "lean").as_trace(Problem(12, "+", 35), "r|7₁4₂")
        '12+35=r|74'
        """
        if not METHODS[self.info.method].states_answer_only:
            reply = re.sub("(?<=[0-9])[₀-₉]+", "", reply)
        return self.prompts.as_trace(problem, reply)

    def _reply(self, asked: Problem | str, max_tokens: int) -> str:
        """Return one reply; a malformed reply is requested again, as the client does on timeouts, 429 and 5xx."""
        import openai

        found = ""
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(min(0.5 * 2 ** (attempt - 1), 8))
            try:
                choice = self._request(asked, max_tokens).choices[0]
                text = self._hidden(choice.text if self.api == "completions" else self._content(choice.message))
                text, ended = (text, False) if isinstance(asked, str) else self.prompts.until_next(text, self.api)
                cut = not ended and str(choice.finish_reason).lower() in CUT_OFF
                return text + (CUT if cut else "")
            except openai.APIResponseValidationError as error:
                found = self._said(error.message)
            except openai.APIError as error:
                raise self._failed(error) from None
            except ProblemError as error:
                raise self._wrong(str(error)) from None
            except (AttributeError, IndexError, TypeError, ValueError, RecursionError) as error:
                found = f"{type(error).__name__}: {self._said(str(error))}"
        raise self._wrong(
            f"no reply could be read, {self._times()} ({found}); give the URL of an OpenAI-compatible {self.api} API"
        )

    def _content(self, message: Any) -> str:
        """Return the text of a chat message, which some servers send in parts. Raises TypeError if it is not text."""
        content = message.content or ""
        if not content and any(getattr(message, name, None) for name in ("reasoning_content", "reasoning")):
            self.reasoned = True
        if isinstance(content, list):
            parts = [{"text": part} if isinstance(part, str) else part for part in content]
            content = "".join(part.get("text") or "" for part in parts if "text" in part.get("type", "text"))
        if not isinstance(content, str):
            raise TypeError(f"a reply of type {type(content).__name__}")
        return content

    def _request(self, asked: Problem | str, max_tokens: int) -> Any:
        """Send one request, adapted to the server: with another name of the limit, or without a temperature."""
        import openai

        limit, greedy = self._limit, self.greedy
        common: dict[str, Any] = {"model": self.model, limit: max_tokens} | ({"temperature": 0} if greedy else {})
        try:
            if self.api == "completions":
                bare = isinstance(asked, str)
                prompt, stop = (asked, None) if bare else (self.prompts.completion(asked), self.prompts.stop)
                return self._client.completions.create(prompt=prompt, stop=stop, **common)
            turns = [{"role": "user", "content": asked}] if isinstance(asked, str) else self.prompts.chat(asked)
            return self._client.chat.completions.create(messages=turns, **common)
        except openai.BadRequestError as error:
            refused = error.param or error.message
            if greedy and "temperature" in refused:
                self.greedy = False
            elif self.api == "chat" and limit == "max_tokens" and limit in refused:
                self._limit = "max_completion_tokens"
            else:
                raise
            return self._request(asked, max_tokens)

    # Failures

    def _wrong(self, what: str) -> ProblemError:
        return ProblemError(self._hidden(f"endpoint {without_password(self.url)!r}: {what}"))

    def _hidden(self, text: str) -> str:
        """Return a server's text without the key."""
        return text.replace(self._key, "***") if len(self._key) >= SECRET else text

    def _said(self, text: str) -> str:
        """Return a server's message without the key, as one line of at most 200 characters."""
        text = " ".join(TERMINAL.sub("", self._hidden(text)).split())
        return text if len(text) <= 200 else f"{text[:199]}…"

    def _times(self) -> str:
        return f"in {self.retries + 1} attempt{'s' if self.retries else ''}"

    def _failed(self, error: Any) -> ProblemError:
        import openai

        said = self._said(error.message)
        if isinstance(error, openai.APITimeoutError):
            return self._wrong(
                f"no reply within {self.timeout:g} s, {self._times()}; raise --timeout, or choose a faster server"
            )
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__
            if isinstance(cause, ProblemError):  # some versions of the package wrap a hook's error in their own
                return self._wrong(str(cause))
            return self._wrong(
                f"it can't be reached ({self._said(str(cause or said))}); give the URL of a running server"
            )
        status = getattr(error, "status_code", None)
        if status in (401, 403):
            return self._wrong(f"the key was refused ({said}); set a valid one, by default in OPENAI_API_KEY")
        if status == 404:
            served = self._served() or "a model that the server has, at a URL that mostly ends in /v1"
            return self._wrong(f"model {self.model!r} was not found ({said}); accepted: {served}")
        if status in (408, 409, 429) or (status or 0) >= 500:
            return self._wrong(f"it failed {self._times()} ({said}); try again later, or choose another server")
        return self._wrong(f"the request was refused ({said}); choose a model of the {self.api} API")

    def _served(self) -> str:
        """Return the names of the models that the server lists, or an empty text."""
        try:
            names = [self._said(model.id) for model in self._client.with_options(max_retries=0).models.list().data]
        except Exception:  # only a hint: the original failure matters more
            return ""
        return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if names[8:] else "")


def limit_reply(response: Any) -> None:
    """End a response after MAX_REPLY bytes, as a hook of the HTTP client. Raises ProblemError if it is longer."""
    if (response.headers.get("Content-Encoding") or "identity").lower() != "identity":
        raise ProblemError("its reply is compressed; turn compression off")
    # a new response of the client's class wraps the generator in the stream type that the client reads
    response.stream = type(response)(200, content=_limited(response.stream)).stream


def _limited(stream: Any) -> Iterator[bytes]:
    size = 0
    try:
        for chunk in stream:
            size += len(chunk)
            if size > MAX_REPLY:
                raise ProblemError(f"its reply is too long; accepted: at most {MAX_REPLY:,} bytes")
            yield chunk
    finally:
        stream.close()
