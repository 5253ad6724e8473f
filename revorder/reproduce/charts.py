"""Charts as SVG and PNG, by matplotlib, in one style for the page and the docs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from revorder.errors import needs
from revorder.files import write_whole
from revorder.reproduce.exhibits import Chart

COLORS = ("#0b6e99", "#c4541a", "#2f7d4f", "#7a4fa3", "#b03060", "#6b6b1a", "#4a5a6a", "#0f9aa8")
MARKERS = "osD^vPX*"


def svg(chart: Chart) -> str:
    """Return the chart as an SVG element, always the same bytes."""
    stream = io.StringIO()
    draw(chart).savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]


def write_png(chart: Chart, path: Path) -> None:
    """Write the chart as a PNG file."""
    stream = io.BytesIO()
    draw(chart).savefig(stream, format="png", dpi=110, metadata={"Software": None})
    write_whole(path, stream.getvalue())


def draw(chart: Chart) -> Any:
    """Return the chart as a matplotlib Figure; raises ProblemError if matplotlib is missing."""
    with needs("charts", "reproduce"):
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter, StrMethodFormatter
    matplotlib.rcParams["svg.hashsalt"] = "revorder"  # otherwise ids are random
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.subplots()
    for i, series in enumerate(chart.series):
        dashed = series.name in chart.dashed
        x, y = zip(*series.points, strict=True)
        style = {
            "color": "#555555" if dashed else COLORS[i % len(COLORS)],
            "linestyle": "--" if dashed else "-",
            "marker": MARKERS[i % len(MARKERS)],
            "markersize": 4.5,
            "linewidth": 1.6,
            "label": series.name,
        }
        if series.intervals:
            low, high = zip(*series.intervals, strict=True)
            bars = [[a - b for a, b in zip(y, low, strict=True)], [b - a for a, b in zip(y, high, strict=True)]]
            axes.errorbar(x, y, yerr=bars, capsize=2, elinewidth=0.9, **style)
        else:
            axes.plot(x, y, **style)
    axes.set(xlabel=chart.x, ylabel=chart.y, title=chart.title)
    axes.set(xscale="log" if chart.log_x else "linear", yscale="log" if chart.log_y else "linear")
    for axis in [axes.xaxis] * chart.log_x + [axes.yaxis] * chart.log_y:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))  # 600, not 6 x 10^2
        axis.set_minor_formatter(NullFormatter())
    if not chart.log_x and axes.get_xlim()[1] >= 1e6:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))  # 10M, not 1 and a 1e7 at the side
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    return figure
