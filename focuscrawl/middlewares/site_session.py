"""Sessions and forms of a crawl: settings for cookies and a login, its secrets, requests that send a form."""

from __future__ import annotations

import os

from scrapy import Request
from scrapy.crawler import Crawler

from focuscrawl.errors import ArgumentError
from focuscrawl.sites.page_forms import FilledForm
from focuscrawl.sites.site_profile import Login, SiteProfile

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SESSION = "session"
"""Key of ``meta`` with the number of the session that a page was requested in; redirects keep it."""
_LOGIN = "focuscrawl.middlewares.site_login.SiteLogin"
# Nearest the engine but for robots.txt: a page that is fetched again is complete.
_ORDER = 105


def use_session(crawler: Crawler, profile: SiteProfile) -> None:
    """Switch on cookies and the login where a profile has them, before the components are loaded.

    Raises ArgumentError if the environment lacks a secret, or the settings forbid cookies.
    """
    settings = crawler.settings
    if not (profile.cookies or profile.login):
        return
    settings.set("COOKIES_ENABLED", True, priority="spider")
    if not settings.getbool("COOKIES_ENABLED"):
        part = "login" if profile.login else "cookies"
        raise ArgumentError(
            f"site profile {profile.name} has {part}:, so leave out COOKIES_ENABLED=False"
        )
    # It would write the session into the log.
    settings.set("COOKIES_DEBUG", False, priority="cmdline")
    if profile.login:
        if not settings.get("FOCUSCRAWL_REPLAY"):
            secrets_of(profile.login)
        own = settings.getdict("DOWNLOADER_MIDDLEWARES")
        settings.set("DOWNLOADER_MIDDLEWARES", own | {_LOGIN: _ORDER}, priority="spider")


def secrets_of(login: Login) -> dict[str, str]:
    """Return what the environment has for the fields of a login; raises ArgumentError if it lacks one."""
    for field, name in login.fields.items():
        if not os.environ.get(name):
            raise ArgumentError(
                f"login.fields.{field} of the site profile is ${name}, which the environment lacks; export {name}"
            )
    return {field: os.environ[name] for field, name in login.fields.items()}


def posted(form: FilledForm) -> Request:
    """Return the request that sends a form by POST."""
    return Request(form.url, method="POST", body=form.sent.encode("latin-1"), headers=FORM)
