"""Where drawn pages meet logins, lists that a form turns, topics, recordings and kills."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.old_site import HOST, PASSWORD, USER
from tests.conftest import mysql_connection
from tests.crawl import drawn_site
from tests.crawl.conftest import TODAY, Crawler, wait_until
from tests.crawl.drawn_site import DrawnMembers, need_chromium
from tests.crawl.test_drawn_pages import processes_below
from tests.crawl.test_logins import LOGIN, PROFILE, SITE, stored
from tests.crawl.test_several_cores import is_running

pytestmark = pytest.mark.usefixtures("no_workbook")
_CHROMIUM = "--remote-debugging-pipe"
Members = Callable[..., DrawnMembers]


@pytest.fixture
def members(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Members:
    """Serves a :class:`DrawnMembers`, and writes a profile for it."""
    need_chromium()

    def make(**options: int) -> DrawnMembers:
        site = DrawnMembers(TODAY, **options)
        demo(days=1).sites[HOST] = site
        profile = PROFILE.replace("LOGIN\n", f"{LOGIN}render: both\n")
        (crawl.folder / "old.yaml").write_text(profile, "utf-8")
        crawl.spider = "list"
        crawl.environment |= {"SITE_USER": USER, "SITE_PASSWORD": PASSWORD}
        return site

    return make


def test_a_browser_has_the_session_and_draws_what_a_form_leads_to(
    crawl: Crawler, members: Members
) -> None:
    site = members(count=12)
    done = crawl(
        *SITE, "-a", "topic=玉米,行情", "-a", "keep=all", "-s", "FOCUSCRAWL_WARC=all.warc.gz"
    )
    assert (done.code, site.logins, stored(crawl)) == (0, 1, list(range(1, 13))), (
        done.out + done.err
    )
    texts = crawl.rows("select text from articles order by url")
    assert all("以质论价" in text for (text,) in texts)
    crawl.database.unlink()
    crawl.environment |= {"SITE_PASSWORD": "", "http_proxy": "http://127.0.0.1:9"}
    replayed = crawl(
        *SITE, "-s", "FOCUSCRAWL_REPLAY=all.warc.gz", "-s", "FOCUSCRAWL_CHROMIUM=/none"
    )
    assert (replayed.code, stored(crawl)) == (0, list(range(1, 13))), replayed.out
    assert crawl.rows("select text from articles order by url") == texts


def test_a_session_that_ends_for_a_script_is_renewed(crawl: Crawler, members: Members) -> None:
    site = members(count=14, lasting=25)
    done = crawl(*SITE, "-s", "FOCUSCRAWL_WARC=all.warc.gz")
    assert (done.code, stored(crawl)) == (0, list(range(1, 15))), done.out + done.err
    assert site.logins > 1
    crawl.database.unlink()
    crawl.environment |= {"SITE_PASSWORD": "", "http_proxy": "http://127.0.0.1:9"}
    replayed = crawl(*SITE, "-s", "FOCUSCRAWL_REPLAY=all.warc.gz")
    assert (replayed.code, stored(crawl)) == (0, list(range(1, 15))), replayed.out


def test_what_is_refused_with_a_session_too_costs_one_login(
    crawl: Crawler, members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "<script>if (location.pathname == '/show.aspx') fetch('/no');</script>"
    monkeypatch.setattr(drawn_site, "FILLED", drawn_site.FILLED + script)
    site = members(count=8)
    done = crawl(*SITE)
    assert (done.code, site.logins, stored(crawl)) == (0, 2, [*range(1, 9)]), done.out + done.err


# The lease of a worker that is killed takes its time to end.
@pytest.mark.exhaustive
@pytest.mark.server
def test_another_worker_logs_in_and_goes_on_where_one_is_killed(
    crawl: Crawler, members: Members, valkey_url: str, mysql_url: str
) -> None:
    site = members(count=24)
    log = crawl.folder / "second.log"
    common = (*SITE, "-s", f"FOCUSCRAWL_FRONTIER={valkey_url}")
    common += ("-s", f"FOCUSCRAWL_STORES={mysql_url}")
    first = crawl.start(*common, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    wait_until(first, lambda: len(site.parts) > 2)
    second = crawl.start(*common, "-s", f"LOG_FILE={log}", "-s", "LOG_LEVEL=INFO")
    wait_until(second, lambda: log.exists() and "this one stands by" in log.read_text())
    assert first.poll() is None
    browser, *_ = processes_below(first.pid, _CHROMIUM)
    first.kill()
    first.communicate()
    out, err = second.communicate(timeout=240)
    assert second.wait() == 0, out + err
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute("select count(distinct url), count(*) from articles where is_complete")
        assert (site.logins, cursor.fetchall()) == (2, ((24, 24),))
    assert not is_running(browser)
