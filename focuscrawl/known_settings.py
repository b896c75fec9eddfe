"""Validation of the ``FOCUSCRAWL_`` settings, and their values from the environment."""

from __future__ import annotations

import codecs
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object

from focuscrawl.errors import ArgumentError
from focuscrawl.system.durable_files import check_utf8

PREFIX = "FOCUSCRAWL_"
MANNERS, STORES, SUMMARY = "FOCUSCRAWL_MANNERS", "FOCUSCRAWL_STORES", "FOCUSCRAWL_SUMMARY"
UNRECORDED = ("FOCUSCRAWL_REPLAY_DEAD", "FOCUSCRAWL_REPLAY_OFF_TOPIC")
"""Shares of the hosts that were not recorded."""
LINKS, FRONTIER = "FOCUSCRAWL_LINK_TOPIC", "SCHEDULER"
# Pipelines and middlewares are coroutines of asyncio, and `scrapy crawl` awaits them.
_REQUIRED: dict[str, Any] = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "TWISTED_REACTOR_ENABLED": True,
    "FORCE_CRAWLER_PROCESS": False,
}
_READERS: dict[type, tuple[str, Callable[[BaseSettings, str], object]]] = {
    bool: ("True or False", BaseSettings.getbool),
    int: ("a number", BaseSettings.getfloat),
    float: ("a number", BaseSettings.getfloat),
}
_TESTS = "FOCUSCRAWL_TEST_"
# Never settings, which others can read on the command line and in files.
_SECRETS = {
    "FOCUSCRAWL_FRONTIER_PASSWORD",
    "FOCUSCRAWL_MAIL_PASSWORD",
    "FOCUSCRAWL_WEBHOOK_TOKEN",
    "FOCUSCRAWL_WEB_METRICS_TOKEN",
    "FOCUSCRAWL_WEB_SECRET",
}
_TRUE, _FALSE = {"1", "true", "yes"}, {"0", "false", "no"}
# Above what the project and its spiders set (20, 30), below the command line (40).
ENVIRONMENT_PRIORITY = 35


def read_environment(settings: BaseSettings, defaults: Mapping[str, Any]) -> None:
    """Read settings from environment variables of the same name; reject unknown names.

    ``defaults`` has the known settings. An empty variable counts as unset. Names that begin with
    ``FOCUSCRAWL_TEST_`` belong to the tests, and those of secrets are no settings. The texts for None, True and False are converted if the
    default is of that type. Raises ArgumentError with the nearest known name.
    """
    known = [name for name in defaults if name.startswith(PREFIX)]
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(PREFIX)
        and not name.startswith(_TESTS)
        and name not in _SECRETS
        and value
    }
    _check_names(variables, known, "environment variable")
    _check_names((name for name in settings if name.startswith(PREFIX)), known, "setting")
    for name, text in variables.items():
        settings.set(name, text, priority=ENVIRONMENT_PRIORITY)
    for name in known:
        if isinstance(value := settings.get(name), str):
            check_utf8(value, name)
            typed = _typed(name, value, defaults[name])
            if typed is not value:
                settings.set(name, typed, priority=settings.getpriority(name) or 0)


def switched_on(spider: Spider | type[Spider], settings: BaseSettings) -> set[str]:
    """Return the settings that switch on parts of the add-on for a spider, before it sets its defaults.

    They are those of ours that are neither None nor False, ``SCHEDULER`` for our frontier, and those
    that others imply. For our spiders and those derived from them, ``FOCUSCRAWL_MANNERS`` stands for all.
    """
    ours = [name for name in settings if name.startswith(PREFIX)]
    on = {name for name in ours if settings[name] not in (None, False)}
    # No host has a private address.
    if settings[guard := "FOCUSCRAWL_ALLOW_PRIVATE"] is False:
        on.add(guard)
    bases = getattr(spider, "__mro__", type(spider).__mro__)
    if any(base.__module__.startswith("focuscrawl.") for base in bases):
        on.add(MANNERS)
    if getattr(spider, "link_topic", None) or getattr(spider, "link_scorer", None) is not None:
        on.add(LINKS)
    if hasattr(load_object(settings["SCHEDULER"]), "add_link"):
        on |= {FRONTIER, STORES}
    if not on.isdisjoint((MANNERS, STORES, "FOCUSCRAWL_MAIL", "FOCUSCRAWL_WEBHOOK")):
        on.add(SUMMARY)
    return on


def check_settings(settings: BaseSettings) -> None:
    """Raise ArgumentError for a setting of Scrapy that is wrong, or with which the add-on cannot work."""
    _check_types(settings)
    _check_log(settings)
    for name, required in _REQUIRED.items():
        found = settings.getbool(name) if isinstance(required, bool) else settings[name]
        if found != required:
            raise ArgumentError(
                f"{name} = {found!r} contradicts the add-on of focuscrawl, which needs {required!r};"
                " remove the setting"
            )
    for name in UNRECORDED:
        if is_given(settings, name) and not settings["FOCUSCRAWL_REPLAY"]:
            raise ArgumentError(f"{name} is for replays; give FOCUSCRAWL_REPLAY, too")


def is_given(settings: BaseSettings, name: str) -> bool:
    """Return whether a share is not 0; one that is no number is refused by who reads it."""
    try:
        return settings.getfloat(name) != 0
    except ValueError:
        return True


def _check_types(settings: BaseSettings) -> None:
    for name, value in settings.items():
        default = getattr(default_settings, name, None)
        kind, read = _READERS.get(type(default), ("", None))
        if name.endswith("_HTTP_CODES"):
            kind, read = "a list of numbers", _read_numbers
        if read and isinstance(value, str):
            try:
                read(settings, name)
            except ValueError:
                raise ArgumentError(
                    f"{name} = {value!r} is not {kind}; correct the setting"
                ) from None


def _check_log(settings: BaseSettings) -> None:
    try:
        logging.Logger("").setLevel(settings["LOG_LEVEL"])
    except (TypeError, ValueError):
        raise ArgumentError(
            f"LOG_LEVEL = {settings['LOG_LEVEL']!r} is no log level; choose from"
            " CRITICAL, ERROR, WARNING, INFO, DEBUG"
        ) from None
    try:
        codecs.lookup(settings["LOG_ENCODING"] or "utf-8")
    except LookupError:
        raise ArgumentError(
            f"LOG_ENCODING = {settings['LOG_ENCODING']!r} is no encoding; correct the setting"
        ) from None


def _read_numbers(settings: BaseSettings, name: str) -> list[int]:
    return [int(text) for text in settings.getlist(name)]


def _check_names(names: Iterable[str], known: list[str], kind: str) -> None:
    for name in names:
        if name in _SECRETS:
            raise ArgumentError(
                f"{name} is a secret; remove the setting, and set the environment variable {name}"
            )
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ArgumentError(f"no {kind} {name!r} is known{hint}")


def _typed(name: str, text: str, default: Any) -> Any:
    if default is None and text == "None":
        return None
    if isinstance(default, bool):
        if (word := text.lower()) not in _TRUE | _FALSE:
            raise ArgumentError(f"{name}={text!r} is neither True nor False; correct the setting")
        return word in _TRUE
    return text
