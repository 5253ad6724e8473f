"""The counts of `revorder check`, and its findings in a file, from which a check resumes."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revorder.errors import ProblemError
from revorder.files import partial_of, write_whole, writing
from revorder.reading.checking import Finding
from revorder.reading.sides import WRONG

MOST_REJECTED = 3  # named one by one
SAVED = 1000  # texts between two lines that state the progress


@dataclass
class Tally:
    """The counts of texts, rejected records, verdicts and causes, and the first unreadable records."""

    counts: Counter[str]
    causes: Counter[str]
    rejected: list[str]

    @property
    def texts(self) -> int:
        """Return the number of texts and records that are done."""
        return self.counts["texts"] + self.counts["rejected"]

    def count(self, found: Finding) -> None:
        self.counts[found.verdict] += 1
        if found.verdict == WRONG:
            self.causes[found.cause] += 1

    def reject(self, why: str) -> None:
        self.counts["rejected"] += 1
        self.rejected = [*self.rejected, why][:MOST_REJECTED]


class Kept:
    """The findings for `out`: until they are complete they are in `<out>.partial`, from which the check resumes.

    Raises ProblemError if that file holds another check.
    """

    def __init__(self, out: Path, check: dict[str, Any], overwrite: bool) -> None:
        self.out, self.partial = out, partial_of(out)
        self.tally = Tally(Counter(), Counter(), [])
        head = json.dumps({"check": check})
        done = [head]
        if self.partial.exists() and not overwrite:
            lines = self.partial.read_text(encoding="utf-8", errors="replace").splitlines()
            if lines and lines[0] != head:
                raise ProblemError(f"{str(self.partial)!r} is of another check; give another --out, or --overwrite")
            for number in range(len(lines) - 1, 0, -1):
                if lines[number].startswith('{"done"') and lines[number].endswith("}}"):
                    saved = json.loads(lines[number])["done"]
                    self.tally = Tally(Counter(saved["counts"]), Counter(saved["causes"]), saved["rejected"])
                    done = lines[: number + 1]
                    break
        write_whole(self.partial, "".join(f"{line}\n" for line in done))
        self.file = self.partial.open("a", encoding="utf-8")

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Add the findings of a text that is already counted."""
        with writing(self.partial):
            self.file.writelines(json.dumps(row) + "\n" for row in rows)
            if self.tally.texts % SAVED == 0:
                self.file.write(json.dumps({"done": vars(self.tally)}) + "\n")
                self.file.flush()

    def finish(self) -> None:
        """Write all findings to `out`."""
        with writing(self.partial):
            self.file.close()
        _, *lines = self.partial.read_text(encoding="utf-8").splitlines(keepends=True)
        write_whole(self.out, "".join(line for line in lines if not line.startswith('{"done"')))
        self.partial.unlink()
