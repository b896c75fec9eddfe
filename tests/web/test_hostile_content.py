"""Stored and reflected scripts, markup and formulas: through every field that comes from a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import Article, NumberedArticle, Page, Record, Seed, TemplateRecord
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_application import ROUTES
from focuscrawl.web.web_site import WebSite
from tests.stores import record_examples
from tests.web.conftest import add_users, client_of, fill, log_in, served
from tests.web.site_walk import faults_of, formulas_in, walk

HOSTILE = (
    "=1+1\"'><script>alert(1)</script><img src=x onerror=alert(2)>"
    "</textarea></title><svg onload=alert(3)>{{7*7}}${7*7}\u202e</a> style='x'"
)
_T = TypeVar("_T")
# Columns with an index of limited length, and those with a fixed set of values.
_KEPT = {"site", "crawl", "series", "url", "unit", "entity_type", "province", "city", "county",
         "state", "change", "verdict", "topic", "template", "region_md5", "spider", "machine"}  # fmt: skip


def hostile(record: _T) -> _T:
    """Return a record with the hostile text in each field that holds a text of a site."""

    def value(name: str, old: Any) -> Any:
        if name in _KEPT:
            return old
        if isinstance(old, str):
            return HOSTILE
        if is_dataclass(old) and not isinstance(old, type):
            return hostile(old)
        if isinstance(old, list):
            return [value(name, entry) for entry in old]
        return old

    changed = {
        entry.name: value(entry.name, getattr(record, entry.name)) for entry in fields(record)
    }  # type: ignore[arg-type]
    return replace(record, **changed)  # type: ignore[type-var]


def hostile_records() -> list[Record]:
    article = record_examples.article(quotes=[record_examples.quote()])
    lures: list[Record] = [
        article,
        record_examples.numbered(),
        record_examples.page(),
        record_examples.template_record(),
        record_examples.seed(),
    ]
    kinds = (Article, NumberedArticle, Page, TemplateRecord, Seed)
    assert all(isinstance(lure, kind) for lure, kind in zip(lures, kinds, strict=True))
    linked = replace(article, url="javascript:alert(4)//demo.example/2.htm")  # type: ignore[type-var]
    return [*map(hostile, lures), hostile(linked)]


@pytest.fixture
def administrator(site: WebSite, store_url: str) -> Any:
    """A client that may see everything, over a store full of hostile texts."""
    fill(store_url, hostile_records())
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.ADMINISTRATOR)
        yield client


def test_no_page_within_reach_has_markup_or_formulas_of_a_site(administrator: TestClient) -> None:
    seen = 0
    for address, answer in walk(administrator, "/prices", "/users", "/log", "/account"):
        assert answer.status_code in (200, 303), (address, answer.text[-500:])
        assert (
            faults_of(answer.text if "html" in answer.headers.get("content-type", "") else "") == []
        ), address
        assert formulas_in(answer) == [], address
        seen += 1
    assert seen > 20


def test_no_value_of_a_query_becomes_markup(administrator: TestClient) -> None:
    names = ("q", "next", "commodity", "entity", "region", "site", "tag", "crawl", "unit", "view",
             "topic", "series", "from", "to", "known_on", "before", "after", "page", "spider")  # fmt: skip
    query = urlencode(dict.fromkeys(names, HOSTILE))
    for route in ROUTES:
        if route.methods == ("GET",) and "{" not in route.path:
            answer = administrator.get(f"{route.path}?{query}")
            assert answer.status_code < 500, route
            if "html" in answer.headers.get("content-type", ""):
                assert faults_of(answer.text) == [], route


def test_the_browser_runs_none_of_it(
    site: WebSite, store_url: str, visit: Callable[..., Any]
) -> None:
    fill(store_url, hostile_records())
    with served(site) as address:
        page = visit(f"{address}/prices")
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        for name in ("prices", "articles", "search", "crawls", "alarms"):
            page.goto(f"{address}/{name}")
            page.wait_for_load_state("networkidle")
