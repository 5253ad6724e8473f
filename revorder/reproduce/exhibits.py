"""Exhibits of experiments: tables, line charts and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; `note`, below them, explains the numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Series:
    """One line of a chart: points (x, y), and the interval of each y if known."""

    name: str
    points: Sequence[tuple[float, float]]
    intervals: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Chart:
    """A line chart; `dashed` names the paper's own series."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    note: str = ""
    dashed: Sequence[str] = ()
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Sample:
    """A text, shown unchanged."""

    title: str
    text: str
    note: str = ""


Exhibit = Table | Chart | Sample
