"""Crawls on a machine that fails: no page is blamed, and the next run does what was left."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.frontier import read_frontier
from focuscrawl.replay.recorded_pages import Recorded
from tests.crawl.conftest import Crawler, Finished
from tests.evaluation.small_web import html
from tests.faults.calls import WRITE, failing_calls
from tests.replay.warcs import write_warc

SITE = ("-a", "site=demo")
TOPIC = """
name: nets
lexicon: {神经网络: 3, 梯度下降: 3}
seeds: [http://start.test/]
"""
ITEMS = [f"http://start.test/{number}" for number in range(40)]


def beside(crawl: Crawler, name: str) -> Crawler:
    folder = crawl.folder / name
    folder.mkdir()
    return replace(crawl, folder=folder)


def stopped(done: Finished, *told: str) -> None:
    assert done.code == 2, done.out + done.err
    assert "Traceback" not in done.out + done.err, done.err
    (line,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert any(words in line for words in told), line


def test_few_open_files(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=6)
    calm, poor = beside(crawl, "calm"), beside(crawl, "poor")
    assert calm(*SITE).code == 0
    poor.most_files = 32
    stopped(poor(*SITE, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16"), "limit of open files")
    poor.most_files = 0
    done = poor(*SITE)
    assert done.code == 0, done.err
    assert poor.content() == calm.content()


def web() -> Iterator[Recorded]:
    text = "神经网络 的 训练 用 梯度下降 " * 5
    yield html("http://start.test/", "神经网络", *((url, "梯度下降") for url in ITEMS), text=text)
    for url in ITEMS:
        yield html(url, f"神经网络 {url}", text=text)


@pytest.mark.parametrize("at", [80, pytest.param(130, marks=pytest.mark.exhaustive)])
def test_a_full_disk(crawl: Crawler, tmp_path: Path, at: int) -> None:
    crawl.spider = "tunnel"
    library = failing_calls(tmp_path)
    crawls = calm, full = beside(crawl, "calm"), beside(crawl, "full")
    for one in crawls:
        write_warc(one.folder / "web.warc.gz", web())
        (one.folder / "topics").mkdir()
        (one.folder / "topics" / "nets.yaml").write_text(TOPIC, "utf-8")
    given = ("-a", "topic=nets", "-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-a", "order=lexicon")
    query = "select url, title, text, relevance from pages order by url"
    assert calm(*given).code == 0
    assert len(calm.rows(query)) == len(ITEMS) + 1
    fault = f"{WRITE} {at} {errno.ENOSPC} 1 {full.folder}/data/"
    full.environment = full.environment | {"LD_PRELOAD": str(library), "FAILING_CALLS": fault}
    stopped(full(*given), "disk is full", "free space", "No space left")
    full.environment = calm.environment
    done = full(*given)
    assert done.code == 0, done.err
    assert full.rows(query) == calm.rows(query)
    with read_frontier(full.folder / "data" / "frontier-tunnel-nets.sqlite") as frontier:
        total = frontier.counts().total()
    assert (total.waiting, total.leased, total.failed) == (0, 0, 0)
