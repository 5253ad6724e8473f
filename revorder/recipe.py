"""A recipe: what a training run learns from, by what, for how long; read from YAML with every key checked."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .mixture import Mixture, checked, read_yaml, share
from .model import Shape
from .problem import ProblemError

COUNTS = ("steps", "tokens", "shortest", "longest", "average", "rank_every", "exact_every", "save_every")
MAY_BE_0 = ("warmup", "seed", "fresh", "passed")
SHARES = ("lr", "muon_lr", "short_first", "hardest", "ranked", "kept")


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
    exact: list[tuple[str, int, int]] = field(default_factory=list)
    exact_every: int = 1000
    save_every: int = 1000

    @classmethod
    def read(cls, path: str | Path) -> Recipe:
        """Read a YAML file, or a packaged recipe by its name; raises ProblemError naming the key that is wrong.

        >>> Recipe.read("sums").model.layers
        3
        """
        settings = checked(loaded(path), cls, f"recipe {str(path)!r}")
        try:
            settings["data"] = Mixture.read(settings["data"])
            settings["model"] = Shape.read(settings.get("model", {}))
            settings["limits"] = tuple((str(op), int(n), int(m)) for op, n, m in settings["limits"])
            settings["long"] = tuple((str(op), int(n), int(m)) for op, n, m in settings.get("long", []))
            settings["exact"] = [(str(op), int(n), int(m)) for op, n, m in settings.get("exact", [])]
            start = settings.get("start") or ()
            settings["start"] = (start,) if isinstance(start, str) else tuple([str(folder) for folder in start])
            for key in COUNTS + MAY_BE_0:
                settings[key] = int(settings.get(key, cls.__dataclass_fields__[key].default))
                if settings[key] < (key in COUNTS):
                    raise ValueError(f"{key} {settings[key]}")
            for key in SHARES:
                settings[key] = float(settings.get(key, cls.__dataclass_fields__[key].default))
                if not share(settings[key]):
                    raise ValueError(f"{key} {settings[key]}: from 0 to 1")
            if settings["kept"] == 1:
                raise ValueError(f"kept {settings['kept']}: from 0, below 1")
            if (settings["average"] > 1 or settings["kept"]) and not settings.get("start"):
                raise ValueError(f"average {settings['average']}, kept {settings['kept']}: only with a start")
            if not isinstance(settings.get("retold", False), bool) or (settings.get("retold") and settings["fresh"]):
                raise ValueError(f"retold {settings['retold']}: true or false, and not with fresh")
            match settings.get("noise", [0, 0]):
                case [first, last] if share(first) and share(last) and last <= first:
                    settings["noise"] = (float(first), float(last))
                case noise:
                    raise ValueError(f"noise {noise}: two numbers from 0, the second no larger, none above 1")
            if settings["long"] and settings["hardest"]:
                raise ValueError("long: only where hardest is 0")
            if settings["passed"] and not settings["fresh"]:
                raise ValueError(f"passed {settings['passed']}: only with fresh")
            if settings["fresh"] and not settings["hardest"]:
                raise ValueError(f"fresh {settings['fresh']}: none are shown while hardest is 0")
            recipe = cls(**settings)
            if not recipe.ranked or abs(recipe.apart * recipe.ranked - 1) > 0.02:
                raise ValueError(f"ranked {recipe.ranked}: 1 or a whole part of it, such as 0.5 or 0.33")
            return recipe
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ProblemError):
                raise
            known = ", ".join(item.name for item in fields(cls))
            raise ProblemError(f"recipe {str(path)!r}: {error!r}; accepted: {known}") from None

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
