"""A crawl that keeps pages: the pipelines, the stores, and what is said at the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import openpyxl

from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import everything, page

SPIDER = """
from scrapy import Spider
from focuscrawl.items import Page
from tests.stores.record_examples import page

class Kept(Spider):
    name = "kept"
    item_class = Page

    async def start(self):
        for entry in (page(1), page(2), page(1), page(2, title="neu")):
            yield entry
"""
ROOT = Path(__file__).parents[2]


def crawl(folder: Path) -> str:
    """Run the spider and return the summary."""
    (folder / "spider.py").write_text(SPIDER)
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "runspider", "spider.py"],
        cwd=folder,
        env=os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_pages_are_stored_and_told_of(tmp_path: Path) -> None:
    told = crawl(tmp_path)
    assert "  kept      2 new, 1 changed, 1 unchanged\n" in told
    assert "articles" not in told
    assert f"  results   {tmp_path}/data/focuscrawl.sqlite\n" in told
    (store,) = make_stores(f"sqlite:///{tmp_path}/data/focuscrawl.sqlite")
    await store.open()
    kept = await everything(store.pages("money"))
    await store.close()
    assert sorted(kept, key=lambda entry: entry.url) == [page(1), page(2, title="neu")]
    book = openpyxl.load_workbook(tmp_path / "data" / "focuscrawl.xlsx")
    assert book.sheetnames == ["网页"]
    assert book["网页"].max_row == 3
