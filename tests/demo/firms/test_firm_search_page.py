"""The search engines of the demo web, read as the shipped engine file says."""

from __future__ import annotations

from itertools import islice
from urllib.parse import urlsplit

import pytest

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.firms.firm_web import SEARCH_HOSTS, Firms
from focuscrawl.errors import SearchEngineError
from focuscrawl.templates.search_engines.search_engine import (
    Result,
    SearchEngine,
    load_search_engine,
)

FIRST, SECOND = "demo", f"demo@http://{SEARCH_HOSTS[1]}"
QUERY = "四川软件公司"


@pytest.fixture(scope="module")
def firms() -> Firms:
    return Firms(3, 120)


@pytest.fixture(scope="module")
def web(firms: Firms) -> DemoWeb:
    return DemoWeb(1, 3, more_sites=firms)


def answer(web: DemoWeb, url: str) -> Response:
    return web.respond(url, {})


def results(web: DemoWeb, engine: SearchEngine, keyword: str) -> list[Result]:
    """Turn pages until the last one, as a crawl does."""
    found: list[Result] = []
    for url in engine.pages(keyword):
        page = engine.read(answer(web, url).body.decode("gbk"), url)
        found += page.results
        if page.is_last:
            break
    return found


def real(web: DemoWeb, result: Result) -> str:
    return result.url or answer(web, result.href).headers["Location"]


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_every_firm_is_found_once(web: DemoWeb, firms: Firms, name: str) -> None:
    found = results(web, load_search_engine(name), QUERY)
    hosts = [urlsplit(real(web, one)).netloc for one in found]

    assert len(hosts) == len(set(hosts)) == 120
    assert {*hosts, *SEARCH_HOSTS} == set(firms)
    told = [one for one in found if one.url]
    assert all(answer(web, one.href).headers["Location"] == one.url for one in told)
    # Most results only say where they lead when they are requested.
    assert 0.1 < sum(one.url is not None for one in found) / len(found) < 0.4


def test_city_narrows_and_another_province_finds_nothing(web: DemoWeb) -> None:
    engine = load_search_engine(FIRST)

    assert 0 < len(results(web, engine, "成都软件开发公司")) < 60
    assert results(web, engine, "广东软件公司") == []
    assert results(web, engine, "四川天气") == []


def test_76_pages_of_ten_at_most() -> None:
    web = DemoWeb(1, 3, more_sites=Firms(3, 800))
    engine = load_search_engine(FIRST)

    assert len(results(web, engine, QUERY)) == 760
    behind = f"http://{SEARCH_HOSTS[0]}/s?wd=%C8%ED%BC%FE&pn=760"
    assert engine.read(answer(web, behind).body.decode("gbk"), behind).results == ()


@pytest.mark.parametrize(
    ("fault", "words"), [("captcha", "asks for a captcha"), ("redesign", "its layout has changed")]
)
def test_engine_with_a_fault_is_told_from_one_that_finds_nothing(fault: str, words: str) -> None:
    firms = Firms(3, 30)
    firms.engines[SEARCH_HOSTS[0]].fault = fault
    web = DemoWeb(1, 3, more_sites=firms)

    with pytest.raises(SearchEngineError, match=f"search engine demo .*{words}"):
        results(web, load_search_engine(FIRST), QUERY)
    assert len(results(web, load_search_engine(SECOND), QUERY)) == 30
    firms.engines[SEARCH_HOSTS[0]].fault = "down"
    assert answer(web, next(load_search_engine(FIRST).pages(QUERY))).status == 503


def test_odd_requests_get_an_answer(web: DemoWeb) -> None:
    for path in ("/link", "/link?url=x", "/link?url=0-1", "/link?url=0-²", "/x"):
        assert answer(web, f"http://{SEARCH_HOSTS[0]}{path}").status == 404, path
    for first in ("-10", "x", "99999999999", "²"):
        url = f"http://{SEARCH_HOSTS[0]}/s?wd=%C8%ED%BC%FE&pn={first}"
        assert answer(web, url).status == 200, url


def test_query_is_text_and_no_markup(web: DemoWeb) -> None:
    engine = load_search_engine(FIRST)
    url = next(islice(engine.pages('<form id="captcha">软件"'), 1))

    assert len(engine.read(answer(web, url).body.decode("gbk"), url).results) == 10
