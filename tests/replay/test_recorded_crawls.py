"""Whole crawls recorded and replayed: the same records come of both."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from focuscrawl.demo import DemoWeb
from focuscrawl.replay.recorded_pages import recorded_pages
from tests.crawl.conftest import SHARED, Crawler, Replay
from tests.replay.conftest import Teller, watched
from tests.replay.warcs import exchange, record, replay

DEMO = ("-a", "site=demo")
MAIZE = ("-a", "site=yz88", "-a", "title=日山东玉米")


def other_folder(crawl: Crawler, name: str, environment: dict[str, str]) -> Crawler:
    (crawl.folder / name).mkdir()
    return Crawler(crawl.folder / name, environment)


def quotes(crawl: Crawler) -> list[tuple[Any, ...]]:
    return list(load_workbook(crawl.folder / "data/focuscrawl.xlsx")["报价明细"].values)


def test_a_recorded_crawl_comes_back_without_any_server(
    crawl: Crawler, demo: Callable[..., DemoWeb], sockets: Path
) -> None:
    demo(days=5)
    live = crawl(*DEMO, "-s", "FOCUSCRAWL_WARC=web.warc.gz")
    assert live.code == 0, live.err
    warc = crawl.folder / "web.warc.gz"
    again = other_folder(crawl, "again", watched(sockets))
    replayed = again(*DEMO, "-s", f"FOCUSCRAWL_REPLAY={warc}")
    assert replayed.code == 0, replayed.err
    assert not sockets.exists(), sockets.read_text()
    assert again.content() == crawl.content()
    assert quotes(again) == quotes(crawl) != []
    assert "requests not in the recording: 0" in replayed.out
    answers = [page.status for page in recorded_pages(warc)]
    assert "every response is recorded in web.warc.gz" in live.out
    assert live.count("responses") == replayed.count("responses") == len(answers)


def test_a_second_run_is_recorded_after_the_first(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=3)
    arguments = (*DEMO, "-a", "refresh=all", "-s", "FOCUSCRAWL_WARC=web.warc.gz")
    assert crawl(*arguments).code == 0
    first = [page.url for page in recorded_pages(crawl.folder / "web.warc.gz")]
    second_run = crawl(*arguments)
    assert second_run.code == 0, second_run.err
    both = list(recorded_pages(crawl.folder / "web.warc.gz"))
    assert [page.url for page in both[: len(first)]] == first
    assert {page.status for page in both[len(first) :]} >= {304}
    again = other_folder(crawl, "again", crawl.environment)
    replay = ("-s", f"FOCUSCRAWL_REPLAY={crawl.folder / 'web.warc.gz'}")
    assert again(*DEMO, *replay).code == 0
    assert again.content() == crawl.content()


def test_a_crawl_killed_while_it_records_can_be_replayed_and_goes_on(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=10, latency_ms=20)
    whole = other_folder(crawl, "whole", crawl.environment)
    assert whole(*DEMO).code == 0
    warc = crawl.folder / "web.warc.gz"
    for kill in range(2):
        process = crawl.start(*DEMO, "-s", "FOCUSCRAWL_WARC=web.warc.gz")
        enough = 8000 * (kill + 1)
        while process.poll() is None and not (warc.exists() and warc.stat().st_size >= enough):
            time.sleep(0.01)
        process.kill()
        process.communicate()
        again = other_folder(crawl, f"again{kill}", {})
        replayed = again(*DEMO, "-s", f"FOCUSCRAWL_REPLAY={warc}")
        # Most pages are not recorded yet.
        assert replayed.code in (0, 3), replayed.err
        complete = "select url, text from articles where is_complete"
        assert set(again.rows(complete)) <= set(whole.rows(complete))
    assert crawl(*DEMO, "-a", "refresh=all", "-s", "FOCUSCRAWL_WARC=web.warc.gz").code == 0
    assert crawl.content() == whole.content()
    again = other_folder(crawl, "again", {})
    assert again(*DEMO, "-s", f"FOCUSCRAWL_REPLAY={warc}").code == 0
    assert again.content() == whole.content()


def test_the_recorded_maize_site_gives_what_it_gives_by_the_proxy(
    crawl: Crawler, maize_replay: Callable[..., Replay]
) -> None:
    maize_replay()
    by_proxy = crawl(*MAIZE)
    assert by_proxy.code == 0, by_proxy.err
    again = other_folder(crawl, "again", {"http_proxy": "http://127.0.0.1:9"})
    warc = SHARED / "replay/maize-2017.warc.gz"
    replayed = again(*MAIZE, "-s", f"FOCUSCRAWL_REPLAY={warc}")
    assert replayed.code == 0, replayed.err
    assert again.content() == crawl.content()
    assert again.rows("select count(*) from articles") == [(39,)]
    assert again.rows("select count(*) from quotes") == [(2622,)]
    assert not list(warc.parent.glob("*.index"))


def test_what_was_not_recorded_answers_404_and_is_counted(tell: Teller) -> None:
    record(tell.folder / "web.warc.gz", exchange(), exchange("https://b.test/"))
    record(tell.folder / "more.warc.gz", exchange("http://c.test/"))
    urls = ["http://a.test/", "http://a.test/none", "http://b.test/", "https://b.test/",
            "http://c.test/", "http://d.test/", "ftp://a.test/"]  # fmt: skip
    told = tell([f"GET {url}" for url in urls], "-s", "FOCUSCRAWL_REPLAY=web.warc.gz, more.warc.gz",
                "-s", "FOCUSCRAWL_WARC=some.warc.gz")  # fmt: skip
    assert [item.get("status") for item in told.items[:6]] == [200, 404, 404, 200, 200, 404]
    assert told.items[6] == {"n": 6, "error": "NotSupported"}
    robots = 4
    assert told.stats["focuscrawl/replay/missing"] == 3 + robots
    # What was made up for want of an answer is no recording of the web.
    assert told.stats["focuscrawl/warc/recorded"] == 3
    assert sorted(page.url for page in recorded_pages(tell.folder / "some.warc.gz")) == [
        "http://a.test/",
        "http://c.test/",
        "https://b.test/",
    ]


def test_a_replay_waits_for_nobody_unless_it_shall(tell: Teller) -> None:
    busy = exchange("http://a.test/busy", status=503, headers=[(b"Retry-After", b"60")])
    record(tell.folder / "web.warc.gz", busy, exchange())
    urls = ["GET http://a.test/busy", "GET http://a.test/"]
    told = tell(urls, "-s", "FOCUSCRAWL_REPLAY=web.warc.gz")
    assert told.settings == {
        "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "FOCUSCRAWL_RETRY_AFTER_MAX": 0,
    }  # fmt: skip
    # A page beyond the size limit is refused as on the web.
    record(tell.folder / "web.warc.gz", exchange("http://a.test/long", body=b"x" * 5000))
    arguments = ("-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-s", "DOWNLOAD_DELAY=0.01")
    told = tell(["GET http://a.test/long"], *arguments, "-s", "DOWNLOAD_MAXSIZE=4999")
    assert told.settings["DOWNLOAD_DELAY"] == "0.01"
    assert [item["error"] for item in told.items] == ["DownloadCancelledError"]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("FOCUSCRAWL_WARC=./more.warc.gz", "more.warc.gz is being replayed: give another FOCUSCRAWL_WARC"),
        ("FOCUSCRAWL_REPLAY=missing.warc.gz", "cannot read the recording missing.warc.gz: No such"),
        ("FOCUSCRAWL_REPLAY=,", "no recording is named; give WARC files, comma-separated"),
        ("FOCUSCRAWL_REPLAY=text.warc.gz", "text.warc.gz is not a WARC file"),
        ("FOCUSCRAWL_WARC=web.txt", "web.txt must end in .warc.gz"),
        ("FOCUSCRAWL_WARC=text.warc.gz", "text.warc.gz is not a WARC file"),
        ("FOCUSCRAWL_WARC=full.warc.gz", "cannot record to full.warc.gz (No space left on device)"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_sentence(crawl: Crawler, setting: str, sentence: str) -> None:
    (crawl.folder / "text.warc.gz").write_text("hello")
    (crawl.folder / "full.warc.gz").symlink_to("/dev/full")
    for name in ("web.warc.gz", "more.warc.gz"):
        record(crawl.folder / name, exchange())
    both = ("-s", "FOCUSCRAWL_REPLAY=web.warc.gz, more.warc.gz")
    replayed = both if "more.warc.gz" in setting else ()
    run = crawl(*DEMO, *replayed, "-s", setting)
    assert run.code == 2
    assert run.err.startswith(f"error: {sentence}")
    assert run.err.count("\n") == 1


def test_a_disk_that_fills_up_ends_the_crawl(tell: Teller) -> None:
    dice = random.Random(1)
    pages = [exchange(f"http://a.test/{n}", body=dice.randbytes(1500)) for n in range(100)]
    record(tell.folder / "web.warc.gz", *pages)
    # The index is there before the limit is.
    replay(tell.folder / "web.warc.gz").close()
    record(tell.folder / "some.warc.gz", exchange(body=dice.randbytes(190_000)))
    tell.largest_file = 200_000
    told = tell(
        [f"GET {page.url}" for page in pages],
        "-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-s", "FOCUSCRAWL_WARC=some.warc.gz",
    )  # fmt: skip
    assert told.stats["focuscrawl/error"].startswith("cannot record to some.warc.gz (File too")
    assert len(told.items) < len(pages)
    recorded = told.stats["focuscrawl/warc/recorded"]
    record(tell.folder / "some.warc.gz")
    whole = [page.url for page in recorded_pages(tell.folder / "some.warc.gz")]
    assert 1 + recorded <= len(whole) <= 2 + recorded


def test_warcio_is_not_loaded_when_nothing_is_recorded_or_replayed(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom scrapy.settings import Settings\n"
        "from focuscrawl.addon import FocuscrawlAddon\n"
        "FocuscrawlAddon().update_settings(Settings())\n"
        "print([name for name in sys.modules if name.startswith(('warcio', 'focuscrawl.replay'))])\n"
    )
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    assert run.stdout == "[]\n"
