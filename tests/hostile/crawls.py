"""The five spiders on the hostile web: how a user would call them, and what must be in the stores."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.hostile.case import DOMAIN, Case
from tests.hostile.honest import BACK_DESK, DESK, TOPIC, Honest
from tests.hostile.processes import Bounds, Ended, watched
from tests.hostile.server import HostileWeb

SETTINGS = {
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "False",
    "DOWNLOAD_TIMEOUT": "5",
    "RETRY_TIMES": "1",
    "FOCUSCRAWL_RETRY_PAUSE": "0.5",
    "FOCUSCRAWL_RETRY_AFTER_MAX": "2",
}
# 0: all was done; 2: something that the user can correct; 3: something was not done.
ORDERLY = (0, 2, 3)
# Of cases that are seeds, some by address instead of by name, past the proxy.
_DIRECT_EVERY = 25
_MOST_PAGES = 1500
_LEXICON = {"神经网络": 3, "梯度下降": 3, "卷积神经网络": 3}
_TRACEBACK = "Traceback (most recent call last)"
_HOST = re.compile(rf"([\w-]+)\.{re.escape(DOMAIN)}")
_PROFILE = {
    "list": {
        "entry": {"css": "ul.list > li"},
        "link": "./a/@href",
        "title": "./a",
        "date": {"css": "span.date"},
        "next": '//a[normalize-space()="下一页"]/@href',
    },
    "article": {
        "body": {"css": "div.content"},
        "title": "//h1",
        "next": '//a[normalize-space()="下一页"]/@href',
    },
}

Rows = set[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Spider:
    """A spider: its arguments for some cases, and the honest rows of what it has stored.

    ``is_joined`` tells whether it takes all cases as seeds of one run.
    """

    name: str
    is_joined: bool
    arguments: Callable[[Path, Honest, Sequence[str]], dict[str, str]]
    rows: Callable[[Path, Honest], Rows]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run; ``hosts`` is how often each host was requested, ``honest_seconds`` how long
    after its start the last honest page was sent."""

    ended: Ended
    rows: Rows
    touched: Mapping[str, int]
    hosts: Mapping[str, int]
    honest_seconds: float

    def faults(self, wanted: Rows) -> list[str]:
        """Return what is amiss; ``wanted`` are the rows of the honest sites alone."""
        ended, found = self.ended, []
        if ended.killed:
            found.append(f"killed: over its bound of {ended.killed}")
        elif ended.code not in ORDERLY:
            found.append(f"exit code {ended.code}")
        if lost := wanted - self.rows:
            found.append(f"{len(lost)} of {len(wanted)} honest rows lost")
        if more := self.rows - wanted:
            found.append(f"{len(more)} honest rows that are not so without the hostile sites")
        said = ended.out + ended.err
        if count := said.count(_TRACEBACK):
            found.append(f"{count} tracebacks ({', '.join(traceback_ends(said))})")
        if self.touched:
            found.append(f"touched {', '.join(sorted(self.touched)[:12])}")
        return found


def traceback_ends(said: str) -> list[str]:
    """Return the last line of each traceback, each once, with the case that stands nearest before it."""
    ends: dict[str, None] = {}
    for at in re.finditer(re.escape(_TRACEBACK), said):
        before = _HOST.findall(said[max(0, at.start() - 2000) : at.start()])
        lines = said[at.end() :].split("\n")
        last = next((line for line in lines[1:] if line and not line.startswith((" ", "\t"))), "?")
        ends[last[:120] + (f" [{before[-1]}]" if before else "")] = None
    return list(ends)[:8]


def run(
    spider: Spider, cases: Sequence[Case], honest: Honest, folder: Path, bounds: Bounds, *,
    latency: float = 0.0, settings: Mapping[str, str] | None = None,
) -> Result:  # fmt: skip
    """Crawl the honest sites with those cases beside them, in an empty folder."""
    folder.mkdir(parents=True)
    with HostileWeb({case.name: case for case in cases}, honest.sites(), latency) as web:
        seeds = [
            web.direct_url(case) if at % _DIRECT_EVERY == _DIRECT_EVERY - 1 and not case.robots
            else f"http://{case.host}/"
            for at, case in enumerate(cases)
        ]  # fmt: skip
        arguments = spider.arguments(folder, honest, seeds)
        command = [sys.executable, "-m", "scrapy", "crawl", spider.name]
        command += [part for pair in arguments.items() for part in ("-a", "=".join(pair))]
        for pair in (SETTINGS | dict(settings or {})).items():
            command += ["-s", "=".join(pair)]
        stores = {"FOCUSCRAWL_STORES": f"sqlite:///{folder / 'found.sqlite'}"}
        project = {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        environment = os.environ | web.environment | stores | project
        ended = watched(command, folder, environment, bounds)
        honest_seconds = max(0.0, web.honest_at - ended.begun)
        return Result(
            ended,
            spider.rows(folder, honest),
            dict(web.touched),
            dict(web.requested),
            honest_seconds,
        )


def _maize(folder: Path, honest: Honest, seeds: Sequence[str]) -> dict[str, str]:
    # What is no list at all ends a run with an error: such cases are articles of an honest list.
    hosts = [host for seed in seeds if (host := seed.split("/")[2]).endswith(DOMAIN)]
    lists = [f"http://{host}/" for host in hosts if host.startswith("list-")]
    articles = ",".join(host for host in hosts if not host.startswith("list-"))
    starts = [*lists, f"http://{DESK}/" + (f"?also={articles}" if articles else "")]
    profile = folder / "site.yaml"
    profile.write_text(yaml.safe_dump({"name": "own", "start_urls": starts} | _PROFILE, allow_unicode=True), "utf-8")  # fmt: skip
    return {"site": str(profile), "max_pages": "20"}


def _article(folder: Path, honest: Honest, seeds: Sequence[str]) -> dict[str, str]:
    hosts = [f"http://{DESK}/", *seeds, f"http://{BACK_DESK}/"]
    patterns = ",".join(f"{home}article/{{n}}.htm" for home in hosts)
    return {"url": patterns, "start": "1", "stop": "6", "stop_after": "0"}


def _tunnel(folder: Path, honest: Honest, seeds: Sequence[str]) -> dict[str, str]:
    _write_topic(folder, honest)
    mixed = _mixed(honest, honest.homes, seeds)
    return {"topic": TOPIC, "seeds": _write_seeds(folder, mixed), "max_pages": str(_MOST_PAGES)}


def _labels(folder: Path, honest: Honest, seeds: Sequence[str]) -> dict[str, str]:
    _write_topic(folder, honest)
    # Enough for all: of a level the walk takes whatever pages their hashes put first.
    limits = {"depth": "2", "max_pages_per_site": "40", "max_pages": "100000"}
    # First: a walk in breadth spends its pages in the order in which links were found.
    return {"topic": TOPIC, "seeds": _write_seeds(folder, [*honest.homes, *seeds])} | limits


def _template(folder: Path, honest: Honest, seeds: Sequence[str]) -> dict[str, str]:
    mixed = _mixed(honest, honest.firms, seeds)
    return {"template": "contacts", "seeds": _write_seeds(folder, mixed)}


def _mixed(honest: Honest, homes: Sequence[str], seeds: Sequence[str]) -> list[str]:
    if honest.comes_first:
        return [*homes, *seeds]
    # Here and there among the others.
    step = len(seeds) // len(homes) + 1
    return [
        url for at, home in enumerate(homes) for url in (home, *seeds[at * step : (at + 1) * step])
    ]


def _write_seeds(folder: Path, urls: Sequence[str]) -> str:
    (folder / "seeds.txt").write_text("\n".join(urls) + "\n", "utf-8")
    return "seeds.txt"


def _write_topic(folder: Path, honest: Honest) -> None:
    hosts = [site.host for site in honest.essays]
    topic = {
        "name": TOPIC,
        "lexicon": _LEXICON,
        "positive_domains": hosts,
        "negative_domains": [DOMAIN],
        "seeds": honest.homes,
    }
    (folder / "topics").mkdir()
    text = yaml.safe_dump(topic, allow_unicode=True)
    (folder / "topics" / f"{TOPIC}.yaml").write_text(text, "utf-8")


def _query(path: Path, query: str) -> Rows:
    if not path.exists():
        return set()
    try:
        with closing(sqlite3.connect(path)) as connection:
            return set(connection.execute(query))
    except sqlite3.OperationalError:
        # Ended before there was a table.
        return set()


def _stored(table: str, columns: str, where: str = "1") -> Callable[[Path, Honest], Rows]:
    def rows(folder: Path, honest: Honest) -> Rows:
        hosts = [*(f"http://{host}/" for host in honest.sites())]
        found = _query(folder / "found.sqlite", f"select url, {columns} from {table} where {where}")  # noqa: S608
        return {row for row in found if str(row[0]).startswith(tuple(hosts))}

    return rows


def _labelled(folder: Path, honest: Honest) -> Rows:
    found = _query(
        folder / "data" / f"labels-{TOPIC}.sqlite",
        "select source.url, target.url, target.state, target.label, anchor, before, after from links"
        " join pages as target on target.id = links.page join pages as source on source.id = links.source",
    )
    return {row for row in found if str(row[0]).startswith(tuple(honest.homes))}


SPIDERS = {
    spider.name: spider
    for spider in (
        Spider("maize", False, _maize, _stored("articles", "title, text, is_complete")),
        Spider("article", False, _article, _stored("numbered_articles", "number, title, body_text")),
        Spider("template", True, _template, _stored("template_records", "fields", "gone_at is null")),
        Spider("tunnel", True, _tunnel, _stored("pages", "title, text, is_relevant")),
        Spider("labels", True, _labels, _labelled),
    )
}  # fmt: skip
