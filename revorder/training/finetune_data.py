"""The data for fine-tuning: equations of a mixture, or a corpus of questions and answers."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Protocol

from revorder.arithmetic.problem import OPS
from revorder.corpora import enhancement, gsm8k
from revorder.corpora.gsm8k import question_prompt
from revorder.errors import ProblemError, first_line, quote
from revorder.methods import METHODS, full_name
from revorder.mixtures.mixture import MIXTURES, Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.targets import Pair, as_pair
from revorder.reading.checking import check_text
from revorder.reading.numbers import NOTATIONS
from revorder.reading.sides import WRONG

ENHANCEMENT_SIZE = 2000  # samples of appendix C's enhancement data
SOURCES = (
    f"a mixture ({', '.join(sorted(path.stem for path in MIXTURES.glob('*.yaml')))}, or a YAML file), gsm8k,"
    " enhancement, enhancement@@, a JSONL file, or a Hugging Face dataset's name"
)


class Source(Protocol):
    """Examples by index, always the same for the same arguments."""

    def __len__(self) -> int:
        """Return the number of examples in an epoch."""
        ...

    def pairs(self, epoch: int, start: int, stop: int) -> Iterator[Pair]:
        """Yield examples `start` to `stop` of an epoch."""
        ...


class Equations:
    """The equations of a mixture, the same in each epoch, with prompts such as `12+35=`."""

    def __init__(self, mixture: Mixture, seed: int) -> None:
        self.mixture, self.seed = mixture, seed
        self.digest = digest_of(mixture.model_dump_json())

    def __len__(self) -> int:
        return self.mixture.size

    def pairs(self, epoch: int, start: int, stop: int) -> Iterator[Pair]:
        """Yield equations `start` to `stop`."""
        learn_estimates = self.mixture.estimate_digits > 0
        for example in sampler(self.mixture).examples(self.seed, start, stop):
            yield as_pair(example, learn_estimates)


class Corpus:
    """Prompts and completions, shuffled again in each epoch."""

    def __init__(self, rows: Iterable[tuple[str, str]], seed: int) -> None:
        self.rows, self.seed = list(rows), seed
        self.digest = digest_of(json.dumps(self.rows))
        self._order: tuple[int, list[int]] = (-1, [])

    def __len__(self) -> int:
        return len(self.rows)

    def pairs(self, epoch: int, start: int, stop: int) -> Iterator[Pair]:
        """Yield examples `start` to `stop` in the order of the epoch; the whole completion is learned."""
        if self._order[0] != epoch:
            order = list(range(len(self.rows)))
            random.Random(f"{self.seed}:{epoch}").shuffle(order)
            self._order = (epoch, order)
        for i in self._order[1][start:stop]:
            prompt, completion = self.rows[i]
            yield Pair(prompt, [(completion, True)])


class InTurn:
    """Several sources, one after the other in each epoch (appendix C)."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources

    def __len__(self) -> int:
        return sum(map(len, self.sources))

    def unseen(self, examples: int) -> int:
        """Return the number of sources that the first `examples` examples don't reach."""
        firsts = accumulate(map(len, self.sources), initial=0)
        return sum(first >= examples for first, _ in zip(firsts, self.sources, strict=False))

    def pairs(self, epoch: int, start: int, stop: int) -> Iterator[Pair]:
        """Yield examples `start` to `stop` of an epoch."""
        first = 0
        for source in self.sources:
            low, high = max(0, start - first), min(len(source), stop - first)
            if low < high:
                yield from source.pairs(epoch, low, high)
            first += len(source)


class Mixed:
    """A source with a share of other text among its examples, which keeps a model's language."""

    def __init__(self, source: InTurn, other: Corpus, share: float) -> None:
        self.source, self.other, self.share = source, other, share

    def __len__(self) -> int:
        return round(len(self.source) / (1 - self.share))

    def unseen(self, examples: int) -> int:
        """Return how many of the sources the first `examples` don't reach."""
        return self.source.unseen(round(examples * (1 - self.share)))

    def pairs(self, epoch: int, start: int, stop: int) -> Iterator[Pair]:
        """Yield examples `start` to `stop` of an epoch; the other text continues from epoch to epoch."""
        size, others = len(self.source), len(self.other)
        for i in range(start, stop):
            before = int(i * self.share)  # examples of the other text until here
            if int((i + 1) * self.share) > before:
                turn, at = divmod(epoch * int(len(self) * self.share) + before, others)
                yield from self.other.pairs(turn, at, at + 1)
            else:
                at = min(i - before, size - 1)
                yield from self.source.pairs(epoch, at, at + 1)


# Reading


def read_source(name: str, seed: int, method: str | None = None) -> Equations | Corpus:
    """Return the examples of a data source.

    Args:
        name: A mixture, gsm8k, enhancement, a JSONL file, or the name of a Hugging Face dataset.
        seed: The seed that draws or shuffles the examples.
        method: The method that writes a mixture's traces, instead of the mixture's own.

    Raises:
        ProblemError: The source is missing, unreadable or empty, or is given a method without being a mixture.
    """
    if (MIXTURES / f"{name}.yaml").exists() or Path(name).suffix in (".yaml", ".yml"):
        mixture = Mixture.read(name)
        return Equations(written_by(mixture, method) if method else mixture, seed)
    if method:
        raise ProblemError(f"method {method!r} with data {name!r}; give a mixture, whose traces it writes")
    kind, _, notation = name.partition("@@")
    if kind == "enhancement" and not notation:
        notation = NOTATIONS[kind != name]
        rows = enhancement.examples(seed, 0, ENHANCEMENT_SIZE, notation)
        return Corpus(((question_prompt(row.question), row.answer) for row in rows), seed)
    path = Path(name)
    if path.is_file():
        rows = read_rows(path)
    elif name == "gsm8k" or path.is_dir() or ("/" in name and not path.suffix):
        rows = (tuple(row) for row in gsm8k.load(None if name == "gsm8k" else name))
        rows = ((question_prompt(question), answer) for question, answer in rows)
    else:
        raise ProblemError(f"data {name!r} does not exist; give {SOURCES}")
    corpus = Corpus(rows, seed)
    if not len(corpus):
        raise ProblemError(f"data {name!r} is empty; give {SOURCES}")
    return corpus


def refuse_wrong(name: str, source: Equations | Corpus) -> None:
    """Raise ProblemError if the completions of a corpus state wrong equations; a mixture states none."""
    rows = source.rows if isinstance(source, Corpus) else []
    wrong = [
        (number, found.equation)
        for number, (_, completion) in enumerate(rows, 1)
        for found in check_text(completion)
        if found.verdict == WRONG
    ]
    if wrong:
        number, first = wrong[0]
        raise ProblemError(
            f"data {name!r}: {len(wrong):,} wrong equations, such as {quote(first)} in row {number}; "
            "mend them (revorder check --fix), or leave out --check"
        )


def read_rows(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (prompt, completion) of each line of a JSONL file, from these keys or from question and answer.

    Raises ProblemError that names the file and the line.
    """
    number = 0
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for line in lines:
                number += 1
                if line.strip():
                    yield read_row(json.loads(line))
    except OSError as error:
        raise ProblemError(f"data {str(path)!r} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"data {str(path)!r}, line {number or 1}: {first_line(error)}") from None


def read_row(row: object) -> tuple[str, str]:
    """Return the prompt and the completion of a record.

    >>> read_row({"question": "1+1?", "answer": "2"})
    ('Question: 1+1?\\nAnswer:\\n', '2')
    """
    if isinstance(row, dict):
        if isinstance(row.get("text"), str) and row["text"] and "completion" not in row:
            row["text"].encode()  # raises ValueError at half a surrogate, as below
            return "", row["text"]
        for keys in (("prompt", "completion"), ("question", "answer")):
            texts = [row.get(key) for key in keys]
            if all(isinstance(text, str) for text in texts) and texts[1]:
                first, second = texts
                f"{first}{second}".encode()  # raises ValueError at a lone surrogate, which no tokenizer takes
                return (first if keys[0] == "prompt" else question_prompt(first)), second
    raise ProblemError("no text to learn; give prompt and completion, question and answer, or text")


def written_by(mixture: Mixture, method: str) -> Mixture:
    """Return the mixture with another method, without deliberate errors if that method has no rollback.

    >>> written_by(Mixture.read("paper"), "plain").rollback == 0
    True
    """
    settings = mixture.model_dump(exclude={"form", "answer"}) | {"method": method}
    if method in METHODS and not METHODS[method].can_rollback:
        settings |= {"rollback": 0, "estimate_digits": 0}
    return Mixture.check(settings, f"mixture {mixture.name!r} by method {method!r}")


def join_mixtures(mixtures: Sequence[Mixture]) -> Mixture | None:
    """Return a mixture with the parts of all mixtures, or None without any.

    Raises ProblemError if the mixtures have different methods, forms or answers.
    """
    if not mixtures:
        return None
    ways = {(mixture.method, mixture.form, mixture.answer) for mixture in mixtures}
    if len(ways) > 1:
        named = ", ".join(f"{mixture.name} {full_name(mixture.method, mixture.form)}" for mixture in mixtures)
        raise ProblemError(f"data {named}: a model writes one method; give mixtures of one, or --method for all")
    return mixtures[0].model_copy(update={"parts": tuple(chain.from_iterable(one.parts for one in mixtures))})


def digest_of(text: str) -> str:
    """Return a short digest of a text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def trained_digits(mixture: Mixture) -> tuple[tuple[str, int, int], ...]:
    """Return (op, digits of the longer operand, of the shorter) of each kind of problem in a mixture.

    >>> trained_digits(Mixture.read("small"))
    (('+', 5, 5), ('-', 5, 5), ('*', 5, 1))
    """
    found = []
    for part in mixture.parts:
        a, b = part.a[1], part.b[1]
        found.append((part.op, *((a, b) if part.op == "/" else (max(a, b), min(a, b)))))
    return tuple(sorted(dict.fromkeys(found), key=lambda limit: OPS.index(limit[0])))
