"""Every page by axe-core, light and wide, dark and narrow; by keyboard; and without JavaScript."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.stores.database_urls import sqlite_url
from tests.conftest import missing
from tests.stores import record_examples
from tests.web.conftest import fill, served, site_over

AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
PAGES = (
    "prices",
    "prices/matrix",
    "prices/morning",
    "articles",
    "search",
    "search?q=玉米&kind=article",
    "crawls",
    "alarms",
)
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
_PATIENCE = 30
_SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with a record of each kind."""
    folder = tmp_path_factory.mktemp("web")
    url = sqlite_url(folder / "store.sqlite")
    examples = record_examples
    fill(url, [examples.article(quotes=[examples.quote()]), examples.numbered(), examples.page(),
               examples.template_record(), examples.seed()])  # fmt: skip
    site = site_over(url, folder)
    with served(site) as found:
        yield found
    site.database.close()


@pytest.mark.parametrize("name", PAGES)
def test_no_serious_findings(name: str, address: str, visit: Callable[..., Any]) -> None:
    if not AXE.exists():
        missing("axe-core is not fetched; run make assets")
    page = visit(f"{address}/{name}")
    page.wait_for_load_state("networkidle")
    # Evaluated by the debugger, which the content security policy does not concern.
    page.evaluate(AXE.read_text("utf-8"))
    for scheme, size in (("light", WIDE), ("dark", NARROW)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        found = page.evaluate("async () => (await axe.run()).violations")
        assert [
            (one["id"], [node["html"][:200] for node in one["nodes"]])
            for one in found
            if one["impact"] in _SERIOUS
        ] == [], (scheme, size)
        # The page itself never scrolls sideways, once its chart has followed; wide tables do, in
        # their own frame.
        _wait_until_it_fits(page, size["width"])


def _wait_until_it_fits(page: Any, width: int) -> None:
    end = time.monotonic() + _PATIENCE
    # Not by wait_for_function, which the content security policy forbids.
    while page.evaluate("document.documentElement.scrollWidth") > width:
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def test_readable_without_javascript(address: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{address}/prices", java_script_enabled=False)
    for name in PAGES:
        page.goto(f"{address}/{name}")
        assert page.locator("h1").count() == 1, name
        assert page.locator("main").inner_text().strip(), name


def test_the_first_tab_leads_to_the_content(address: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{address}/articles")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
