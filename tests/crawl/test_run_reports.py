"""What a run tells machines and people who are not there: JSON, mail, webhook."""

from __future__ import annotations

import os
import pty
import re
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from filelock import FileLock

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.numbered_site import HOST, NumberedSite
from tests.crawl.conftest import NO_DELAYS, TODAY, Crawler, Finished, one_line, report_of
from tests.crawl.test_addon import make_project, scrapy
from tests.servers import warm_scrapy
from tests.servers.mail_server import PASSWORD, USER, Mailbox, mail_server
from tests.servers.process import free_port
from tests.servers.webhook_server import Webhook, webhook_server

Demo = Callable[..., DemoWeb]
TOKEN = "marke-geheim"


@pytest.fixture
def mailbox(crawl: Crawler) -> Iterator[Mailbox]:
    """A mail server with a login, which ``crawl`` uses."""
    with mail_server(needs_login=True) as server:
        crawl.environment |= {
            "FOCUSCRAWL_MAIL": f"smtp://{USER.replace('@', '%40')}@127.0.0.1:{server.port}/?to=a@b.test",
            "FOCUSCRAWL_MAIL_PASSWORD": PASSWORD,
        }
        yield server


@pytest.fixture
def hook(crawl: Crawler) -> Iterator[Webhook]:
    """A webhook, which ``crawl`` uses."""
    with webhook_server() as server:
        crawl.environment |= {
            "FOCUSCRAWL_WEBHOOK": server.url,
            "FOCUSCRAWL_WEBHOOK_TOKEN": TOKEN,
        }
        yield server


def has_secrets(text: str) -> bool:
    return any(word in text for word in (PASSWORD, TOKEN, "geheimnis", "schluessel"))


# The summary.


def test_a_log_file_ends_with_the_summary_or_the_error(crawl: Crawler, demo: Demo) -> None:
    demo(days=2)
    before = datetime.now().astimezone().replace(microsecond=0)
    log = crawl.folder / "crawl.log"
    done = crawl("-a", "site=demo", "-s", f"LOG_FILE={log}", "-s", "LOG_LEVEL=INFO")
    summary = log.read_text("utf-8").partition("INFO: maize-demo: finished\n")[2]
    assert summary
    assert done.out == f"maize-demo: finished\n{summary}"
    lines = summary.splitlines()
    began, _, took = lines[0].removeprefix("  began     ").partition(", took ")
    assert before <= datetime.fromisoformat(began) <= datetime.now().astimezone()
    assert took.count(":") == 2
    assert lines[1].startswith("  profile   demo, version ")
    done = crawl("-a", "site=no-such", "-s", f"LOG_FILE={log}", "-s", "LOG_FILE_APPEND=False")
    assert done.code == 2
    assert "there is no site profile 'no-such'" in log.read_text("utf-8")
    assert one_line(done.err)


def test_the_progress_on_a_terminal_names_profile_and_version(crawl: Crawler, demo: Demo) -> None:
    demo(days=3, latency_ms=100)
    terminal, inside = pty.openpty()
    # Wide enough for one line.
    environment = os.environ | crawl.environment | {"TERM": "xterm", "COLUMNS": "200"}
    environment["SCRAPY_SETTINGS_MODULE"] = "focuscrawl.settings"
    command = ["crawl", "maize", "-a", "site=demo", *NO_DELAYS]
    process = warm_scrapy.start(command, cwd=crawl.folder, env=environment, errors=inside)
    os.close(inside)
    shown = warm_scrapy.terminal_output(terminal)
    assert process.wait(60) == 0
    assert re.search(r"demo [0-9a-f]{8} · \d+ pages · harvest", shown)


# JSON.


def test_json_is_the_only_output_and_has_what_the_summary_has(crawl: Crawler, demo: Demo) -> None:
    web = demo(days=5)
    done = crawl("-a", "site=demo", "-a", "title=玉米", "--json")
    report = report_of(done)
    assert (done.code, done.err) == (0, "")
    assert (report["crawl"], report["spider"], report["reason"]) == (
        "maize-demo",
        "maize",
        "finished",
    )
    assert report["rules"]["name"] == "demo"
    assert report["counts"]["articles"]["new"] > 0
    assert report["counts"]["pages"]["requests"] == len(web.log)
    store = f"sqlite:///{crawl.folder}/data/focuscrawl.sqlite"
    assert report["stores"][store]["new"] == report["counts"]["articles"]["new"]
    assert report["results"][0] == f"{crawl.folder}/data/focuscrawl.sqlite"
    assert datetime.fromisoformat(report["began"]) <= datetime.fromisoformat(report["ended"])
    again = report_of(crawl("-a", "site=demo", "-a", "title=玉米", "--json"))
    assert again["counts"]["articles"]["new"] == 0
    assert again["counts"]["articles"]["unchanged"] > 0
    assert again["alarms"] == []


def test_a_crawl_that_is_running_already_is_told_in_json(crawl: Crawler) -> None:
    locks = crawl.folder / "data" / "locks"
    locks.mkdir(parents=True)
    with FileLock(locks / "maize-demo.lock"):
        done = crawl("-a", "site=demo", "--json")
    report = report_of(done)
    assert done.code == 2
    assert report["crawl"] == "maize-demo"
    assert report["error"].startswith("maize-demo is already running")


def test_a_spider_that_cannot_be_built_leaves_traceback_and_json(crawl: Crawler) -> None:
    make_project(crawl.folder)
    text = "import scrapy\n\nclass Bad(scrapy.Spider):\n    name = 'bad'\n    def __init__(self):\n        1 / 0\n"
    (crawl.folder / "theirs" / "spiders" / "bad.py").write_text(text)
    run = scrapy(crawl, "crawl", "bad", "--json")
    report = report_of(Finished(run.returncode, run.stdout, run.stderr))
    assert run.returncode == 1
    assert report["error"] == "ZeroDivisionError: division by zero"
    assert "Traceback" in run.stderr


def test_a_project_without_the_add_on_has_no_json(crawl: Crawler) -> None:
    (crawl.folder / "bare.py").write_text("COMMANDS_MODULE = 'focuscrawl.commands'\n")
    crawl.environment["SCRAPY_SETTINGS_MODULE"] = "bare"
    done = crawl("--json")
    assert done.code == 2
    assert "--json needs focuscrawl.addon.FocuscrawlAddon" in one_line(done.err)


# Mail and webhook.


def test_a_run_without_failure_or_alarm_sends_nothing_and_may_say_nothing(
    crawl: Crawler, demo: Demo, mailbox: Mailbox, hook: Webhook
) -> None:
    demo(days=2)
    for settings, is_silent in (((), False), (("-s", "FOCUSCRAWL_SUMMARY=False"), True)):
        done = crawl("-a", "site=demo", *settings)
        assert (done.code, done.out == "") == (0, is_silent)
    assert (mailbox.mails, hook.requests) == ([], [])


def test_an_incomplete_run_is_sent_to_both(
    crawl: Crawler, demo: Demo, mailbox: Mailbox, hook: Webhook
) -> None:
    demo(days=2)
    stores = f"FOCUSCRAWL_STORES=mysql://me:pw@127.0.0.1:{free_port()}/db"
    done = crawl("-a", "site=demo", "-s", stores, "-s", "FOCUSCRAWL_STORE_RETRY=0.2", "-L", "DEBUG",
                 "--json")  # fmt: skip
    report = report_of(done)
    assert done.code == 3, done.err
    (waiting,) = [store["waiting"] for store in report["stores"].values()]
    assert waiting > 0
    assert "records are not in" in report["not_done"][0]
    (mail,) = mailbox.mails
    assert mail["Subject"] == "focuscrawl: maize-demo failed (exit 3)"
    assert "  not done  " in mail.get_content()
    assert mailbox.logins == [(USER, PASSWORD)]
    assert hook.bodies == [report]
    assert hook.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    assert not has_secrets(done.out + done.err + mail.as_string() + mail.get_content())


def test_a_mistake_is_sent_too(crawl: Crawler, mailbox: Mailbox, hook: Webhook) -> None:
    done = crawl("-a", "site=没有")
    assert (done.code, done.out) == (2, "")
    (mail,) = mailbox.mails
    assert mail["Subject"] == "focuscrawl: maize failed (exit 2)"
    error = one_line(done.err).removeprefix("error: ")
    assert "没有" in error
    assert f"  error     {error}" in mail.get_content()
    assert [body["error"] for body in hook.bodies] == [error]


def test_a_crawl_that_finds_nothing_is_an_alarm_with_exit_code_0(
    crawl: Crawler, demo: Demo, mailbox: Mailbox, hook: Webhook
) -> None:
    demo(days=1)
    done = crawl("-a", "site=demo", "-a", "title=没有")
    assert (done.code, done.err) == (0, "")
    assert "  alarm     no article was found" in done.out
    assert mailbox.mails[0]["Subject"] == "focuscrawl: maize-demo alarm"
    assert "title=没有" in mailbox.mails[0].get_content()
    assert len(hook.bodies[0]["alarms"]) == 1


def test_an_alarm_that_cannot_be_sent_ends_with_exit_code_3(
    crawl: Crawler, demo: Demo, hook: Webhook
) -> None:
    demo(days=1)
    hook.status = 500
    crawl.environment["FOCUSCRAWL_MAIL"] = f"smtp://127.0.0.1:{free_port()}/?to=a@b.test"
    done = crawl("-a", "site=demo", "-a", "title=没有", "--json")
    report = report_of(done)
    assert done.code == 3
    assert len(report["not_sent"]) == 2
    assert done.err.splitlines() == [f"error: {sentence}" for sentence in report["not_sent"]]
    assert not has_secrets(done.out + done.err)


def test_a_failure_keeps_its_exit_code_if_it_cannot_be_sent(
    crawl: Crawler, mailbox: Mailbox
) -> None:
    crawl.environment["FOCUSCRAWL_MAIL_PASSWORD"] = "falsch-geheim"
    done = crawl("-a", "site=no-such")
    assert done.code == 2
    assert mailbox.mails == []
    first, second = done.err.splitlines()
    assert "no site profile" in first
    assert second.endswith("the server refuses user name or password (535); correct them")
    assert "geheim" not in done.err


def test_numbered_articles_without_anything_new_are_no_alarm(crawl: Crawler, demo: Demo) -> None:
    demo(days=1, more_sites={HOST: NumberedSite(7, 20, today=TODAY, big_mb=0, faults=False)})
    crawl.spider = "article"
    for _ in range(2):
        report = report_of(crawl("-a", "profile=demo", "-a", "concurrency=8", "--json"))
        assert (report["exit_code"], report["alarms"]) == (0, [])
    assert report["rules"]["kind"] == "profile"
    assert report["counts"]["articles"]["new"] == 0
