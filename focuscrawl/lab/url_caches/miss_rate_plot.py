"""Plot of miss rates against cache sizes, as in the paper of Broder, Najork and Wiener."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.frontier.seen_url_caches import DEFAULT_SIZE
from focuscrawl.lab.url_caches.cache_simulation import POLICIES, Point
from focuscrawl.system.picture_files import saved

_STYLES = {
    "INFINITE": ("0.4", ":", ""),
    "MIN": ("black", "-", "v"),
    "LRU": ("tab:blue", "-", "o"),
    "CLOCK": ("tab:orange", "--", "s"),
    "RANDOM": ("tab:green", "-", "^"),
    "STATIC": ("tab:red", "-", "D"),
}


def draw(points: Sequence[Point], links: int, path: Path) -> Path:
    """Plot the miss rates of each policy into a PNG file; matplotlib is imported here."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for policy in POLICIES:
        curve = [point for point in points if point.policy == policy]
        color, line, marker = _STYLES[policy]
        rates = [100 * point.misses / links for point in curve]
        sizes = [point.size for point in curve]
        axes.plot(sizes, rates, line, color=color, marker=marker, markersize=4, label=policy)
    axes.axvline(DEFAULT_SIZE, color="0.8", zorder=0, label=f"{DEFAULT_SIZE:,}")
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("Cache size (URLs)")
    axes.set_ylabel("Miss rate (%)")
    axes.set_title(f"Misses of the seen-URL cache, {links:,} links")
    axes.grid(color="0.9")
    axes.legend()
    return saved(figure, path)
