"""``scrapy newsite`` and ``scrapy trysite`` as a user runs them, on the demo web."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from focuscrawl import sites
from focuscrawl.demo import DemoServer, DemoWeb, Site
from focuscrawl.sites.site_profile import load_profile
from tests.servers import warm_scrapy

LIST = "http://bulletins.demo.test/list/"
DEMO = Path(str(sites.__file__)).parent / "demo.yaml"
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False")


@pytest.fixture(scope="module")
def web() -> Iterator[DemoServer]:
    with DemoServer(DemoWeb(7, 30, date(2026, 11, 1))) as server:
        yield server


def serving(host: str, site: Site) -> Iterator[DemoServer]:
    demo = DemoWeb(7, 1, date(2026, 11, 1))
    demo.sites[host] = site
    with DemoServer(demo) as server:
        yield server


def run(
    web: DemoServer, folder: Path, *arguments: str, code: int = 0
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | web.proxy_environment
    done = warm_scrapy.run([*arguments, *FAST], cwd=folder, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_a_profile_is_written_and_reads_the_site(web: DemoServer, tmp_path: Path) -> None:
    done = run(web, tmp_path, "newsite", LIST, "--name", "demo2")
    assert "sites/demo2.yaml: written." in done.stdout
    profile = load_profile(str(tmp_path / "sites" / "demo2.yaml"))
    assert profile.start_urls == [LIST]
    assert profile.article.body is not None
    # The bulletins have prices.
    assert profile.reader == "prices"
    assert "uncertain: most sample articles have prices, which are read" in done.stdout
    tried = run(web, tmp_path, "trysite", "sites/demo2.yaml")
    assert "problem" not in tried.stdout
    shown = run(web, tmp_path, "trysite", "demo").stdout.splitlines()
    # The shipped profile, which was written by hand, selects the same list.
    same = [
        line for line in tried.stdout.splitlines() if "entries of" in line or "next list" in line
    ]
    assert same == [line for line in shown if "entries of" in line or "next list" in line]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sites"]


def test_outside_a_project_the_settings_of_focuscrawl_hold(tmp_path: Path) -> None:
    with DemoServer(DemoWeb(7, 30, date(2026, 11, 1))) as polite:
        done = run(polite, tmp_path, "newsite", LIST, "--name", "a", "-s", "LOG_ENABLED=True")
        first = polite.web.log[0].url
    # Scrapy's own settings read no robots.txt, and two of its extensions let others run code.
    assert first == "http://bulletins.demo.test/robots.txt"
    assert "Telnet" not in done.stderr
    assert "Remote control" not in done.stderr


def test_an_existing_profile_is_kept_unless_forced(web: DemoServer, tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    file = tmp_path / "sites" / "mine.yaml"
    file.write_text("mine", "utf-8")
    done = run(web, tmp_path, "newsite", LIST, "--name", "mine", code=2)
    assert (
        done.stderr
        == "error: sites/mine.yaml exists; --force overwrites it, --name gives another name\n"
    )
    assert file.read_text("utf-8") == "mine"
    run(web, tmp_path, "newsite", LIST, "--name", "mine", "--force", "--articles", "1")
    assert load_profile(str(file)).name == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give the URL of one page that lists articles: scrapy newsite URL"),
        (("ftp://a.test/",), "ftp://a.test/ is not an http or https URL"),
        ((LIST, "--name", "a/b"), "--name a/b: use letters, digits, - and _"),
        (("http://unknown.demo.test/",), "cannot fetch http://unknown.demo.test/: HTTP 404; check the address"),
        (("http://bulletins.demo.test/robots.txt",), "http://bulletins.demo.test/robots.txt has no list of links"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(
    web: DemoServer, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(web, tmp_path, "newsite", *arguments, code=2)
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("link: ./a/@href", "link: //a/@href", "begin list.link with a dot: ./a/@href"),
        ("下一页", "向后", "list.next selects nothing, but the page links to"),
        ("date: {css: span.date}", "date: ./a/@href", "which is not a date"),
        ("ul.newslist > li}", "ul.newslist > li:first-child}", "list.entry selects 1 of"),
        ("body: {css: div.content}", "body: {css: div.title}", "article.body (div.title) selects nothing"),
    ],
)  # fmt: skip
def test_what_looks_wrong_is_named(
    web: DemoServer, tmp_path: Path, right: str, wrong: str, problem: str
) -> None:
    text = DEMO.read_text("utf-8")
    assert right in text
    (tmp_path / "mine.yaml").write_text(text.replace(right, wrong), "utf-8")
    done = run(web, tmp_path, "trysite", "mine.yaml", code=3)
    assert problem in "".join(line for line in done.stdout.splitlines() if "problem:" in line)


def test_a_rule_that_some_or_all_pages_lack_is_told(web: DemoServer, tmp_path: Path) -> None:
    text = DEMO.read_text("utf-8")
    advert = text.replace("article:", "article:\n  remove: [{css: div.advert}]")
    (tmp_path / "mine.yaml").write_text(advert, "utf-8")
    done = run(web, tmp_path, "trysite", "mine.yaml", "--articles", "4")
    assert "note: article.remove (div.advert) selects nothing on 4 articles" in done.stdout
    (tmp_path / "mine.yaml").write_text(text.replace("ul.newslist", "ul.olds"), "utf-8")
    done = run(web, tmp_path, "trysite", "mine.yaml", code=2)
    assert done.stderr.startswith(
        "error: site profile demo: list.entry (ul.olds > li) selects nothing"
    )


def test_the_url_of_an_article_shows_that_article(web: DemoServer, tmp_path: Path) -> None:
    url, known = next(iter(DemoWeb(7, 30, date(2026, 11, 1)).truth().items()))
    done = run(web, tmp_path, "trysite", "demo", url)
    assert "characters" in done.stdout
    assert known.heading[:10] in "".join(done.stdout.split())
    assert "next page of the article: " in done.stdout


def test_an_interrupted_command_writes_nothing(tmp_path: Path) -> None:
    demo = DemoWeb(7, 30, date(2026, 11, 1), latency_ms=3000)
    with DemoServer(demo) as server:
        environment = os.environ | server.proxy_environment
        process = warm_scrapy.start(["newsite", LIST, *FAST], cwd=tmp_path, env=environment)
        # robots.txt has been fetched, and the list page is on its way.
        while not demo.log:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert err == "stopped\n"
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("unknown.demo.test", "cannot fetch http://unknown.demo.test: HTTP 404; check the address"),
        ("ftp://a.test/", "ftp://a.test/ is not an http or https URL"),
        ("", "an empty text is not an http or https URL"),
    ],
)
def test_trysite_refuses_what_is_no_page(
    web: DemoServer, tmp_path: Path, url: str, message: str
) -> None:
    done = run(web, tmp_path, "trysite", "demo", url, code=2)
    assert done.stderr == f"error: {message}\n"
