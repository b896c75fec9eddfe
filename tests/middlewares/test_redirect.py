"""Sites that redirect until they get the cookie that they have set."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.middlewares.redirect import CookieWalls, MetaRefresh, Redirect
from focuscrawl.network.failure_names import COOKIE_REQUIRED

Site = Callable[[str], Response]
COOKIE = {"Set-Cookie": "ok=1; path=/"}


def to_itself(url: str) -> Response:
    return Response(url, status=302, headers=COOKIE | {"Location": url})


def over_a_second_page(url: str) -> Response:
    if url.endswith("/set"):
        return Response(url, status=307, headers=COOKIE | {"Location": "/"})
    return Response(url, status=302, headers={"Location": "/set"})


def with_a_token(url: str) -> Response:
    return Response(url, status=302, headers=COOKIE | {"Location": f"/?n={len(url)}{url[-1]}"})


def by_meta_refresh(url: str) -> Response:
    body = f"<html><meta http-equiv=refresh content='0; url={url}'></html>".encode()
    return HtmlResponse(url, headers=COOKIE, body=body)


def without_a_cookie(url: str) -> Response:
    return Response(url, status=302, headers={"Location": url})


def outcome(
    monkeypatch: pytest.MonkeyPatch, kind: type[CookieWalls], site: Site, **settings: object
) -> tuple[str, int, list[str]]:
    """Return why the last request failed, the number of requests, and the notes."""
    # They ask the engine, which only a running crawl has.
    monkeypatch.setattr("focuscrawl.middlewares.redirect.kills", lambda *_: False)
    crawler = get_crawler(settings_dict=settings)
    middleware, request = kind.from_crawler(crawler), Request("http://a.test/")
    for count in range(1, 99):
        try:
            found = middleware.process_response(request, site(request.url))  # type: ignore[attr-defined]
        except IgnoreRequest as error:
            return str(error), count, RunningCrawl.of(crawler).notes
        assert isinstance(found, Request)
        request = found
    raise AssertionError("endless")


@pytest.mark.parametrize(
    ("kind", "site", "most"),
    [
        (Redirect, to_itself, 2),
        (Redirect, over_a_second_page, 4),
        (Redirect, with_a_token, 21),
        (MetaRefresh, by_meta_refresh, 2),
    ],
)
def test_a_cookie_wall_is_named(
    monkeypatch: pytest.MonkeyPatch, kind: type[CookieWalls], site: Site, most: int
) -> None:
    why, count, (told,) = outcome(monkeypatch, kind, site, COOKIES_ENABLED=False)
    assert why == COOKIE_REQUIRED
    assert count <= most
    assert "-s COOKIES_ENABLED=True" in told


def test_other_loops_are_endless_redirects(monkeypatch: pytest.MonkeyPatch) -> None:
    why, count, told = outcome(monkeypatch, Redirect, without_a_cookie, COOKIES_ENABLED=False)
    assert (why, count, told) == ("max redirections reached", 21, [])
    why, count, told = outcome(monkeypatch, Redirect, to_itself, COOKIES_ENABLED=True)
    assert (why, count, told) == ("max redirections reached", 21, [])
