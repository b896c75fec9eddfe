"""Routes and background work of all pages about alarms."""

from __future__ import annotations

from focuscrawl.web.alarms import alarm_pages, alarm_runner

ROUTES = alarm_pages.ROUTES
BACKGROUND = alarm_runner.BACKGROUND
