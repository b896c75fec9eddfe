"""A store with articles of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import Record
from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.accounts.permissions import Role
from tests.stores.record_examples import article, gone, incomplete, numbered
from tests.web.conftest import HOST, client_of, fill, log_in, site_over

HOSTILE = '<script>alert("x")</script>\u202e"><img src=x onerror=alert(1)>'


def numbered_ones() -> list[Record]:
    """Return 45 numbered articles, the newest with the highest number, and odd ones."""
    plain = [
        numbered(
            n,
            title=f"{'Python' if n % 2 else '玉米'} 教程 {n}",
            tags=["单号" if n % 2 else "双号", "教程"],
            description=f"第{n}篇的摘要",
            body_text=f"第{n}篇讲网络爬虫。\n\n第二段 <b>粗体</b>",
            body_html="<script>alert(1)</script>",
            published=date(2026, 1, 1 + n // 2),
        )
        for n in range(45)
    ]
    odd = [
        numbered(100, title=HOSTILE, tags=[HOSTILE], author=HOSTILE, description=HOSTILE,
                 body_text=f"恶意 {HOSTILE}", published=date(2026, 3, 1)),
        numbered(101, title="长" * 1_000_000, tags=["签" * 5000], body_text="", description="",
                 published=None),
    ]  # fmt: skip
    return [*plain, *odd]


def listed_ones() -> list[Record]:
    """Return articles of a list crawl: plain, incomplete, without prices, and gone."""
    return [
        article(1, published=date(2026, 1, 30)),
        incomplete(2, published=None),
        article(3, quotes=[]),
        article(4),
        gone(4),
    ]


def another(client: TestClient, role: Role | None = None) -> TestClient:
    """Return another visitor of the same running site, logged in if there is a role."""
    other = TestClient(client.app, HOST, headers=client.headers, follow_redirects=False)
    other.headers.pop("cookie", None)
    if role:
        log_in(other, role)
    return other


@pytest.fixture
def filled(store_url: str) -> str:
    """The URL of the store, with articles."""
    fill(store_url, [*numbered_ones(), *listed_ones()])
    return store_url


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a site with articles, for tests that only look."""
    folder = tmp_path_factory.mktemp("articles")
    url = sqlite_url(folder / "store.sqlite")
    fill(url, [*numbered_ones(), *listed_ones()])
    site = site_over(url, folder)
    with closing(site.database), client_of(site) as client:
        yield client
