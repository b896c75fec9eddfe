"""Errors of Scrapy about settings that it cannot use, in one line that names the setting.

Also the error that ended a crawl which a command has run.
"""

from __future__ import annotations

import re
from asyncio import Future
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings

from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.system.machine_faults import named

# The messages of scrapy.utils.misc.load_object.
_NO_OBJECT = re.compile(r"Module '(.+)' doesn't define any object named '(.+)'")
_NO_PATH = re.compile(r"Error loading object '(.*)': not a full path")


@contextmanager
def named_options(given: Iterable[str]) -> Iterator[None]:
    """Raise ArgumentError for a wrong ``-s NAME=VALUE`` or a file of an option, while they are read."""
    try:
        yield
    except (UsageError, TypeError, AssertionError):
        for text in given:
            _check_option(text)
        raise
    except OSError as error:
        raise ArgumentError(
            f"cannot write {error.filename} ({error.strerror}); name another file"
        ) from error


def _check_option(text: str) -> None:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentError(f"{text!r} sets nothing; write -s NAME=VALUE")
    try:
        # Scrapy's defaults tell which settings are objects.
        Settings().set(name, value, "cmdline")
    except (ValueError, TypeError, AssertionError):
        raise ArgumentError(
            f"{name} = {value!r} cannot be read; write a JSON object such as "
            """'{"my.Component": 500}'"""
        ) from None


@contextmanager
def named_settings(settings: BaseSettings) -> Iterator[None]:
    """Raise ArgumentError in place of Scrapy's error about a component or file of a setting."""
    try:
        yield
    except Exception as error:
        if found := setting_error(error, settings):
            raise found from error
        raise


def setting_error(error: BaseException | None, settings: BaseSettings) -> ArgumentError | None:
    """Return the error for a setting with a log file or a component that does not exist, or None.

    An error inside of a component that exists is not the setting's.
    """
    if isinstance(error, OSError) and settings["LOG_FILE"] and error.filename:
        if str(error.filename).endswith(settings["LOG_FILE"]):
            return ArgumentError(
                f"LOG_FILE = {settings['LOG_FILE']!r} cannot be written ({error.strerror});"
                " name another file"
            )
        return None
    missing = _missing(error)
    for name, value in settings.items():
        for path in _texts(value):
            if missing and f"{path}.".startswith(f"{missing}."):
                return ArgumentError(
                    f"{name} names {path!r}, which cannot be loaded ({error}); correct the setting,"
                    " or install the package"
                )
    return None


def _missing(error: BaseException | None) -> str:
    if isinstance(error, ModuleNotFoundError):
        return error.name or ""
    if match := _NO_OBJECT.search(str(error)):
        return f"{match[1]}.{match[2]}"
    match = _NO_PATH.search(str(error))
    return match[1] if match else ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.split(",")
    elif isinstance(value, Mapping | BaseSettings):
        for key, path in value.items():
            yield from (text for text in (key, path) if isinstance(text, str))
    elif isinstance(value, list | tuple):
        yield from (text for text in value if isinstance(text, str))


def crawl_error(task: Future[Any], settings: BaseSettings) -> BaseException | None:
    """Return the error that ended a crawl, a FocuscrawlError where the user can fix it; None without one."""
    error = None if task.cancelled() or not task.done() else named(task.exception())
    return _user_error(error) or setting_error(error, settings) or error


def _user_error(error: BaseException | None) -> FocuscrawlError | None:
    """Return an error of the user, also if it made Scrapy fail to close components it had not opened."""
    while error is not None and not isinstance(error, FocuscrawlError):
        error = error.__context__
    return error
