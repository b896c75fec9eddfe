"""``scrapy demo``: the demo web, served until Ctrl-C or for one crawl."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections import ChainMap
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import day, out_folder, seconds, whole_number
from focuscrawl.errors import ArgumentError
from focuscrawl.system.processes import start_child

if TYPE_CHECKING:
    from focuscrawl.demo import DemoServer, Site
    from focuscrawl.demo.communities.community_web import Communities
    from focuscrawl.demo.firms.firm_web import Firms

_DEFAULT_FOLDER = Path("data/demo")
_DATABASE, _WORKBOOK, _WEB_PORT = "demo.sqlite", "demo.xlsx", 8000
_SPECIAL_IN_STORE_URLS = ",?%"


class Command(PlainCommand):
    """Serves the demo web until Ctrl-C, or for the time of one crawl."""

    starts_crawls = True
    usage = "[options]"
    summary = "Serve a small made-up web of price bulletins, communities and firms on 127.0.0.1"
    explanation = (
        f"{summary}, as an HTTP proxy for its host names. With --crawl, also run the "
        "maize spider on it and leave a database and a workbook; with --serve, show both in the "
        "browser until Ctrl-C. Nothing leaves this machine."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Demo web").add_argument
        add(
            "--port",
            type=whole_number(0, 65535),
            metavar="N",
            default=0,
            help="port (default: any free one)",
        )
        add("--days", type=int, default=400, help="number of days in the lists (default: 400)")
        add("--seed", type=int, default=1, help="random seed of the generated web (default: 1)")
        add(
            "--today",
            type=day,
            metavar="YYYY-MM-DD",
            help="date of the newest bulletins (default: today)",
        )
        add(
            "--latency-ms",
            type=seconds,
            default=0,
            metavar="MS",
            help="latency of a response in milliseconds",
        )
        add(
            "--fail",
            type=whole_number(0, 10**9),
            default=0,
            metavar="N",
            help="respond to every Nth request with status 503",
        )
        add("--log", type=Path, metavar="FILE", help="append status and URL of each request")
        add("--crawl", action="store_true", help="crawl the demo web once, then end")
        add("--serve", type=whole_number(0, 65535), nargs="?", const=_WEB_PORT, metavar="PORT",
            help=f"as --crawl, then show the results in the browser (port: {_WEB_PORT})")  # fmt: skip
        add(
            "--out",
            type=Path,
            metavar="FOLDER",
            help=f"folder for the results of --crawl (default: {_DEFAULT_FOLDER})",
        )
        add(
            "--numbers",
            type=int,
            default=5000,
            metavar="N",
            help="number of articles of the numbered site (5000 by default)",
        )
        add = parser.add_argument_group("Topical communities").add_argument
        add(
            "--communities",
            type=int,
            default=0,
            metavar="N",
            help="number of community sites to serve, each of some 67 pages (default: 0)",
        )
        add(
            "--theme", default="finance", help="theme of one in five communities (default: finance)"
        )
        add(
            "--articles",
            type=int,
            default=40,
            metavar="N",
            help="mean number of articles of a community (default: 40)",
        )
        add("--chain", type=int, default=6, metavar="N",
            help="maximum number of irrelevant pages between two of the theme (default: 6)")  # fmt: skip
        add(
            "--topic",
            type=Path,
            metavar="FILE.yaml",
            help="write a topic file that lists most of the communities",
        )
        add("--truth", type=Path, metavar="FILE.csv", help="write the relevance of all pages")
        _add_firms(parser)

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Serve the demo web; the exit code is that of the crawl."""
        if args:
            raise UsageError(f"unknown argument: {args[0]}", print_help=False)
        try:
            self.exitcode = _serve(opts)
        except KeyboardInterrupt:
            print()


def _add_firms(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("Firms, and two search engines that find them").add_argument
    add(
        "--firms",
        type=int,
        default=100,
        metavar="N",
        help="number of firms' sites to serve (default: 100)",
    )
    add("--window", type=int, default=1, metavar="K",
        help="state of the firms' sites in window K (default: 1)")  # fmt: skip
    add("--search-fault", choices=("down", "captcha", "redesign"), default="",
        help="fault of search.demo.test; search2.demo.test works")  # fmt: skip
    add("--firms-truth", type=Path, metavar="FILE.csv", help="write the data of the firms")


def _serve(opts: argparse.Namespace) -> int:
    shows = opts.serve is not None
    if opts.out and not (opts.crawl or shows):
        raise ArgumentError("--out is the folder of --crawl; give --crawl as well")
    with ExitStack() as stack:
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.demo import DemoServer, DemoWeb
        from focuscrawl.demo.numbered_site import HOST, NumberedSite
        from focuscrawl.demo.old_site import HOST as OLD_HOST
        from focuscrawl.demo.old_site import OldSite

        sites: dict[str, Site] = {
            HOST: NumberedSite(opts.seed, opts.numbers, today=opts.today),
            OLD_HOST: OldSite(opts.today or date.today()),
        }
        web = DemoWeb(
            opts.seed,
            opts.days,
            opts.today,
            latency_ms=opts.latency_ms,
            fail_every=opts.fail,
            log_file=stack.enter_context(_open_log(opts.log)) if opts.log else None,
            # The server never writes to it.
            more_sites=ChainMap(sites, _communities(opts) or {}, _firms(opts) or {}),  # type: ignore[arg-type]
        )
        server = stack.enter_context(DemoServer(web, opts.port))
        if opts.crawl or shows:
            folder = (opts.out or _DEFAULT_FOLDER).resolve()
            code = _crawl(server, folder)
            return code or (_show(server, folder, opts.serve) if shows else 0)
        print(_greeting(server, opts), flush=True)
        threading.Event().wait()  # Until Ctrl-C.
    return 0


def _communities(opts: argparse.Namespace) -> Communities | None:
    if not opts.communities:
        if opts.topic or opts.truth:
            raise ArgumentError(
                "--topic and --truth describe communities; give --communities as well"
            )
        return None
    from focuscrawl.demo.communities.community_web import Communities, write_topic, write_truth

    communities = Communities(opts.seed, opts.communities, opts.articles, opts.chain, opts.theme)
    if opts.topic:
        write_topic(communities, opts.topic)
    if opts.truth:
        write_truth(communities, opts.truth)
    return communities


def _firms(opts: argparse.Namespace) -> Firms | None:
    if not opts.firms:
        if opts.firms_truth or opts.search_fault:
            raise ArgumentError("--firms-truth and --search-fault need firms; give --firms as well")
        return None
    from focuscrawl.demo.firms.firm_web import SEARCH_HOSTS, Firms, write_firms

    firms = Firms(opts.seed, opts.firms, opts.window)
    firms.engines[SEARCH_HOSTS[0]].fault = opts.search_fault
    if opts.firms_truth:
        write_firms(firms, opts.firms_truth)
    return firms


def _greeting(server: DemoServer, opts: argparse.Namespace) -> str:
    crawls = ["maize -a site=demo", "article -a profile=demo"]
    if opts.firms:
        crawls.append("template -a template=contacts -a region=四川 -a engine=demo")
    if opts.topic:
        crawls.append(f"tunnel -a topic={opts.topic}")
    return "\n".join([
        f"Demo web of {server.web.today} on port {server.port} of 127.0.0.1: "
        f"{server.web.hosts_in_words()}",
        "Crawl it from another terminal (Ctrl-C here ends it):",
        f"  export http_proxy={server.url} https_proxy={server.url}",
        *(f"  scrapy crawl {crawl}" for crawl in crawls),
    ])  # fmt: skip


def _crawl(server: DemoServer, folder: Path) -> int:
    database, workbook = folder / _DATABASE, folder / _WORKBOOK
    code = _run(server, _crawl_command(folder))
    for name, path in (("database", database), ("workbook", workbook)):
        print(f"{name}: {path}" if path.exists() else f"{name}: not written")
    if database.exists():
        print(f"in the browser: scrapy serve --store {_store(database)}")
    return code


def _show(server: DemoServer, folder: Path, port: int) -> int:
    command = [sys.executable, "-m", "scrapy", "serve", "--port", str(port)]
    # Not --store: crawls that are started in the browser write the workbook, too.
    return _run(server, command + _options("-s", _places(folder)))


def _run(server: DemoServer, command: list[str]) -> int:
    with start_child(command, environment={**os.environ, **server.proxy_environment}) as program:
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:
                # A crawl needs the demo web for an orderly shutdown.
                program.send_signal(signal.SIGINT)


def _places(folder: Path) -> dict[str, object]:
    stores = f"{_store(folder / _DATABASE)},excel:///{(folder / _WORKBOOK).as_posix()}"
    return {"FOCUSCRAWL_DATA": folder, "FOCUSCRAWL_STORES": stores}


def _options(flag: str, values: Mapping[str, object]) -> list[str]:
    return [part for name, value in values.items() for part in (flag, f"{name}={value}")]


def _store(database: Path) -> str:
    return f"sqlite:///{database.as_posix()}"


def _crawl_command(folder: Path) -> list[str]:
    if special := [char for char in _SPECIAL_IN_STORE_URLS if char in str(folder)]:
        raise ArgumentError(f"the folder name {folder} contains {special[0]!r}; give another --out")
    out_folder(folder)
    # The demo web is local, so no server has to be spared.
    settings = _places(folder) | {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
    arguments = {"site": "demo", "title": "山东玉米"}
    command = [sys.executable, "-m", "scrapy", "crawl", "maize"]
    return command + _options("-a", arguments) + _options("-s", settings)


def _open_log(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"cannot write the log file {path} ({error.strerror}); give another --log"
        ) from None
