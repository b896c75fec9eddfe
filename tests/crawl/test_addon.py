"""focuscrawl in somebody else's Scrapy project, by one line."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import NO_DELAYS, Crawler
from tests.servers import warm_scrapy


def scrapy(crawl: Crawler, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | crawl.environment
    environment.pop("SCRAPY_SETTINGS_MODULE", None)
    return warm_scrapy.run(arguments, cwd=crawl.folder, env=environment)


def make_project(folder: Path, settings: str = "") -> None:
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = theirs.settings\n")
    (folder / "theirs" / "spiders").mkdir(parents=True)
    for package in ("theirs", "theirs/spiders"):
        (folder / package / "__init__.py").touch()
    (folder / "theirs" / "settings.py").write_text(
        'SPIDER_MODULES = ["theirs.spiders"]\n'
        'ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}\n'
        f"DOWNLOAD_TIMEOUT = 7\n{settings}"
    )
    (folder / "theirs" / "spiders" / "own.py").write_text(
        "import scrapy\n\nclass Own(scrapy.Spider):\n    name = 'own'\n"
        "    start_urls = ['http://bulletins.demo.test/list/']\n"
        "    def parse(self, response):\n"
        "        yield {'encoding': response.encoding}\n"
    )


def test_spiders_and_commands_are_there_and_own_items_pass(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=3)
    make_project(crawl.folder)
    commands = scrapy(crawl).stdout
    assert all(f"  {name} " in commands for name in ("demo", "quotes", "report"))
    own = scrapy(crawl, "crawl", "own", "-O", "own.jsonl", *NO_DELAYS)
    assert own.returncode == 0, own.stderr
    assert json.loads((crawl.folder / "own.jsonl").read_text()).keys() == {"encoding"}
    assert own.stdout == ""
    maize = scrapy(crawl, "crawl", "maize", "-a", "site=demo", *NO_DELAYS)
    assert maize.returncode == 0, maize.stderr
    assert crawl.rows("select count(*) from articles") == [(len(web.truth()),)]


def test_what_is_off_is_not_loaded(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=1)
    make_project(crawl.folder, "FOCUSCRAWL_MANNERS = True\n")
    modules = {
        "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control",
        "COOKIES_ENABLED": "scrapy.downloadermiddlewares.cookies",
    }
    with (crawl.folder / "theirs" / "spiders" / "own.py").open("a") as file:
        file.write(
            "    def closed(self, reason):\n        import sys\n"
            f"        print([name in sys.modules for name in {[*modules.values()]}])\n"
        )
    on = [part for setting in modules for part in ("-s", f"{setting}=True")]
    for settings, loaded in (([], [False, False]), (on, [True, True])):
        own = scrapy(crawl, "crawl", "own", *NO_DELAYS, *settings)
        assert own.stdout.splitlines()[0] == str(loaded), own.stderr
