"""Says at the end of every run, in plain words, what came of it."""

from __future__ import annotations

import sys
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from focuscrawl.run import ERROR_STAT, archive_of

_OUTCOMES = ("new", "changed", "unchanged", "gone", "incomplete")


class RunSummary:
    """Prints the summary on standard output when spider and stores are closed."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunSummary:
        """Build the extension of a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_closed(self, reason: str) -> None:
        """Print."""
        archive = archive_of(self.crawler)
        lines = summary_lines(self.crawler.stats.get_stats(), archive.locations, archive.spilled)
        spider = self.crawler.spider
        name = getattr(spider, "crawl_name", None) or self.crawler.spidercls.name
        print(f"{name}: {reason}", *lines, sep="\n", file=sys.stdout, flush=True)


def summary_lines(
    stats: dict[str, Any], locations: list[str], spilled: dict[str, int]
) -> list[str]:
    """Return the lines of the summary from Scrapy's stats and the places of the results."""
    lines = [_line("pages", _pages(stats))]
    counts = [(outcome, stats.get(f"focuscrawl/articles/{outcome}", 0)) for outcome in _OUTCOMES]
    lines.append(_line("articles", ", ".join(f"{count} {outcome}" for outcome, count in counts)))
    flagged = stats.get("focuscrawl/quotes/flagged", 0)
    quotes = f"{stats.get('focuscrawl/quotes', 0)} read"
    lines.append(
        _line("quotes", quotes + (f", {flagged} flagged (sheet 数据质量)" if flagged else ""))
    )
    prefix = "focuscrawl/dropped/"
    dropped = {
        key.removeprefix(prefix): n for key, n in stats.items() if key.startswith(prefix) and n
    }
    if dropped:
        lines.append(
            _line("dropped", ", ".join(f"{n} {why}" for why, n in sorted(dropped.items())))
        )
    lines += [_line("note", str(note)) for note in stats.get("focuscrawl/notes", [])]
    for label, count in spilled.items():
        if count:
            lines.append(
                _line("waiting", f"{count} records for {label}; the next run loads them first")
            )
    lines += [_line("results" if n == 0 else "", place) for n, place in enumerate(locations)]
    if ERROR_STAT in stats:
        lines.append(_line("error", stats[ERROR_STAT]))
    return lines


def _pages(stats: dict[str, Any]) -> str:
    asked, answered = (
        stats.get("downloader/request_count", 0),
        stats.get("response_received_count", 0),
    )
    failed = stats.get("focuscrawl/pages/failed", 0)
    return f"{asked} asked for, {answered} answered" + (f", {failed} failed" if failed else "")


def _line(name: str, text: str) -> str:
    return f"  {name:<9} {text}"
