"""Arguments of crawls that are started from the web."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from focuscrawl.errors import ArgumentError
from focuscrawl.network.address_rules import read_address_rules
from focuscrawl.web.crawls.crawl_arguments import (
    SPIDERS,
    CrawlProject,
    checked_arguments,
    fields_of,
)
from focuscrawl.web.crawls.start_pages import chinese_descriptions


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CrawlProject:
    """A project with a site profile and a topic of its own; names are resolved by a table."""
    for name in ("sites/own.yaml", "topics/wine.yaml", "secret.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    table = {
        "private.example": "10.0.0.1",
        "both.example": "8.8.8.8 127.0.0.1",
        "v6.example": "::1",
    }

    def resolve(host: str, _: object) -> list[Any]:
        if host not in table:
            raise socket.gaierror
        return [(0, 0, 0, "", (address, 0)) for address in table[host].split()]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    return CrawlProject(folder=tmp_path)


def test_every_argument_has_a_description_in_both_languages(project: CrawlProject) -> None:
    for spider in SPIDERS:
        for field in fields_of(spider, project):
            assert field.description
            assert field.name in chinese_descriptions()


def test_names_become_what_the_spider_is_given(project: CrawlProject) -> None:
    given = {"site": "own", "title": " 玉米 ", "max_pages": "3", "since": "30d", "refresh": ""}
    assert checked_arguments("list", given, project) == {
        "site": "sites/own.yaml", "title": "玉米", "max_pages": "3", "since": "30d"
    }  # fmt: skip
    given = {"topic": "wine", "learn": "True", "seeds": "http://a.example/\r\nhttp://b.example/"}
    checked = checked_arguments("tunnel", given, project)
    assert checked["seeds"] == "http://a.example/,http://b.example/"
    given = {"template": "contacts", "engine": "bing、sogou", "region": "四川"}
    assert checked_arguments("template", given, project)["engine"] == "bing,sogou"


@pytest.mark.parametrize(
    ("spider", "given"),
    [
        ("maize", {"site": "secret.yaml"}),
        ("maize", {"site": "sites/own.yaml"}),
        ("maize", {"site": "../own"}),
        ("maize", {"site": "/etc/passwd"}),
        ("list", {}),
        ("list", {"site": "own", "max_pages": "0"}),
        ("list", {"site": "own", "since": "2026-02-30"}),
        ("list", {"site": "own", "FOCUSCRAWL_DATA": "/tmp"}),
        ("list", {"site": "own", "_job": "1"}),
        ("list", {"site": "own", "title": "a\nb"}),
        ("list", {"site": "own", "title": "a\0b"}),
        ("list", {"site": "own", "title": "長" * 5000}),
        ("tunnel", {"topic": "wine", "truth": "/etc/passwd"}),
        ("tunnel", {"topic": "wine", "order": "oracle"}),
        ("tunnel", {"topic": "wine", "seeds": "/etc/passwd"}),
        ("tunnel", {"topic": "wine", "seeds": "-"}),
        ("template", {"template": "contacts", "seeds": "-"}),
        ("template", {"template": "contacts", "engine": "searxng@http://127.0.0.1:1"}),
        ("template", {"template": "contacts", "name": "a/b"}),
        ("article", {"profile": "own"}),
        ("nobody", {}),
    ],
)
def test_other_values_are_refused(
    spider: str, given: dict[str, str], project: CrawlProject
) -> None:
    with pytest.raises(ArgumentError):
        checked_arguments(spider, given, project)


@pytest.mark.parametrize(
    ("spider", "given"),
    [
        ("list", {"site": "own", "start_url": "{url}"}),
        ("tunnel", {"topic": "wine", "seeds": "http://a.example/\n{url}"}),
        ("article", {"url": "{url}{{n}}.htm"}),
    ],
)
def test_private_addresses_are_refused(
    spider: str, given: dict[str, str], project: CrawlProject
) -> None:
    urls = (
        *("http://127.0.0.1/", "http://localhost/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/"),
        *("http://169.254.169.254/latest", "http://intranet/", "http://１２７.0.0.1/"),
        *("file:///etc/passwd", "http://user:pw@a.example/", "http:///x"),
        *("http://private.example/", "http://both.example/", "http://v6.example/"),
    )
    for url in urls:
        filled = {name: text.format(url=url) for name, text in given.items()}
        with pytest.raises(ArgumentError):
            checked_arguments(spider, filled, project)


def test_a_pattern_cannot_make_a_host(project: CrawlProject) -> None:
    assert checked_arguments("article", {"url": "http://a.example/{n}.htm"}, project)
    for url in ("http://{n}/", "http://10.0.0.{n}/", "http://a.{n}.example/"):
        with pytest.raises(ArgumentError):
            checked_arguments("article", {"url": url}, project)


def test_the_setting_allows_private_hosts(project: CrawlProject) -> None:
    rules = read_address_rules("10.0.0.0/8, intranet")
    own = CrawlProject(folder=project.folder, addresses=rules)
    for url in ("http://10.1.2.3/", "http://intranet/", "http://private.example/"):
        assert checked_arguments("list", {"site": "own", "start_url": url}, own)["start_url"] == url
    with pytest.raises(ArgumentError):
        checked_arguments("list", {"site": "own", "start_url": "http://127.0.0.1/"}, own)


def test_behind_a_proxy_names_are_not_resolved(
    project: CrawlProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    given = {"site": "own", "start_url": "http://private.example/"}
    assert checked_arguments("list", given, project)
    with pytest.raises(ArgumentError):
        checked_arguments("list", given | {"start_url": "http://127.0.0.1/"}, project)


def test_all_spiders_can_be_started() -> None:
    loader = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["focuscrawl.spiders"]}))
    models = {name: loader.load(name).argument_model for name in loader.list()}
    assert models == SPIDERS
