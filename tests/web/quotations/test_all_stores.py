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
from tests.stores.record_examples import NOW, page, seed, template_record
from tests.web.conftest import add_users, client_of, fill, log_in, site_over
from tests.web.quotations.quoted_articles import TEXT, quote_at, quoted

KINDS = ["sqlite", "mysql_url"]
KEY, RECORD, PAGE = quoted(1).url_md5, template_record(1).key, page(1).key
PATHS = [
    f"/prices/quotes/{KEY}/0",
    f"/prices/quotes/{KEY}/0.json",
    f"/prices/quotes/{KEY}/3?list=doubts",
    f"/prices/articles/{KEY}",
    f"/prices/articles/{KEY}?known_on={NOW.date()}",
    f"/prices/articles/{KEY}/versions",
    "/prices/revised",
    "/prices/doubts",
    "/records",
    "/records.csv",
    f"/records/{RECORD}",
    "/pages",
    f"/pages/{PAGE}",
]
_seen: dict[str, str] = {}


def url_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    if kind == "sqlite":
        return sqlite_url(folder / "store.sqlite")
    url: str = request.getfixturevalue(kind)
    return url


def texts(client: TestClient) -> dict[str, str]:
    """Return all pages, without what differs from run to run."""
    found = {}
    for path in PATHS:
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        plain = re.sub(r"统计于 [-0-9: ]+", "", answer.text)
        found[path] = re.sub(r"editor，[-0-9: ]+|[-0-9: ]+ <bdi>editor", "editor", plain)
        found[path] = re.sub(r'("decided_at":")[^"]*|name="shown" value="[^"]*"', "", found[path])
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_the_same_on_all_stores(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = url_of(kind, request, tmp_path)
    new = TEXT.replace("0.815", "0.825")
    quotes = quoted().quotes or []
    changed = [quote_at(new, "0.825元/斤", entity="寿光金玉米", price_low=Decimal("0.825"))]
    fill(url, [quoted(number) for number in (1, 2)])
    fill(
        url, [quoted(text=new, quotes=[*changed, *quotes[1:]], fetched_at=NOW + timedelta(days=1))]
    )
    fill(url, [template_record(number) for number in (1, 2)])
    fill(url, [seed(1), page(1), page(2, is_relevant=False), page("", via="")])
    site = site_over(url, tmp_path)
    add_users(site)
    with closing(site.database), client_of(site) as client:
        log_in(client, Role.EDITOR)
        path = f"/prices/quotes/{KEY}/3"
        shown = re.search(r'name="shown" value="([^"]*)"', client.get(path).text)
        assert shown
        form = {"verdict": "refused", "shown": shown[1], "note": "单位有误"}
        assert client.post(path, data=form).status_code == 303
        found = texts(client)
    assert "单位有误" in found[f"/prices/quotes/{KEY}/3?list=doubts"]
    # Those of the kind that came first.
    expected = _seen or found
    assert {path for path in PATHS if found[path] != expected[path]} == set()
    _seen.update(found)


@pytest.mark.parametrize("path", PATHS)
def test_a_store_that_is_away(tmp_path: Path, path: str) -> None:
    site = site_over("mysql+pymysql://u:p@127.0.0.1:9/away", tmp_path)
    with closing(site.database), client_of(site) as client:
        answer = client.get(path)
        assert answer.status_code == 503
        assert answer.headers["refresh"] == "10"
        assert "数据库暂时无法访问" in answer.text
