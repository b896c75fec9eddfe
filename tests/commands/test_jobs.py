"""``scrapy jobs``, and ``scrapy why`` on a frontier server, run as their own programs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.frontier import Candidate, SqliteFrontier
from focuscrawl.frontier.frontier_entries import MOST_LOST
from focuscrawl.scheduling.page_keys import key_of_page
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.redis_frontier import RedisFrontier
from focuscrawl.workers.shard_rows import key_bytes
from tests.servers import warm_scrapy

PAGE = "http://a.test/fund"


def scrapy(folder: Path, *arguments: str, frontier: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"FOCUSCRAWL_FRONTIER": frontier}
    return warm_scrapy.run([*arguments], cwd=folder, env=environment)


@pytest.fixture
def worker(valkey_url: str) -> Iterator[RedisFrontier]:
    """The only worker of a crawl with a waiting page."""
    made = open_crawl(valkey_url, "tunnel-money", arguments={"topic": "money"}, slots=1)
    made.push([Candidate(key_of_page(PAGE), PAGE, "a.test", 2.5, {"anchor": "股票"})])
    yield made
    made.close()


@pytest.mark.usefixtures("worker")
def test_jobs_lists_crawls_and_workers(tmp_path: Path, valkey_url: str) -> None:
    run = scrapy(tmp_path, "jobs", valkey_url, "--seconds", "0")
    assert run.returncode == 0, run.stderr
    heads, crawl, one = run.stdout.splitlines()
    assert heads.split()[:5] == ["crawl", "run", "state", "workers", "waiting"]
    assert crawl.split()[:5] == ["tunnel-money", "1", "open", "1", "1"]
    assert crawl.endswith('{"topic": "money"}')
    assert one.endswith("256 shards")


@pytest.mark.usefixtures("worker")
def test_jobs_prints_json_about_the_server_of_the_setting(tmp_path: Path, valkey_url: str) -> None:
    run = scrapy(tmp_path, "jobs", "--json", "--seconds", "0", frontier=valkey_url)
    assert run.returncode == 0, run.stderr
    (crawl,) = json.loads(run.stdout)
    assert crawl["name"] == "tunnel-money"
    assert (crawl["waiting"], crawl["leased"], crawl["done"]) == (1, 0, 0)
    assert list(crawl["workers"].values()) == [256]


def test_a_server_without_crawls(tmp_path: Path, valkey_url: str) -> None:
    run = scrapy(tmp_path, "jobs", valkey_url)
    assert (run.returncode, run.stdout) == (0, "")
    assert "no crawls at" in run.stderr


@pytest.mark.parametrize("arguments", [[], ["frontier.sqlite"]])
def test_jobs_needs_a_server(tmp_path: Path, arguments: list[str]) -> None:
    run = scrapy(tmp_path, "jobs", *arguments)
    assert run.returncode == 2
    assert "is not the URL of a server" in run.stderr


@pytest.mark.usefixtures("worker")
def test_why_explains_a_url_of_a_crawl_on_a_server(tmp_path: Path, valkey_url: str) -> None:
    run = scrapy(tmp_path, "why", PAGE, frontier=valkey_url)
    assert run.returncode == 0, run.stderr
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    assert ["crawl", "tunnel-money"] in rows
    assert ["state", "waiting"] in rows
    assert ["link", "+2.50", "a seed"] in rows
    assert ["payload", '{"anchor": "股票"}'] in rows


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["http://b.test/"], "tunnel-money at"),
        ([PAGE, "--crawl", "maize"], "there is no crawl maize at"),
        (["fund"], "'fund' is not the URL of a page"),
    ],
)
def test_why_reports_what_no_crawl_knows(
    tmp_path: Path, valkey_url: str, arguments: list[str], said: str
) -> None:
    run = scrapy(tmp_path, "why", *arguments, frontier=valkey_url)
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stderr.count("\n") == 1


def test_why_takes_a_crawl_only_on_a_server(tmp_path: Path) -> None:
    run = scrapy(tmp_path, "why", PAGE, "--crawl", "tunnel-money")
    assert run.returncode == 2
    assert "--crawl needs FOCUSCRAWL_FRONTIER on a server" in run.stderr


def test_a_crawl_on_which_nobody_works_can_be_deleted(
    tmp_path: Path, valkey_url: str, worker: RedisFrontier
) -> None:
    refused = scrapy(tmp_path, "jobs", valkey_url, "--delete", "tunnel-money")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "1 workers crawl tunnel-money" in refused.stderr
    worker.close()
    run = scrapy(tmp_path, "jobs", valkey_url, "--delete", "tunnel-money")
    assert run.returncode == 0, run.stderr
    assert run.stdout == "deleted tunnel-money: 1 URLs were waiting, 0 had ended\n"
    assert "no crawls at" in scrapy(tmp_path, "jobs", valkey_url).stderr
    both = scrapy(tmp_path, "jobs", valkey_url, "--delete", "tunnel-money", "--json")
    assert (both.returncode, both.stdout) == (2, "")


def test_a_crawl_that_is_not_there_cannot_be_deleted(tmp_path: Path, valkey_url: str) -> None:
    run = scrapy(tmp_path, "jobs", valkey_url, "--delete", "maize")
    assert run.returncode == 2
    assert "there is no crawl maize at" in run.stderr
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("is_server", [False, True])
def test_jobs_forgives_pages_that_are_left_out(
    tmp_path: Path, valkey_url: str, is_server: bool
) -> None:
    file, frontier = tmp_path / "data" / "frontier-tunnel-money.sqlite", ""
    if is_server:
        worker, frontier = open_crawl(valkey_url, "tunnel-money", arguments={}, slots=1), valkey_url
        key = worker._keys.of_all("fatal")
        worker._calls.one(key, "HSET", key, key_bytes(key_of_page(PAGE)), f"2 {PAGE}")
        worker.close()
    else:
        with closing(SqliteFrontier(file, losses={PAGE: MOST_LOST + 2})) as made:
            assert made.fatal_urls == [PAGE]
    run = scrapy(tmp_path, "jobs", "--forgive", "tunnel-money", frontier=frontier)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("forgave 1 pages of tunnel-money; its next ")
    if is_server:
        again = open_crawl(valkey_url, "tunnel-money", arguments={}, slots=1)
    else:
        again = SqliteFrontier(file)
    with closing(again):
        assert not again.fatal_urls


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--forgive", "tunnel-money"), "there is no frontier data/frontier-tunnel-money.sqlite"),
        (("--forgive", "one", "--delete", "two"), "give one of --json, --delete and --forgive"),
    ],
)
def test_jobs_forgives_nothing(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    run = scrapy(tmp_path, "jobs", *options)
    assert run.returncode == 2
    assert said in run.stderr
