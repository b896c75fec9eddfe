"""Settings, arguments and options that a crawl cannot use: one line that names them, exit code 2."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler, one_line, report_of
from tests.crawl.test_addon import make_project, scrapy

LOADED = "correct the setting, or install the package"


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        ("LOG_LEVEL=NOPE", ("LOG_LEVEL = 'NOPE'", "choose from CRITICAL, ERROR, WARNING")),
        ("LOG_FILE=/dev/null/x", ("LOG_FILE", "/dev/null/x", "name another file")),
        ("LOG_ENCODING=nope", ("LOG_ENCODING = 'nope'", "correct the setting")),
        ("RETRY_HTTP_CODES=x", ("RETRY_HTTP_CODES = 'x' is not a list of numbers", "correct")),
        ("SPIDER_MODULES=nomod", ("SPIDER_MODULES names 'nomod'", "No module named", LOADED)),
        ("ITEM_PIPELINES={", ("ITEM_PIPELINES", "JSON object")),
        ("ITEM_PIPELINES", ("'ITEM_PIPELINES'", "-s NAME=VALUE")),
        ('ITEM_PIPELINES={"no.such.Pipe": 1}', ("ITEM_PIPELINES names 'no.such.Pipe'", LOADED)),
        ('ADDONS={"no.such.Thing": 1}', ("ADDONS names 'no.such.Thing'", LOADED)),
        ("SCHEDULER=scrapy.core.scheduler.None_", ("SCHEDULER names 'scrapy.core.", LOADED)),
        ("SPIDER_LOADER_CLASS=no.Loader", ("SPIDER_LOADER_CLASS names 'no.Loader'", LOADED)),
        ("DOWNLOADER=no.Downloader", ("DOWNLOADER names 'no.Downloader'", LOADED)),
        ("FOCUSCRAWL_STORE=x", ("no setting 'FOCUSCRAWL_STORE'", "did you mean FOCUSCRAWL_STORES?")),
        ("FOCUSCRAWL_STORES=oracle://host/db", ("oracle",)),
        ("FOCUSCRAWL_STORES=sqlite:///data", ("is a folder",)),
        ("FOCUSCRAWL_STORES=sqlite:///a.sqlite,excel:////dev/null/book.xlsx", ("book.xlsx",)),
        ("FOCUSCRAWL_READER=best", ("choose from rules, paper",)),
        ("FOCUSCRAWL_DATA=/dev/null/x", ("FOCUSCRAWL_DATA",)),
        ("FOCUSCRAWL_BATCH_SIZE=abc", ("FOCUSCRAWL_BATCH_SIZE",)),
        ("FOCUSCRAWL_BATCH_AGE=x", ("FOCUSCRAWL_BATCH_AGE",)),
        ("FOCUSCRAWL_STORE_RETRY=-1", ("FOCUSCRAWL_STORE_RETRY",)),
        ("FOCUSCRAWL_RETRY_AFTER_MAX=soon", ("FOCUSCRAWL_RETRY_AFTER_MAX",)),
        ("FOCUSCRAWL_WORKERS=two", ("FOCUSCRAWL_WORKERS must be a number of at least 1",)),
        ("FOCUSCRAWL_WORKERS=2", ("a maize crawl is walked by one worker",)),
        ("FOCUSCRAWL_MAIL=smtp://a:geheim@x/?to=a@b", ("FOCUSCRAWL_MAIL_PASSWORD",)),
        ("FOCUSCRAWL_MAIL_PASSWORD=geheim", ("set the environment variable",)),
        ("FOCUSCRAWL_WEBHOOK=geheim", ("FOCUSCRAWL_WEBHOOK is not a URL",)),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_told_in_json_and_in_one_line(
    crawl: Crawler, setting: str, parts: tuple[str, ...]
) -> None:
    check_mistake(crawl, ("-a", "site=demo", "-s", setting), parts)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("-a", "site=nosuch"), "there is no site profile 'nosuch'; known: demo"),
        (("-a", "site=./no-such.yaml"), "No such file"),
        (("-a", "site=/dev/zero"), "cannot read the site profile /dev/zero: larger than 64 MB"),
        (("-a", "sit=demo"), "spider 'maize' has no argument 'sit'; choose from site, start_url"),
        (("-a", "site"), "Invalid -a value"),
        (("--nonsense",), "unknown option --nonsense; -h lists the known ones"),
        (("-s",), "expected one argument"),
        (("tunnel",), "give one spider"),
        (("-o", "-:json"), "--json and -o - both write to standard output"),
        (("--logfile", "/dev/null/x"), "/dev/null/x"),
        (("--pidfile", "/dev/null/x"), "/dev/null/x"),
    ],
)
def test_an_argument_that_cannot_be_used_is_told_in_json_and_in_one_line(
    crawl: Crawler, arguments: tuple[str, ...], part: str
) -> None:
    check_mistake(crawl, arguments, (part,))


def check_mistake(crawl: Crawler, arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    """Check that a crawl ends with a sentence of all parts, and nothing is written."""
    done = crawl("--json", *arguments)
    report = report_of(done)
    assert done.code == 2
    assert [part for part in parts if part not in report["error"]] == []
    assert done.err == f"error: {report['error']}\n"
    assert report["reason"] == "error"
    assert "geheim" not in done.out + done.err
    assert not crawl.database.exists()


def test_a_frontier_that_cannot_be_made_gets_one_line(crawl: Crawler) -> None:
    done = crawl("-a", "site=demo", "-s", "FOCUSCRAWL_FRONTIER=/dev/null")
    assert done.code == 2
    assert "/dev/null cannot be used" in one_line(done.err)
    assert len(done.err.splitlines()) == 1


def test_a_workbook_that_is_a_folder_ends_the_crawl_before_it_begins(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=3)
    (crawl.folder / "folder.xlsx").mkdir()
    run = crawl(
        "-a", "site=demo", "-s", "FOCUSCRAWL_STORES=sqlite:///a.sqlite,excel:///folder.xlsx"
    )
    assert run.code == 2
    assert "folder.xlsx" in one_line(run.err)
    assert not web.log


@pytest.mark.parametrize(
    ("scheme", "stores"),
    [("REDISS", ""), ("unix", "sqlite:///a.sqlite,excel:///a.xlsx"), ("valkey", "mongodb://h/d,excel:///a.xlsx")],
)  # fmt: skip
def test_workers_of_a_crawl_do_not_write_to_files(crawl: Crawler, scheme: str, stores: str) -> None:
    crawl.spider = "tunnel"
    frontier = f"FOCUSCRAWL_FRONTIER={scheme}://:geheim@127.0.0.1:1/0"
    seeds = ("-a", "topic=security", "-a", "seeds=http://127.0.0.1:1/")
    run = crawl(*seeds, "-s", frontier, "-s", f"FOCUSCRAWL_STORES={stores}")
    assert run.code == 2
    assert run.err.strip() == one_line(run.err)
    assert "set FOCUSCRAWL_STORES to a MariaDB or MongoDB" in run.err
    assert "geheim" not in run.err
    assert not crawl.database.exists()


@pytest.mark.parametrize("command", ["crawl maize", "quotes", "report -o a.xlsx"])
def test_a_broken_setting_is_named_by_every_command(crawl: Crawler, command: str) -> None:
    run = scrapy_with_our_settings(crawl, *command.split(), "-s", "ITEM_PIPELINES={")
    assert run.returncode == 2
    assert run.stderr == (
        "error: ITEM_PIPELINES = '{' cannot be read; write a JSON object such as "
        "'{\"my.Component\": 500}'\n"
    )


def test_a_fault_in_a_component_of_the_project_is_no_wrong_setting(crawl: Crawler) -> None:
    make_project(crawl.folder)
    (crawl.folder / "theirs" / "pipes.py").write_text("import no_such_library\n")
    pipelines = 'ITEM_PIPELINES={"theirs.pipes.Pipe": 1}'
    run = scrapy(crawl, "crawl", "own", "-s", pipelines)
    # A traceback shows the line of their code.
    assert run.returncode == 1
    assert "pipes.py" in run.stderr


def scrapy_with_our_settings(crawl: Crawler, *arguments: str) -> subprocess.CompletedProcess[str]:
    make_project(crawl.folder)
    return scrapy(crawl, *arguments)
