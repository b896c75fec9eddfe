"""Settings of the frontier of a crawl: its file, rule, slots and eagerness."""

from __future__ import annotations

from pathlib import Path

from scrapy.crawler import Crawler

from focuscrawl.crawl_run import RunningCrawl, is_server
from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.update_score import UpdateRule


def frontier_path(crawler: Crawler) -> Path:
    """Return the file of setting ``FOCUSCRAWL_FRONTIER``, else the default file of the crawl."""
    name = crawler.settings["FOCUSCRAWL_FRONTIER"]
    if name and not is_server(name):
        return Path(name)
    run = RunningCrawl.of(crawler)
    return default_path(run.data_folder(), run.name)


def default_path(folder: Path, crawl: str) -> Path:
    """Return the default file of a crawl in a data folder."""
    return folder / f"frontier-{crawl}.sqlite"


def update_rule(crawler: Crawler) -> UpdateRule:
    """Return the rule of setting ``FOCUSCRAWL_FRONTIER_RULE``; raises ArgumentError for an unknown one."""
    name = crawler.settings["FOCUSCRAWL_FRONTIER_RULE"]
    try:
        return UpdateRule(name)
    except ValueError:
        raise ArgumentError(
            f"FOCUSCRAWL_FRONTIER_RULE={name!r} is unknown; give {', '.join(UpdateRule)}"
        ) from None


def check_remote_rule(rule: UpdateRule) -> None:
    """Raise ArgumentError for a rule by which a link that is delivered twice would count twice."""
    if rule is not UpdateRule.MAX:
        raise ArgumentError(
            f"FOCUSCRAWL_FRONTIER_RULE={rule} needs a frontier of one process; give max, or a file as "
            "FOCUSCRAWL_FRONTIER"
        )


def eagerness(crawler: Crawler) -> float:
    """Return setting ``FOCUSCRAWL_EAGERNESS``, else the spider's own, else 1: fill every slot."""
    if crawler.settings["FOCUSCRAWL_EAGERNESS"] is None:
        return float(getattr(crawler.spider, "eagerness", 1.0))
    return RunningCrawl.of(crawler).number("FOCUSCRAWL_EAGERNESS", least=0, most=1)


def own_slots(crawler: Crawler) -> dict[str, int]:
    """Return the slots of hosts that have their own number in setting ``DOWNLOAD_SLOTS``."""
    slots = crawler.settings.getdict("DOWNLOAD_SLOTS").items()
    return {host: int(slot["concurrency"]) for host, slot in slots if "concurrency" in slot}


def slots_of_host(crawler: Crawler) -> int:
    """Return the number of requests to a host that may be in flight.

    With a delay between requests, two are enough to keep the host busy.
    """
    settings = crawler.settings
    has_delay = settings.getfloat("DOWNLOAD_DELAY") or settings.getbool("AUTOTHROTTLE_ENABLED")
    slots = max(1, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
    return min(2, slots) if has_delay else slots
