"""The error that ended a crawl which a command has run."""

from __future__ import annotations

from asyncio import Future
from typing import Any

from scrapy.settings import BaseSettings

from focuscrawl.command_support.setting_errors import setting_error
from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.machine_faults import named


def crawl_error(task: Future[Any], settings: BaseSettings) -> BaseException | None:
    """Return the error that ended a crawl, a FocuscrawlError where the user can fix it; None without one."""
    error = None if task.cancelled() or not task.done() else named(task.exception())
    return _user_error(error) or setting_error(error, settings) or error


def _user_error(error: BaseException | None) -> FocuscrawlError | None:
    """Return an error of the user, also if it made Scrapy fail to close components it had not opened."""
    while error is not None and not isinstance(error, FocuscrawlError):
        error = error.__context__
    return error
