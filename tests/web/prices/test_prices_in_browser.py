"""The prices in a real browser: choosing, following a point, and all of it without JavaScript."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import PASSWORD, add_users, fill, served
from tests.web.prices.conftest import LAST, bulletin, priced, weeks


@pytest.fixture
def address(site: WebSite) -> Iterator[str]:
    fill(site.store_url, weeks())
    with served(site) as found:
        yield found


def test_choose_and_follow_a_point(site: WebSite, address: str, visit: Callable[..., Any]) -> None:
    if not (site.assets.has_charts and site.assets.has_interaction):
        pytest.skip("the libraries are not fetched; run make assets")
    page = visit(f"{address}/prices", viewport={"width": 1440, "height": 900})
    page.wait_for_selector("[data-chart] canvas")
    assert "玉米" in page.locator("[data-chart]").get_attribute("aria-label")
    page.select_option("select[name=province]", "吉林")
    page.wait_for_url("**province=*")
    page.wait_for_selector("h1:has-text('吉林')")
    page.wait_for_selector("[data-chart] canvas")
    page.fill("input[name=find]", "长春")
    page.click("#suggested a:has-text('吉林长春')")
    page.wait_for_selector("h1:has-text('长春')")
    page.wait_for_selector("[data-chart] canvas")
    box = page.locator("[data-chart]").bounding_box()
    # The newest day is at the right end of the first axis.
    page.mouse.click(box["x"] + box["width"] - 30, box["y"] + 60)
    page.wait_for_url("**/prices/quotes/*/3")
    assert bulletin(LAST, []).url_md5 in page.url
    page.go_back()
    page.wait_for_selector("[data-chart] canvas")
    assert page.locator("label.chip").inner_text() == "长春"
    page.click(".chip input")  # uncheck would look again at a box that is gone
    page.wait_for_selector("h1:has-text('吉林 玉米')")
    assert "entity" not in page.url


def test_an_explained_word_leads_to_its_explanation(
    address: str, visit: Callable[..., Any]
) -> None:
    page = visit(f"{address}/prices", viewport={"width": 1366, "height": 300})
    page.click("a.term >> nth=-1")
    page.wait_for_url("**/help#prices.*")
    assert page.locator("dt:target").is_visible()
    assert 0 <= page.locator("dt:target").bounding_box()["y"] < 300


def test_without_javascript(address: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{address}/prices", java_script_enabled=False)
    picture = page.locator("noscript img, img.chart").first
    page.wait_for_load_state("networkidle")
    # The page's own scripts are off, and those of Playwright with them.
    assert picture.get_attribute("src").startswith("/prices.png")
    assert page.request.get(f"{address}/prices.png").body()[:4] == b"\x89PNG"
    page.select_option("select[name=province]", "山东")
    page.click("form.choices button")
    page.wait_for_url("**province=*")
    assert "山东" in page.locator("h1").inner_text()
    page.locator("table.days tbody a").first.click()
    page.wait_for_url("**/prices/quotes?*")
    # Those of Shandong on the newest day.
    assert page.locator("tbody tr").count() == 3
    page.locator("tbody td.n a").first.click()
    page.wait_for_url("**/prices/quotes/*/*")


def test_narrow_screens_never_scroll_sideways(address: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{address}/prices", viewport={"width": 390, "height": 844})
    for path in ("/prices", "/prices/matrix", "/prices/morning", "/prices/quotes"):
        page.goto(f"{address}{path}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert str(LAST) in page.locator("main").inner_text() or str(LAST)[5:] in page.content()


CHARTS = (
    "", "entity=长春", "view=years", "view=festival", "view=moves", "entity=长春&view=years",
    "entity=长春&entity=寿光&province=山东", "entity=长春&entity=寿光&compare=index",
)  # fmt: skip
_COUNTED = """frame => {
  const chart = JSON.parse(document.getElementById(frame.dataset.chart).textContent);
  const model = echarts.getInstanceByDom(frame).getModel();
  const lines = Object.fromEntries(chart.lines.map((line) => [line.name, line]));
  const count = [];
  model.eachSeries((series) => {
    const line = lines[series.name], data = series.getData();
    if (!line || series.get("silent") && line.role !== "bars") return;
    const stored = line.values.filter((value) => value !== null).length;
    let drawn = 0;
    data.each((place) => { const mark = data.getItemGraphicEl(place); drawn += mark && !mark.ignore ? 1 : 0; });
    count.push([series.name, stored, drawn]);
  });
  return count;
}"""


@pytest.mark.parametrize("days", [4, 30])
def test_every_stored_value_is_drawn(days: int, site: WebSite, visit: Callable[..., Any]) -> None:
    if not site.assets.has_charts:
        pytest.skip("the libraries are not fetched; run make assets")
    # Sparse or dense, and beyond the number of values up to which ECharts draws all marks by itself.
    fill(site.store_url, weeks(days))
    with served(site) as address:
        page = visit(f"{address}/prices", viewport={"width": 390, "height": 844})
        for query in CHARTS:
            page.goto(f"{address}/prices?{query}")
            page.wait_for_selector("[data-chart] canvas")
            counts = page.locator("[data-chart]").evaluate(_COUNTED)
            assert counts
            assert [(name, stored) for name, stored, _ in counts] == [
                (name, drawn) for name, _, drawn in counts
            ], query


_ENDS = """frame => {
  const model = echarts.getInstanceByDom(frame).getModel(), ends = [];
  model.eachSeries((series) => { if (series.get(["endLabel", "show"])) ends.push([series.name, series.get(["endLabel", "offset"])[1]]); });
  return ends;
}"""
_ZOOM = "frame => echarts.getInstanceByDom(frame).dispatchAction({type: 'dataZoom', startValue: 0, endValue: 10})"


def test_names_at_the_ends_follow_the_zoom(site: WebSite, visit: Callable[..., Any]) -> None:
    if not site.assets.has_charts:
        pytest.skip("the libraries are not fetched; run make assets")
    # Two lines that end together after the first days, and far from each other at the end.
    days = [LAST + timedelta(days=n) for n in range(30)]
    fill(site.store_url, [
        bulletin(day, [priced("寿光", day, 2000), priced("长春", day, 2000 + max(0, n - 10) * 50)])
        for n, day in enumerate(days)
    ])  # fmt: skip
    with served(site) as address:
        page = visit(
            f"{address}/prices?entity=寿光&entity=长春", viewport={"width": 1366, "height": 768}
        )
        page.wait_for_selector("[data-chart] canvas")
        chart = page.locator("[data-chart]")
        assert [offset for _, offset in chart.evaluate(_ENDS)] == [0, 0]
        chart.evaluate(_ZOOM)
        assert sorted(offset for _, offset in chart.evaluate(_ENDS)) == [0, 16]


def test_a_phone_that_turns(address: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{address}/prices", viewport={"width": 390, "height": 844})
    page.wait_for_selector("[data-chart] canvas")
    for size in ({"width": 844, "height": 390}, {"width": 390, "height": 844}):
        page.set_viewport_size(size)
        canvas, end = page.locator("[data-chart] canvas"), time.monotonic() + 30
        while not size["width"] * 0.9 < canvas.bounding_box()["width"] <= size["width"]:
            assert time.monotonic() < end
            page.wait_for_timeout(50)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_morning_beside_its_chart(
    site: WebSite, address: str, visit: Callable[..., Any]
) -> None:
    if not (site.assets.has_charts and site.assets.has_interaction):
        pytest.skip("the libraries are not fetched; run make assets")
    page = visit(f"{address}/prices/morning", viewport={"width": 1366, "height": 768})
    page.wait_for_selector("#beside [data-chart] canvas")
    for part in ("#morning tbody tr:nth-child(4)", "#beside canvas"):
        box = page.locator(part).last.bounding_box()
        assert box["y"] + box["height"] <= 768, part
    page.click("#morning th a:has-text('诸城')")
    page.wait_for_selector("#beside h2:has-text('诸城')")
    page.wait_for_selector("#beside [data-chart] canvas")
    page.locator("input[name=find]").press_sequentially("cc")
    page.wait_for_selector("#morning caption:has-text('1 家')")
    assert page.locator("#morning tbody th[scope=row]").inner_text() == "长春"


def test_a_doubtful_price_is_confirmed_in_place(site: WebSite, visit: Callable[..., Any]) -> None:
    if not site.assets.has_interaction:
        pytest.skip("the libraries are not fetched; run make assets")
    fill(
        site.store_url,
        [
            *weeks(),
            bulletin(LAST + timedelta(days=1), [priced("寿光", LAST + timedelta(days=1), 4500)]),
        ],
    )
    add_users(site)
    with served(site) as address:
        page = visit(f"{address}/login")
        page.fill("[name=name]", Role.EDITOR)
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.goto(f"{address}/prices/morning?sort=-day")
        page.click("#morning a.flag")
        page.click("#beside button[value=confirmed]")
        page.wait_for_selector("#beside .verdict.confirmed")
        assert page.url.endswith("/prices/morning?sort=-day")
        assert page.locator("#morning tbody th[scope=row]").count() == 4
        page.click("#morning button[aria-label='置顶 诸城']")
        page.wait_for_selector("#morning tr.group:has-text('置顶')")
        assert page.locator("#morning a.flag").count() == 0
