"""``scrapy newsite`` and ``scrapy trysite`` on pages that scripts draw, with the real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from focuscrawl.demo import DemoServer
from focuscrawl.sites.induction.json_draft import data_behind
from focuscrawl.sites.page_reading import ListEntry
from focuscrawl.sites.site_profile import JsonListRules, ListRules, load_profile
from tests.commands.test_newsite import run, serving
from tests.crawl.drawn_site import TITLES, ScriptSite, need_chromium

# Of three entries; each is drawn.
TWO = ("--articles", "2")


@pytest.fixture(scope="module")
def web() -> Iterator[DemoServer]:
    need_chromium()
    yield from serving("app.test", ScriptSite(per_page=3))


def test_the_json_behind_a_drawn_list_comes_first(web: DemoServer, tmp_path: Path) -> None:
    done = run(web, tmp_path, "newsite", "http://app.test/list", "--name", "mine", *TWO)
    data = "http://app.test/api/list?page=1"
    assert (
        f"http://app.test/list is drawn by a script from {data}: the profile reads" in done.stdout
    )
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert isinstance(profile.list, JsonListRules)
    assert (profile.start_urls, profile.render) == ([data], "article")
    assert profile.list.rules.link == "http://app.test/a/{id}.html"
    assert profile.wait_for == profile.article.body
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml", *TWO)
    assert TITLES[0] in tried.stdout
    assert "第11段" in tried.stdout.replace("\n", "")


def test_a_drawn_list_is_described_and_needs_a_browser(web: DemoServer, tmp_path: Path) -> None:
    url = "http://app.test/inside"
    done = run(web, tmp_path, "newsite", url, "--name", "mine", *TWO)
    assert "the list appears only after scripts have run: 6 entries, 0 before" in done.stdout
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert isinstance(profile.list, ListRules)
    assert (profile.start_urls, profile.render) == ([url], "both")
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml", *TWO)
    assert "problem" not in tried.stdout
    failed = run(web, tmp_path, "newsite", "http://app.test/empty", code=2)
    assert failed.stderr.endswith("; a browser draws no list there either\n")
    assert "pip install" not in failed.stderr


def test_without_chromium_the_remedy_is_told(web: DemoServer, tmp_path: Path) -> None:
    none = ("-s", "FOCUSCRAWL_CHROMIUM=/none")
    done = run(web, tmp_path, "newsite", "http://app.test/list", *none, code=2)
    assert "perhaps a script loads it" in done.stderr
    done = run(web, tmp_path, "newsite", "http://app.test/inside", *none, code=2)
    assert "pip install 'focuscrawl[browser]'" in done.stderr


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"rows": [{"id": 7, "title": "甲新闻一"}, {"id": 8, "title": "乙新闻二"}]}', [("http://x.test/l?p=1", "http://x.test/a/7/{id}.html")]),
        ('[{"url": "/a/7/7.html", "title": "甲新闻一"}, {"url": "/a/7/8.html", "title": "乙新闻二"}]', [("http://x.test/l?p=1", "")]),
        # A number that is only a part of the one in the URL; other entries; no JSON.
        ('[{"id": 77, "title": "甲新闻一"}, {"id": 88, "title": "乙新闻二"}]', []),
        ('[{"id": 7, "title": "丙新闻三"}, {"id": 8, "title": "丁新闻四"}]', []),
        ("<html></html>", []),
    ],
)  # fmt: skip
def test_data_behind_a_list(text: str, found: list[tuple[str, str]]) -> None:
    shown = [
        ListEntry("http://x.test/a/7/7.html", "甲 新闻一", None, ""),
        ListEntry("http://x.test/a/7/8.html", "乙新闻二", None, ""),
    ]
    answers = [("http://x.test/l?p=1&_=1700000000123", text)]
    assert list(data_behind(answers, shown, date(2026, 11, 1))) == found
