"""The dataset card of a folder of shards: the README.md that the Hugging Face Hub shows and `datasets` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from revorder.files import write_whole
from revorder.mixtures.mixture import Mixture

README = "README.md"
_SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")  # the bounds of the Hub's size classes

COLUMNS = {  # by view
    "trace": "`index`, `op`, `a`, `b`, `answer`, and `text`, the trace with its question",
    "prompt_completion": "`prompt`, `completion`, and `problem` and `answer`, which rewards take",
    "messages": "`messages`, the turns of a chat, and `problem` and `answer`, which rewards take",
    "steps": "`prompt`, `completions`, the steps, and `labels`, whether each step is right; half of the rows end with "
    "a wrong step",
}


CARD = """---
pretty_name: "{mixture.name}"
license: apache-2.0
task_categories:
- text-generation
tags: [arithmetic, synthetic, revorder]
size_categories:
- {category}
configs:
- config_name: default
  data_files:
  - split: train
    path: "{mixture.name}-*.{format}"
---

# {mixture.name}: {size:,} exact calculations

Written by the package of [RevOrder](https://arxiv.org/abs/2402.03822), version {version}: method `{mixture.method}`,
form `{mixture.form}`, seed {seed}.

A row holds {columns}. Numbers are strings, since they may be long.

| operation | digits of a | digits of b | weight |
|---|---|---|---|
{parts}

No problem of the validation and test splits is among them; problems whose operands have at most 2 digits are in every
split. `manifest.json` holds the whole mixture and each file's sha256; the same mixture, seed and version give the same
bytes.
"""


def write_card(folder: str | Path, manifest: dict[str, Any]) -> None:
    """Write the card of a folder of shards, unless it has a README.md."""
    if not (Path(folder) / README).exists():
        write_whole(Path(folder) / README, dataset_card(manifest))


def dataset_card(manifest: dict[str, Any]) -> str:
    """Return the card of a manifest's shards: YAML with the location of the rows, and their description.

    >>> import tempfile
    >>> from revorder.mixtures.shards import Run, write_shards
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dataset_card(write_shards(Run(Mixture.read("small"), 42, folder, 25))).splitlines()[12]
    '    path: "small-*.jsonl"'
    """
    mixture = Mixture.read(manifest["mixture"])
    parts = [f"| {part.op} | {digits(part.a)} | {digits(part.b)} | {part.weight:g} |" for part in mixture.parts]
    return CARD.format(
        mixture=mixture,
        size=manifest["size"],
        category=size_category(manifest["size"]),
        format=manifest["format"],
        version=manifest["version"],
        seed=manifest["seed"],
        columns=COLUMNS[manifest.get("view", "trace")],
        parts="\n".join(parts),
    )


def digits(bounds: tuple[int, int]) -> str:
    """Return a range of digit counts as text.

    >>> digits((1, 16)), digits((4, 4))
    ('1-16', '4')
    """
    return "-".join(map(str, dict.fromkeys(bounds)))


def size_category(size: int) -> str:
    """Return the Hub's size class of a number of rows.

    >>> size_category(999), size_category(1000), size_category(10**13)
    ('n<1K', '1K<n<10K', 'n>1T')
    """
    below = sum(size >= 10 ** (3 + i) for i in range(len(_SIZES)))
    if not below:
        return f"n<{_SIZES[0]}"
    return f"{_SIZES[below - 1]}<n<{_SIZES[below]}" if below < len(_SIZES) else f"n>{_SIZES[-1]}"
