"""All pages of prices."""

from __future__ import annotations

from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices import matrix_pages, move_pages, quote_pages, series_pages

ROUTES: tuple[PageRoute, ...] = (
    *series_pages.ROUTES,
    *matrix_pages.ROUTES,
    *move_pages.ROUTES,
    *quote_pages.ROUTES,
)
