"""Settings and options that Scrapy cannot use: one line that names the setting, exit code 2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.crawl.conftest import Crawler, one_line
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
        ("ITEM_PIPELINES=5", ("ITEM_PIPELINES", "JSON object")),
        ("ITEM_PIPELINES", ("'ITEM_PIPELINES'", "-s NAME=VALUE")),
        ('ITEM_PIPELINES={"no.such.Pipe": 1}', ("ITEM_PIPELINES names 'no.such.Pipe'", LOADED)),
        ('ADDONS={"no.such.Thing": 1}', ("ADDONS names 'no.such.Thing'", LOADED)),
        ("STATS_CLASS=nomod", ("STATS_CLASS names 'nomod'", LOADED)),
        ("SCHEDULER=scrapy.core.scheduler.None_", ("SCHEDULER names 'scrapy.core.", LOADED)),
        ("SPIDER_LOADER_CLASS=no.Loader", ("SPIDER_LOADER_CLASS names 'no.Loader'", LOADED)),
        ("DOWNLOADER=no.Downloader", ("DOWNLOADER names 'no.Downloader'", LOADED)),
    ],
)
def test_a_setting_that_cannot_be_used(
    crawl: Crawler, setting: str, parts: tuple[str, ...]
) -> None:
    run = crawl("-s", setting)
    line = one_line(run.err)
    assert run.code == 2
    assert [part for part in parts if part not in line] == []
    assert run.err.strip() == line
    assert not crawl.database.exists()


@pytest.mark.parametrize(
    ("scheme", "stores"),
    [
        ("redis", ""),
        ("REDISS", "excel:///a.xlsx"),
        ("unix", "sqlite:///a.sqlite,excel:///a.xlsx"),
        ("redis", "sqlite:///a.sqlite"),
        ("valkey", "mongodb://h/d,excel:///a.xlsx"),
    ],
)
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


@pytest.mark.parametrize("command", ["crawl maize", "list", "quotes", "report -o a.xlsx", "demo"])
def test_a_broken_setting_is_named_by_every_command(crawl: Crawler, command: str) -> None:
    run = scrapy_with_our_settings(crawl, *command.split(), "-s", "ITEM_PIPELINES={")
    assert run.returncode == 2
    assert run.stderr == (
        "error: ITEM_PIPELINES = '{' cannot be read; write a JSON object such as "
        "'{\"my.Component\": 500}'\n"
    )


@pytest.mark.parametrize("option", ["--logfile", "--pidfile"])
def test_a_file_of_an_option_that_cannot_be_written(crawl: Crawler, option: str) -> None:
    run = crawl(option, "/dev/null/x")
    assert run.code == 2
    assert one_line(run.err) == run.err.strip()
    assert "/dev/null/x" in run.err
    assert "name another file" in run.err


@pytest.mark.parametrize("arguments", [("--nonsense",), ("--nonsense", "maize"), ("-x", "maize")])
def test_an_unknown_option_is_named(crawl: Crawler, arguments: tuple[str, ...]) -> None:
    run = scrapy_with_our_settings(crawl, "crawl", *arguments)
    assert run.returncode == 2
    assert run.stderr == f"error: unknown option {arguments[0]}; -h lists the known ones\n"


def test_a_fault_in_a_component_of_the_project_is_no_wrong_setting(
    crawl: Crawler, tmp_path: Path
) -> None:
    make_project(tmp_path)
    (tmp_path / "theirs" / "pipes.py").write_text("import no_such_library\n")
    pipelines = 'ITEM_PIPELINES={"theirs.pipes.Pipe": 1}'
    run = scrapy(crawl, "crawl", "own", "-s", pipelines)
    # A traceback shows the line of their code.
    assert run.returncode == 1
    assert "pipes.py" in run.stderr


def scrapy_with_our_settings(crawl: Crawler, *arguments: str) -> subprocess.CompletedProcess[str]:
    make_project(crawl.folder)
    return scrapy(crawl, *arguments)
