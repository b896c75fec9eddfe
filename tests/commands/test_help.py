"""Spiders that explain themselves: ``scrapy help``, ``crawl SPIDER --help`` and ``list -v``."""

from __future__ import annotations

import os
import subprocess
from argparse import ArgumentParser
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from focuscrawl import commands
from focuscrawl.spider_arguments import ListArguments, MaizeArguments
from tests.servers import warm_scrapy

COMMANDS = Path(str(commands.__file__)).parent
_SPIDERS = '''
import scrapy


class Teas(scrapy.Spider):
    """Teas of one province."""

    name = "teas"

    def __init__(self, province="福建", **more):
        super().__init__(**more)


class Silent(scrapy.Spider):
    name = "silent"
'''


def scrapy(
    *arguments: str, folder: Path | None = None, settings: str = "focuscrawl.settings"
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": settings, "COLUMNS": "100"}
    return warm_scrapy.run(arguments, cwd=folder or Path.cwd(), env=environment)


@pytest.fixture(params=["", "ADDONS = {'focuscrawl.addon.FocuscrawlAddon': 500}\n"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A project with spiders of its own, without and with the add-on."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/__init__.py").touch()
    (tmp_path / "mine/spiders.py").write_text(_SPIDERS, encoding="utf-8")
    settings = f"SPIDER_MODULES = ['mine.spiders']\n{request.param}"
    (tmp_path / "mine/settings.py").write_text(settings, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("spider", "model"), [("maize", MaizeArguments), ("list", ListArguments)])
def test_a_spider_explains_its_arguments(spider: str, model: type[ListArguments]) -> None:
    done = scrapy("help", "crawl", spider)
    assert (done.returncode, done.stderr) == (0, "")
    title, what, _, head, *lines = done.stdout.splitlines()
    assert title == f"scrapy crawl {spider} [-a NAME=VALUE]..."
    assert what.startswith("Walks the list pages of a site")
    assert head.split() == ["argument", "values", "default", "meaning"]
    rows = [line.split() for line in lines if not line.startswith(" ")]
    assert [row[0] for row in rows] == list(model.model_fields)
    assert rows[0][:3] == ["site", "text", "yz88" if spider == "maize" else "required"]
    assert scrapy("crawl", spider, "--help").stdout == done.stdout


def test_an_unknown_spider_is_named_with_the_known_ones() -> None:
    for arguments in (("help", "crawl", "mais"), ("crawl", "mais", "-h"), ("crawl", "mais")):
        done = scrapy(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith(
            "error: no spider 'mais'; known: article, labels, list, maize"
        )
        assert done.stderr.count("\n") == 1


def test_without_a_spider_the_command_explains_itself() -> None:
    usage = scrapy("crawl", "-h").stdout
    assert "set spider argument" in usage
    assert scrapy("help", "crawl").stdout == usage
    assert 'Use "scrapy <command> -h"' in scrapy("help").stdout
    done = scrapy("help", "nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "error: no command 'nonsense' here; `scrapy` without arguments lists them\n"
    )


def test_the_list_says_what_each_spider_does() -> None:
    names = scrapy("list").stdout.split()
    lines = scrapy("list", "-v").stdout.splitlines()
    assert [line.split(maxsplit=1)[0] for line in lines] == names
    assert all(line.endswith(".") and len(line.split()) > 5 for line in lines)


def test_spiders_of_a_project_need_no_model(project: Path) -> None:
    known = scrapy("help", "crawl", "teas", folder=project, settings="mine.settings")
    assert (known.returncode, known.stderr) == (0, "")
    assert "Teas of one province." in known.stdout
    assert known.stdout.splitlines()[-1].split() == ["province", "福建"]
    silent = scrapy("crawl", "silent", "--help", folder=project, settings="mine.settings")
    assert "This spider declares no arguments." in silent.stdout
    listed = scrapy("list", "-v", folder=project, settings="mine.settings").stdout.splitlines()
    words = [line.split() for line in listed]
    assert ["silent"] in words
    assert ["teas", "Teas", "of", "one", "province."] in words
    unknown = scrapy("crawl", "nonsense", "--help", folder=project, settings="mine.settings")
    assert (unknown.returncode, "no spider 'nonsense'" in unknown.stderr) == (2, True)


def test_outside_a_project_the_error_names_the_remedy(tmp_path: Path) -> None:
    done = scrapy("help", "crawl", "maize", folder=tmp_path, settings="")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "there is no Scrapy project here" in done.stderr


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in COMMANDS.glob("*.py") if path.stem != "__init__")
)
def test_no_explanation_of_an_option_becomes_a_heading(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scrapy makes a heading of each line that ends with a colon."""
    monkeypatch.setenv("COLUMNS", "80")
    command = import_module(f"focuscrawl.commands.{name}").Command()
    command.settings = Settings()
    parser = ArgumentParser(
        formatter_class=ScrapyHelpFormatter, conflict_handler="resolve",
        usage=f"scrapy {name} {command.syntax()}", description=command.long_desc(),
    )  # fmt: skip
    command.add_options(parser)
    lines = parser.format_help().split("\n")
    above = [a for a, line in pairwise(lines) if line and set(line) <= {"=", "-"}]
    assert above
    assert not [line for line in above if line.startswith(" ")]
