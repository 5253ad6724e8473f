"""What so many tokens of a mixture take: examples, shards, storage and core-hours, from rates measured on this machine.

python benchmarks/scale.py [paper lean ...] [--tokens 1e12] [--tokenizer FOLDER] [--shard-size 5000000] [--count 50000]

Seconds are of processor time, so that other work on the machine matters less. "New" is the expected share of examples
whose problem is not among those before, hard cases aside.
"""

from __future__ import annotations

import argparse
import statistics
import time
from math import expm1
from tempfile import TemporaryDirectory

from revorder.evaluation.tables import markdown
from revorder.files import digest
from revorder.metrics.token_cost import Count, counter
from revorder.mixtures.mixture import Mixture, MixturePart
from revorder.mixtures.sampling import sampler
from revorder.mixtures.shards import Run, plan_shards, write_shard

ROUNDS = 3


def seconds(work, *arguments) -> float:
    """Processor time of a call."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def rates(mixture: Mixture, count: int, tokens: Count) -> dict[str, float]:
    """Seconds, bytes and tokens an example; `digest` is the seconds a byte of looking at a shard again."""
    with TemporaryDirectory() as folder:
        writing: dict[str, list[float]] = {"jsonl": [], "parquet": []}
        size = {}
        for format, seed in ((format, seed) for seed in range(ROUNDS) for format in writing):
            [job] = plan_shards(Run(mixture, seed, folder, count, count, format))[1]
            writing[format].append(seconds(write_shard, job) / count)
            size[format] = job.file.stat().st_size
            if format == "jsonl":
                again = seconds(digest, job.file) / size[format]
    texts = [example.text for example in sampler(mixture).examples(0, 0, min(count, 10_000))]
    return {
        "tokens": sum(map(tokens, texts)) / len(texts),
        "digest": again,
        **{f"{format} seconds": statistics.median(writing[format]) for format in writing},
        **{f"{format} bytes": size[format] / count for format in writing},
    }


def chance(part: MixturePart, a: int, b: int) -> float:
    """The probability that a part, its digit counts uniform, draws these operands; as they stand, where it may swap."""
    a_digits, b_digits = len(str(a)), len(str(b))
    least = max(part.a[0], b_digits) if part.op == "/" else part.a[0]
    if not (least <= a_digits <= part.a[1] and part.b[0] <= b_digits <= part.b[1]):
        return 0
    given = 1 / span(a_digits)
    if part.op == "/":
        given = part.remainder * given + (a % b == 0) * (1 - part.remainder) * min(1, b * given)
    return given / (part.a[1] - least + 1) / (part.b[1] - part.b[0] + 1) / span(b_digits)


def span(digits: int) -> int:
    """How many numbers have so many digits."""
    return 9 * 10 ** (digits - 1) + (digits == 1)


def new_share(mixture: Mixture, examples: float, count: int = 5000) -> float:
    """The expected number of different problems among so many examples, divided by it."""
    parts = tuple(part.model_copy(update={"hard": 0}) for part in mixture.parts)
    total = sum(part.weight for part in parts)
    shares = []
    for _, a, op, b, _ in sampler(mixture.model_copy(update={"parts": parts})).problems(0, 0, count):
        times = 0.0
        for part in parts:
            if part.op == op:
                ways = [(a, b), (b, a)] if part.swap_operands else [(a, b)]
                times += examples * part.weight / total * sum(chance(part, *way) for way in ways) / len(ways)
        shares.append(-expm1(-times) / times)
    return statistics.mean(shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mixtures", nargs="*", default=["paper", "lean"])
    parser.add_argument("--tokens", type=float, default=1e12)
    parser.add_argument(
        "--tokenizer", help="a Hugging Face tokenizer's folder; a character a token and `r|` one otherwise"
    )
    parser.add_argument("--shard-size", type=int, default=5_000_000)
    parser.add_argument("--count", type=int, default=50_000)
    arguments = parser.parse_args()
    names = [
        "tokens per example",
        "examples per second and core",
        "examples",
        "share with a new problem",
        "shards",
        "GB per shard",
    ]
    names += ["JSONL, TB", "Parquet, TB", "core-hours, JSONL", "core-hours, Parquet", "core-hours to check each shard"]
    columns = []
    for name in arguments.mixtures:
        mixture = Mixture.read(name)
        rate = rates(mixture, arguments.count, counter(arguments.tokenizer))
        examples = arguments.tokens / rate["tokens"]
        columns.append(
            [
                f"{rate['tokens']:.1f}",
                f"{1 / rate['jsonl seconds']:,.0f}",
                f"{examples / 1e9:.1f} billion",
                f"{100 * new_share(mixture, examples):.0f}%",
                f"{-(-examples // arguments.shard_size):,.0f}",
                f"{arguments.shard_size * rate['jsonl bytes'] / 1e9:.2f}",
                *(f"{examples * rate[f'{format} bytes'] / 1e12:.2f}" for format in ("jsonl", "parquet")),
                *(f"{examples * rate[f'{format} seconds'] / 3600:,.0f}" for format in ("jsonl", "parquet")),
                f"{examples * rate['jsonl bytes'] * rate['digest'] / 3600:.1f}",
            ]
        )
    print(
        markdown(
            [f"{arguments.tokens:.3g} tokens", *arguments.mixtures], list(map(list, zip(names, *columns, strict=True)))
        )
    )


if __name__ == "__main__":
    main()
