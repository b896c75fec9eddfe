"""Routes and background work of all pages about crawls."""

from __future__ import annotations

from focuscrawl.web.crawls import crawl_pages, metrics_page
from focuscrawl.web.crawls.operation import schedule_pages, start_pages

ROUTES = (
    *crawl_pages.ROUTES,
    *start_pages.ROUTES,
    *schedule_pages.ROUTES,
    *metrics_page.ROUTES,
)
BACKGROUND = schedule_pages.BACKGROUND
