"""reasoning-gym's datasets of arithmetic: problems from our sampler, scored 0 or 1 by the judge.

from revorder.integrations import reasoning_gym as ours

ours.register()
data = reasoning_gym.create_dataset("revorder_division", max_a_digits=12, max_b_digits=6, seed=0)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from revorder.arithmetic.expression import parse_problem
from revorder.corpora.bigbench import NAMES
from revorder.errors import ProblemError, needs
from revorder.inference.prompts import Prompts
from revorder.judge import verify
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler

with needs("these datasets", "reasoning-gym"):
    from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition, ScalarAttributeDefinition
    from reasoning_gym.dataset import ProceduralDataset
    from reasoning_gym.factory import DATASETS, register_dataset


@dataclass
class ArithmeticConfig:
    """The questions of a dataset: `a op b` in words, asking for the answer, or for the work in a `form` of a `method`.

    `hard` is the share of hard cases, `remainder` the share of divisions that may leave a remainder, `shots` the number
    of worked examples before each question. reasoning-gym draws a `seed` if it is None.
    """

    op: str = "+"
    min_a_digits: int = 1
    max_a_digits: int = 4
    min_b_digits: int = 1
    max_b_digits: int = 4
    hard: float = 0.0
    remainder: float = 0.0
    method: str = "plain"
    form: str | None = None
    shots: int = 0
    seed: int | None = None
    size: int = 500

    def mixture(self) -> Mixture:
        """Return the mixture that problems are drawn from; raises ProblemError that names the wrong key.

        >>> ArithmeticConfig(method="lean").mixture().form
        'lean'
        """
        part = {
            "op": self.op,
            "a": [self.min_a_digits, self.max_a_digits],
            # a divisor is never longer than the dividend, so a curriculum may raise them one by one
            "b": [
                self.min_b_digits,
                min(self.max_b_digits, self.max_a_digits) if self.op == "/" else self.max_b_digits,
            ],
            "hard": self.hard,
            "remainder": self.remainder,
        }
        settings = {"method": self.method, "form": self.form or "", "parts": [part]}
        return Mixture.check(settings, f"dataset {name_of(self.op)!r}")

    def validate(self) -> None:
        """Raise ProblemError if a setting is not accepted."""
        self.mixture()
        if self.shots < 0:
            raise ProblemError(f"dataset {name_of(self.op)!r}: key 'shots' is {self.shots}; accepted: at least 0")


@dataclass
class AdditionConfig(ArithmeticConfig):
    op: str = "+"


@dataclass
class SubtractionConfig(ArithmeticConfig):
    op: str = "-"


@dataclass
class MultiplicationConfig(ArithmeticConfig):
    op: str = "*"


@dataclass
class DivisionConfig(ArithmeticConfig):
    op: str = "/"
    max_b_digits: int = 2


CONFIGS: tuple[type[ArithmeticConfig], ...] = (
    AdditionConfig,
    SubtractionConfig,
    MultiplicationConfig,
    DivisionConfig,
)
LEVELS = {  # digits of the first operand and of the second, level by level
    "+": ((2, 4, 8, 12, 16), (2, 4, 8, 12, 16)),
    "-": ((2, 4, 8, 12, 16), (2, 4, 8, 12, 16)),
    "*": ((2, 3, 4, 6, 8), (1, 2, 3, 4, 6)),
    "/": ((2, 4, 6, 9, 12), (1, 2, 3, 4, 6)),
}
HARD_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4)


class ArithmeticDataset(ProceduralDataset):
    """Items that are pure functions of (seed, index), none of them held out."""

    category = "arithmetic"

    def __init__(self, config: ArithmeticConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self.sampler = sampler(config.mixture())
        self.prompts = Prompts(config.method, self.sampler.mixture.form, config.shots)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        """Return the item at an index: question, answer (or the whole work), and, for its score, metadata."""
        example = self.sampler.example(self.seed, idx)
        problem, config = example.problem, self.config
        asked = self.prompts.completion if config.shots else lambda one: self.prompts.chat(one)[-1]["content"]
        return {
            "question": asked(problem),
            "answer": problem.answer if self.sampler.method.states_answer_only else example.text,
            "metadata": {
                "source_dataset": name_of(config.op),
                "source_index": idx,
                "problem": str(problem),
                "method": self.prompts.method,
                "form": self.prompts.form,
                "difficulty": {
                    "a_digits": (config.min_a_digits, config.max_a_digits),
                    "b_digits": (config.min_b_digits, config.max_b_digits),
                    "hard": config.hard,
                },
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """Return 1.0 if every step of the answer is right, or the number that it states is exact, else 0.0."""
        if not isinstance(answer, str):
            return 0.0
        about = entry["metadata"]
        problem, prompts = parse_problem(about["problem"]), Prompts(about["method"], about["form"])
        return float(verify(prompts.as_trace(problem, answer), prompts.method, prompts.form, problem).ok)


class ArithmeticCurriculum(BaseCurriculum):
    """Longer operands and more hard cases, level by level."""

    def __init__(self, config: type[ArithmeticConfig]) -> None:
        super().__init__(name=f"{config.__name__.removesuffix('Config')}Curriculum", config_cls=config)
        for operand, levels in zip("ab", LEVELS[config.op], strict=True):
            self._define_attributes(
                RangeAttributeDefinition(
                    name=f"{operand}_digits",
                    levels=list(levels),
                    description=f"Digits of the operand {operand}",
                    lower_field_name=f"min_{operand}_digits",
                    upper_field_name=f"max_{operand}_digits",
                )
            )
        self._define_attributes(
            ScalarAttributeDefinition(
                name="hard", levels=list(HARD_LEVELS), description="The share of hard cases", field_name="hard"
            )
        )


def name_of(op: str) -> str:
    """Return the name under which the dataset of an operation is registered.

    >>> name_of("/")
    'revorder_division'
    """
    return f"revorder_{NAMES.get(op, 'arithmetic')}"


def register() -> list[str]:
    """Register the datasets and their curricula with reasoning-gym, once, and return their names.

    >>> register()
    ['revorder_addition', 'revorder_subtraction', 'revorder_multiplication', 'revorder_division']
    """
    for config in CONFIGS:
        if name_of(config.op) not in DATASETS:
            register_dataset(name_of(config.op), ArithmeticDataset, config, partial(ArithmeticCurriculum, config))
    return [name_of(config.op) for config in CONFIGS]
