"""Phones, where rows are cards and the navigation is one row, and paper."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pdfplumber
import pytest

from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.web_site import WebSite
from tests.stores import record_examples
from tests.web.conftest import fill, served, site_over
from tests.web.crawls.run_examples import fill_runs, run_of
from tests.web.prices.conftest import FIRST, bulletin, priced, weeks

PHONE, LYING = {"width": 390, "height": 844}, {"width": 844, "height": 390}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with prices, records and runs."""
    folder = tmp_path_factory.mktemp("web")
    url = sqlite_url(folder / "store.sqlite")
    fill(url, [*weeks(), record_examples.page(), record_examples.template_record()])
    fill_runs(url, [run_of(1), run_of(2, days=1)])
    site = site_over(url, folder)
    with served(site) as found:
        yield found
    site.database.close()


def opened(visit: Callable[..., Any], address: str, **options: Any) -> Any:
    page = visit(address, **options)
    # The table of prices is being read.
    while page.locator("main form").count() == 0:
        page.wait_for_timeout(100)
        page.goto(address)
    page.wait_for_load_state("networkidle")
    return page


def test_a_phone_shows_cards_below_one_row_of_navigation(
    address: str, visit: Callable[..., Any]
) -> None:
    page = opened(visit, f"{address}/prices", viewport=PHONE)
    assert page.locator(".top").bounding_box()["height"] < 60
    chart = page.locator(".chart").first.bounding_box()
    assert chart["y"] + chart["height"] / 2 < PHONE["height"]
    for name in ("prices/quotes", "crawls"):
        page.goto(f"{address}/{name}")
        row = page.locator("table.stacked tbody tr").first
        assert row.bounding_box()["height"] < 330, name
        assert row.bounding_box()["width"] <= PHONE["width"], name
        assert page.locator("thead").first.is_hidden(), name
        label = "el => getComputedStyle(el, '::before').content"
        assert len(row.locator("td[data-label]").last.evaluate(label)) > 2, name
    page.set_viewport_size(LYING)
    assert page.locator("thead").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper(scheme: str, address: str, visit: Callable[..., Any]) -> None:
    page = opened(visit, f"{address}/prices/matrix", color_scheme=scheme)
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    with pdfplumber.open(io.BytesIO(printed)) as matrix:
        assert len(matrix.pages) == 1
        colours = {one["non_stroking_color"] for one in matrix.pages[0].rects}
        assert any(len(set(colour or ())) > 1 for colour in colours)
        words = matrix.pages[0].extract_text()
        assert page.locator("thead th").last.inner_text()[-5:] in words
        assert "CSV" not in words
    page = opened(visit, f"{address}/prices", color_scheme=scheme)
    with pdfplumber.open(io.BytesIO(page.pdf(format="A4", prefer_css_page_size=True))) as prices:
        # The chart is whole: no wider than the sheet, and not a strip.
        (chart,) = (one for sheet in prices.pages for one in sheet.images)
        assert chart["x1"] <= prices.pages[0].width
        assert chart["bottom"] - chart["top"] > 100
        assert "全部日期" not in prices.pages[0].extract_text()


def test_two_thousand_rows_on_paper(site: WebSite, visit: Callable[..., Any]) -> None:
    places = [("山东", "潍坊"), ("吉林", "长春"), ("河北", "石家庄")]
    quotes = [
        priced(f"第{n}号收购站", FIRST, 2000 + n % 200, province=province, city=city)
        for n in range(2000)
        for province, city in [places[n % 3]]
    ]
    days = [bulletin(FIRST, quotes), bulletin(FIRST + timedelta(days=1), quotes[:60])]
    fill(site.store_url, days)
    with served(site) as address:
        for name, most in (("morning", 1), ("matrix", 1), ("quotes", 5)):
            page = opened(visit, f"{address}/prices/{name}")
            assert "2,0" in page.locator("main").inner_text(), name
            with pdfplumber.open(io.BytesIO(page.pdf(format="A4"))) as printed:
                assert len(printed.pages) <= most, name
                words = "".join(sheet.extract_text() for sheet in printed.pages)
            assert words.count("收购站") >= 60, name
