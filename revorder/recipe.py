"""A recipe: what a training run learns from, by what, for how long; read from YAML with every key checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .mixture import MAX_DIGITS, MIXTURE_KEYS, Mixture, digits
from .model import Shape
from .problem import OPS, ProblemError
from .settings import COUNT, COUNT_OR_0, SHARE, YES, Keys, checked, filled, read_yaml, share


def sizes(value: Any) -> bool:
    """Whether a value is a list of [op, digits of the longer operand, of the shorter]."""
    return isinstance(value, list) and all(
        isinstance(size, list) and len(size) == 3 and size[0] in tuple(OPS) and digits(size[:0:-1]) for size in value
    )


def whole_part(value: Any) -> bool:
    """Whether a value is 1 or about a whole part of it."""
    return share(value) and value > 0 and abs(round(1 / value) * value - 1) <= 0.02


_SIZES = (sizes, f"a list of [op, digits, digits], at most {MAX_DIGITS} and the longer operand's first")
SHARES = {"lr", "muon_lr", "short_first", "hardest", "ranked", "kept"}
RECIPE_KEYS: Keys = {
    "name": MIXTURE_KEYS["name"],
    "data": (lambda value: isinstance(value, dict), "a mixture"),
    "model": (lambda value: isinstance(value, (dict, str)), "a preset's name, or a mapping"),
    "limits": (lambda value: sizes(value) and value, _SIZES[1]),
    **dict.fromkeys(("steps", "tokens", "shortest", "longest", "average"), COUNT),
    **dict.fromkeys(("rank_every", "exact_every", "save_every"), COUNT),
    **dict.fromkeys(("warmup", "seed", "fresh", "passed"), COUNT_OR_0),
    **dict.fromkeys(("lr", "muon_lr", "short_first", "hardest"), SHARE),
    "kept": (lambda value: share(value) and value < 1, "a number from 0, below 1"),
    "ranked": (whole_part, "1, or a whole part of it such as 0.5 or 0.33"),
    "start": (
        lambda value: isinstance(value, str) or (filled(value) and all(isinstance(one, str) for one in value)),
        "a folder or a shipped checkpoint's name, or a list of them",
    ),
    "retold": YES,
    "noise": (
        lambda value: isinstance(value, list) and len(value) == 2 and all(map(share, value)) and value[1] <= value[0],
        "two numbers from 0 to 1, the second no larger",
    ),
    **dict.fromkeys(("long", "exact"), _SIZES),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A training run.

    `tokens`: of a batch, padding not counted; a step takes one batch in each process (torchrun's WORLD_SIZE).
    `short_first`: the share of the steps over which the longest example grows from `shortest` to `longest` tokens.
    `muon_lr` and `lr`: of the matrices (Muon) and of all else (AdamW), both falling to 0 along half a cosine.
    `hardest`: after every `rank_every` steps, and before the first one of a run that has a `start`, the model ranks the
    share `ranked` of the examples (every second for 0.5) by the token that it is most likely to get wrong; from then on
    half of what it is shown is of this share of them. `fresh`: instead, so many examples that the mixture would draw
    next are ranked, others each time, and the share of them that is shown joins those of the rankings before. `passed`:
    how many of these the runs before have ranked already; they are passed over.
    `retold`: each ranking, and each batch but for what a ranking chose, has divisions take back other digits.
    `long`: [op, digits of the longer operand, of the shorter]; half of what is shown is of examples at least so long.
    `noise`: of the first number's deviation in what attention and feed-forward read, for six tenths of the steps, then
    falling to the second number's, which the last twentieth has.
    `start`: a checkpoint folder whose weights the run begins with, such as that of another recipe, or a shipped
    checkpoint's name; one of fewer layers or heads is grown, and several of them are put side by side. `average`: what
    the run exports is the mean of so many weights that it saved last, one every `save_every` steps. `kept`: the share
    that the weights of the start have in what is exported.
    `limits`: [op, digits of the longer operand, of the shorter] of what the checkpoint may be asked for.
    `exact`: columns [op, digits, digits] on which exact match is measured every `exact_every` steps.
    """

    name: str
    data: Mixture
    model: Shape
    limits: tuple[tuple[str, int, int], ...]
    steps: int = 10_000
    tokens: int = 4096
    short_first: float = 0.5
    shortest: int = 24
    longest: int = 320
    lr: float = 3e-3
    muon_lr: float = 0.02
    warmup: int = 100
    seed: int = 0
    start: tuple[str, ...] = ()
    average: int = 1
    kept: float = 0
    hardest: float = 0
    ranked: float = 0.5
    fresh: int = 0
    passed: int = 0
    retold: bool = False
    long: tuple[tuple[str, int, int], ...] = ()
    noise: tuple[float, float] = (0, 0)
    rank_every: int = 5000
    exact: tuple[tuple[str, int, int], ...] = ()
    exact_every: int = 1000
    save_every: int = 1000

    @classmethod
    def read(cls, path: str | Path) -> Recipe:
        """Read a YAML file, or a packaged recipe by its name; raises ProblemError naming the key that is wrong.

        >>> Recipe.read("sums").model.layers
        3
        """
        where = f"recipe {str(path)!r}"
        settings = checked(loaded(path), cls, where, RECIPE_KEYS)
        for key in ("name", "data", "limits"):
            if key not in settings:
                raise ProblemError(f"{where}: key {key!r} is missing; accepted: {RECIPE_KEYS[key][1]}")
        settings["data"] = Mixture.read(settings["data"], f"{where}, data")
        settings["model"] = Shape.read(settings.get("model", {}))
        for key in ("limits", "long", "exact"):
            settings[key] = tuple((op, n, m) for op, n, m in settings.get(key, ()))
        start = settings.get("start") or ()
        settings["start"] = (start,) if isinstance(start, str) else tuple(start)
        for key in SHARES & settings.keys():
            settings[key] = float(settings[key])
        if "noise" in settings:
            settings["noise"] = tuple(map(float, settings["noise"]))
        recipe = cls(**settings)
        for wrong, what in (
            (recipe.longest < recipe.shortest, "key 'longest' is below 'shortest'; accepted: no less"),
            (
                (recipe.average > 1 or recipe.kept) and not recipe.start,
                "keys 'average' and 'kept'; accepted: with a 'start'",
            ),
            (recipe.retold and recipe.fresh, "keys 'retold' and 'fresh'; accepted: one of them"),
            (recipe.long and recipe.hardest, "keys 'long' and 'hardest'; accepted: one of them"),
            (recipe.passed and not recipe.fresh, "key 'passed'; accepted: with 'fresh'"),
            (recipe.fresh and not recipe.hardest, "key 'fresh'; accepted: with 'hardest', none are shown without"),
        ):
            if wrong:
                raise ProblemError(f"{where}: {what}")
        return recipe

    @property
    def apart(self) -> int:
        """How many indices a ranking goes on from one example to the next, where it ranks the mixture's own.

        >>> Recipe.read("calculator").apart
        2
        """
        return round(1 / self.ranked)

    @property
    def equations(self) -> int:
        """The most distinct equations that the run learns from: the mixture's, and fresh ones that rankings add.

        >>> Recipe.read("sums").equations
        500000
        """
        rankings = (self.steps - 1) // self.rank_every + bool(self.start)
        return self.data.size + rankings * round(self.hardest * self.fresh)


def loaded(path: str | Path, above: tuple[str, ...] = ()) -> Any:
    """A recipe's settings as its file has them, on top of those of the recipe that it is `like`.

    `above`: the recipes that are like this one. Raises ProblemError where a file can't be read or the circle closes.
    """
    settings = read_yaml(path, f"recipe {str(path)!r}", prefix="train-")
    if not isinstance(settings, dict) or "like" not in settings:
        return settings
    other, above = settings.pop("like"), (*above, str(path))
    if not isinstance(other, str) or other in above:
        raise ProblemError(f"recipe {str(path)!r}: key 'like' is {other!r}; accepted: another recipe's name or file")
    base, data = loaded(other, above), settings.get("data", {})
    if not isinstance(base, dict) or not isinstance(base.get("data"), dict) or not isinstance(data, dict):
        raise ProblemError(f"recipe {str(path)!r}: key 'data', here or in {other!r}, is no mapping")
    return base | settings | {"data": base["data"] | data}
