"""The same pages over each kind of store, and over one that is away."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.prices import price_snapshots
from tests.stores.record_examples import (
    NOW,
    article,
    crawl_run,
    numbered,
    page,
    seed,
    template_record,
)
from tests.web.articles.conftest import listed_ones, numbered_ones
from tests.web.conftest import add_users, client_of, fill, log_in, site_over
from tests.web.prices.conftest import weeks
from tests.web.prices.test_price_snapshots import wait_until, write_run
from tests.web.quotations.quoted_articles import TEXT, quote_at, quoted

QUOTED = quoted("quoted").url_md5
PATHS = [
    f"/prices/quotes/{QUOTED}/0",
    f"/prices/quotes/{QUOTED}/0.json",
    f"/prices/quotes/{QUOTED}/3?list=doubts",
    f"/prices/articles/{QUOTED}",
    f"/prices/articles/{QUOTED}?known_on={NOW.date()}",
    f"/prices/articles/{QUOTED}/versions",
    "/prices/revised",
    "/prices/doubts",
    "/prices",
    "/prices?view=years",
    "/prices.csv",
    "/prices.csv?rows=days",
    f"/prices.csv?known_on={NOW.date()}",
    "/prices/quotes",
    "/prices/quotes.csv",
    "/prices/quotes.json",
    "/prices/morning.csv",
    "/prices/matrix",
    "/prices/matrix.csv",
    "/search?kind=record",
    "/records.csv",
    f"/records/{template_record(1).key}",
    "/search?kind=page",
    f"/pages/{page(1).key}",
    "/articles",
    "/search",
    "/search?q=python",
    "/search?tag=双号",
    "/search?site=demo&since=2026-01-01",
    *(f"/articles/{numbered(number).url_md5}" for number in (1, 100, 101)),
    *(f"/articles/{article(number).url_md5}" for number in (1, 2, 4)),
    f"/articles/{numbered(1).url_md5}/related",
]
WHEN_AWAY = (
    f"/prices/quotes/{QUOTED}/0.json",
    f"/prices/articles/{QUOTED}/versions",
    "/prices/revised",
    "/prices/doubts",
    "/prices",
    "/records.csv",
    f"/pages/{page(1).key}",
    "/articles",
    "/search?q=python",
)
SEARCHES = ({"q": "网络爬虫"}, {"tag": "单号"}, {"until": "2026-01-30"})
# Moments of decisions, of the search for doubts and of the table of prices; tokens of forms and feeds.
_CHANGING = re.compile(
    r'统计于 [-0-9: ]+|editor，[-0-9: ]+|[-0-9: ]+ <bdi>editor|"decided_at":"[^"]*'
    r'|name="shown" value="[^"]*"|"snapshot": "[^"]*"|数据读取于 [-0-9: ]+|\d\d:\d\d(?=</)'
)


def pages_of(url: str, folder: Path) -> dict[str, str]:
    """Return all pages over a store with all kinds of records, without what differs from run to run."""
    new = TEXT.replace("0.815", "0.825")
    one = quoted("quoted")
    changed = [quote_at(new, "0.825元/斤", entity="寿光金玉米", price_low=Decimal("0.825"))]
    later = {"quotes": [*changed, *(one.quotes or [])[1:]], "fetched_at": NOW + timedelta(days=1)}
    fill(url, [*weeks(2), *numbered_ones(), *listed_ones(), one, quoted("other")])
    fill(url, [quoted("quoted", text=new, **later)])
    fill(url, [template_record(number) for number in (1, 2)])
    fill(url, [seed(1), page(1), page(2, is_relevant=False), page("", via="")])
    write_run(url, crawl_run(1, details={"rules": {"name": "demo"}}, ended_at=NOW))
    folder.mkdir()
    site = site_over(url, folder, sections=("玉米",))
    add_users(site)
    with closing(site.database), client_of(site) as client:
        log_in(client, Role.EDITOR)
        # Read before the verdict and not again, or the lists would depend on how long that takes.
        wait_until(lambda: client.get("/prices").status_code == 200)
        shown = re.search(
            r'name="shown" value="([^"]*)"', client.get(f"/prices/quotes/{QUOTED}/3").text
        )
        assert shown
        form = {"verdict": "refused", "shown": shown[1], "note": "单位有误"}
        assert client.post(f"/prices/quotes/{QUOTED}/3", data=form).status_code == 303
        log_in(client, Role.ADMINISTRATOR)
        answers = {path: client.get(path) for path in PATHS}
        assert {path for path, one in answers.items() if one.status_code != 200} == set()
        texts = {path: _CHANGING.sub("", one.text) for path, one in answers.items()}
        return texts | feeds_of(client)


def feeds_of(client: TestClient) -> dict[str, str]:
    """Return the feeds of saved searches, each without its secret address and number."""
    for search in SEARCHES:
        client.post("/mine/searches", data=search)
    addresses = re.findall(r'href="(/articles/feeds/[^"]+)"', client.get("/mine").text)
    feeds = [client.get(address).text.partition("<entry>")[2] for address in addresses]
    return {f"feed {number}": feed for number, feed in enumerate(feeds)}


@pytest.mark.server
def test_pages_are_the_same_on_all_stores(
    mysql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(price_snapshots, "CHECK_SECONDS", 3600.0)
    pages = pages_of(sqlite_url(tmp_path / "store.sqlite"), tmp_path / "first")
    others = pages_of(mysql_url, tmp_path / "second")
    assert {path for path in pages if pages[path] != others[path]} == set()
    assert len(pages) == len(PATHS) + len(SEARCHES)
    assert "单位有误" in pages[f"/prices/quotes/{QUOTED}/3?list=doubts"]
    assert all("<title>" in pages[f"feed {number}"] for number in range(len(SEARCHES)))


def test_a_store_that_is_away(tmp_path: Path) -> None:
    site = site_over("mysql+pymysql://u:p@127.0.0.1:9/away", tmp_path)
    with closing(site.database), client_of(site) as client:
        for path in WHEN_AWAY:
            answer = client.get(path)
            assert answer.status_code == 503, path
            assert answer.headers["refresh"] == "10", path
            assert "数据库暂时无法访问" in answer.text, path
