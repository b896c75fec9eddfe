"""``scrapy serve``: the web views of a store, until Ctrl-C."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import whole_number
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.commands.report import configured_stores, source_store
from focuscrawl.commands.users import web_database
from focuscrawl.errors import ArgumentError
from focuscrawl.stores.store_urls import database_url
from focuscrawl.summary import report_mail, report_webhook
from focuscrawl.summary.report_mail import mail_target
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.system.package_extras import require_extra

if TYPE_CHECKING:
    from focuscrawl.web.crawls.crawl_arguments import CrawlProject
    from focuscrawl.web.web_server import ListenAddress
    from focuscrawl.web.web_site import WebSite

_HOST, _PORT = "127.0.0.1", 8000


class Command(PlainCommand):
    """Serves the web views of a store until Ctrl-C."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "[--host ADDRESS] [--port N] [--store URL]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Show prices, articles, records and crawls in the browser"

    def long_desc(self) -> str:
        """Return the text of ``scrapy serve -h``."""
        return (
            f"{self.short_desc()}, on this machine only, read only, as long as there are no users"
            " (scrapy users add). For other addresses, users and the environment variable"
            " FOCUSCRAWL_WEB_SECRET are needed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Web views").add_argument
        add("--host", default=_HOST, metavar="ADDRESS",
            help=f"network address to listen at (default: {_HOST})")  # fmt: skip
        add("--port", type=whole_number(0, 65535), default=_PORT, metavar="N",
            help=f"port, 0 for any free one (default: {_PORT})")  # fmt: skip
        add("--public-url", metavar="URL",
            help="address in the browser, such as https://prices.example, behind a proxy with TLS")  # fmt: skip
        add("--store", metavar="URL",
            help="database to show (default: the first one of FOCUSCRAWL_STORES)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Serve until Ctrl-C."""
        if args:
            raise ArgumentError(f"unknown argument {args[0]!r}; see scrapy serve -h")
        require_extra("web")
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.web.web_server import ListenAddress, serve

        place = ListenAddress(opts.host, opts.port, _checked_url(opts.public_url))
        serve(_site(settings, opts.store, place), place, partial(print, flush=True))


def _site(settings: BaseSettings, store: str | None, place: ListenAddress) -> WebSite:
    from focuscrawl.stores.database_urls import database_at, sql_store_at
    from focuscrawl.web.articles.article_lists import read_sections
    from focuscrawl.web.web_site import WebSite

    add_defaults(settings)
    configured = configured_stores(settings)
    # The database of the project, however it is written, is shown with its workbook.
    own = database_url(configured)
    urls = store or configured
    if database_at(database_url(urls)).label == database_at(own).label:
        urls = configured
    mail, webhook = settings[report_mail.SETTING], settings[report_webhook.SETTING]
    source_store(urls)
    url = database_url(urls)
    return WebSite(
        sql_store_at(url),
        url,
        web_database(settings),
        Path(settings["FOCUSCRAWL_DATA"]).resolve(),
        files=Path(settings["FOCUSCRAWL_FILES"]) if settings["FOCUSCRAWL_FILES"] else None,
        key=os.environ.get("FOCUSCRAWL_WEB_SECRET", "").encode(),
        is_secure=place.is_secure,
        sections=read_sections(settings["FOCUSCRAWL_WEB_SECTIONS"]),
        may_sign_up=settings.getbool("FOCUSCRAWL_WEB_SIGN_UP"),
        project=_project(settings, urls),
        mail=mail_target(mail, os.environ.get(report_mail.PASSWORD, "")) if mail else None,
        webhook=webhook_target(webhook, os.environ.get(report_webhook.TOKEN, ""))
        if webhook
        else None,
        has_metrics=settings.getbool("FOCUSCRAWL_WEB_METRICS"),
        metrics_token=os.environ.get("FOCUSCRAWL_WEB_METRICS_TOKEN", ""),
    )


def _project(settings: BaseSettings, stores: str) -> CrawlProject:
    from focuscrawl.network.address_rules import read_address_rules
    from focuscrawl.web.crawls.crawl_arguments import CrawlProject

    return CrawlProject(
        topics=Path(settings["FOCUSCRAWL_TOPICS"]),
        templates=Path(settings["FOCUSCRAWL_TEMPLATES"]),
        engines=Path(settings["FOCUSCRAWL_ENGINES"]),
        stores=stores,
        addresses=read_address_rules(settings["FOCUSCRAWL_ALLOW_PRIVATE"]),
    )


def _checked_url(text: str | None) -> str:
    parts = urlsplit(text or "")
    if text and (
        parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/")
    ):
        raise ArgumentError(
            f"--public-url {text!r} is no address of a server; write one such as https://prices.example"
        )
    return (text or "").rstrip("/")
