"""The wheel keeps its promises outside the checkout: in a fresh project, and in none."""

from __future__ import annotations

import json
import re
import tomllib
from email import message_from_string
from hashlib import md5
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.evaluation.small_web import html
from tests.replay.warcs import write_warc
from tests.wheel.conftest import ROOT, Installed

SPIDERS = ["article", "labels", "list", "maize", "template", "tunnel"]
COMMANDS = sorted(
    path.stem for path in (ROOT / "focuscrawl/commands").glob("*.py") if path.stem != "__init__"
)
# Prints the name of each of our commands with the first line of its help, all in one process.
HELP = """
import argparse, importlib.metadata, json, scrapy.settings
texts = {}
for point in importlib.metadata.entry_points(group="scrapy.commands"):
    command = point.load()()
    command.settings = scrapy.settings.Settings()
    parser = argparse.ArgumentParser(usage=command.syntax(), conflict_handler="resolve")
    command.add_options(parser)
    texts[point.name] = [point.value, command.short_desc(), parser.format_help()]
print(json.dumps(texts))
"""


def one_line(text: str) -> str:
    """Return the only line of an error message."""
    assert text.startswith("error: "), text
    assert text.count("\n") == 1, text
    return text.strip()


# The package.


def test_the_wheel_has_models_licence_types_and_no_addresses(installed: Installed) -> None:
    with ZipFile(installed.wheel) as wheel:
        names = set(wheel.namelist())
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        head = message_from_string(wheel.read(metadata).decode())
        for path in (ROOT / "models").rglob("*.json"):
            inside = f"focuscrawl/models/{path.relative_to(ROOT / 'models').as_posix()}"
            assert wheel.read(inside) == path.read_bytes()
    assert {"focuscrawl/py.typed", "focuscrawl/sites/demo.yaml"} <= names
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "models/", "benchmarks/"))]
    assert (head["License-Expression"], head["Author"]) == ("MIT", "The focuscrawl authors")
    fetched = ROOT / "focuscrawl/web/static/vendor"
    for path in fetched.glob("*"):
        assert f"focuscrawl/web/static/vendor/{path.name}" in names
    for pattern in ("web/templates/*.html", "web/messages/*.yaml", "web/static/*.css"):
        inside = {path.relative_to(ROOT).as_posix() for path in (ROOT / "focuscrawl").glob(pattern)}
        assert inside, pattern
        assert inside <= names
    assert head["Requires-Python"] == ">=3.11"
    assert "Operating System :: POSIX" in head.get_all("Classifier", [])
    assert not [name for name in head if name in ("Home-page", "Project-URL", "Download-URL")]
    needed = head.get_all("Requires-Dist", [])
    assert not [one for one in needed if one.startswith("matplotlib") and "extra" not in one]


def test_the_checkout_has_no_symbolic_link() -> None:
    assert not [path for path in (ROOT / "focuscrawl").rglob("*") if path.is_symlink()]


def test_every_command_is_an_entry_point_and_has_help(installed: Installed) -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    points = listed["project"]["entry-points"]["scrapy.commands"]
    assert sorted(points) == COMMANDS
    (installed.outside / "help.py").write_text(HELP)
    done = installed.run(installed.outside / "help.py", folder=installed.outside)
    texts = json.loads(done.stdout)
    assert {name: text[0] for name, text in texts.items()} == points
    for _, line, text in texts.values():
        assert line
        assert "--set" in text


# A project.


def test_the_spiders_are_listed(installed: Installed) -> None:
    done = installed.scrapy("list")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == SPIDERS


CONTRARY = "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'"


@pytest.mark.parametrize(
    ("setting", "arguments", "said"),
    [
        ("", "crawl maize -a nonsense=1", "spider 'maize' has no argument 'nonsense'"),
        ("FOCUSCRAWL_MODLES = 'x'", "list", "did you mean FOCUSCRAWL_MODELS?"),
        ("CONCURRENT_REQUESTS = '许多'", "crawl maize", "CONCURRENT_REQUESTS = '许多' is not a"),
        (CONTRARY, "crawl maize", "TWISTED_REACTOR = 'twisted.internet.selectreactor"),
        ("FORCE_CRAWLER_PROCESS = True", "crawl maize", "FORCE_CRAWLER_PROCESS = True contradicts"),
        (
            "ADDONS = {}",
            "lab security",
            "this project does not use focuscrawl; add to its settings",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    installed: Installed, setting: str, arguments: str, said: str
) -> None:
    # A module of its own: Python takes the byte code of a file that was replaced by one of the same
    # size within a second for that of the new one.
    module = f"wrong_{md5(said.encode(), usedforsecurity=False).hexdigest()}"
    (installed.project / "shop" / f"{module}.py").write_text(
        f"from shop.settings import *\n{setting}\n", "utf-8"
    )
    done = installed.scrapy(*arguments.split(), settings=f"shop.{module}")
    assert said in one_line(done.stderr)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_project_without_the_add_on_has_its_own_crawl(installed: Installed) -> None:
    (installed.project / "shop" / "plain.py").write_text("SPIDER_MODULES = ['shop.plain_spider']\n")
    (installed.project / "shop" / "plain_spider.py").write_text(
        "import scrapy\n\nclass Own(scrapy.Spider):\n    name = 'own'\n    start_urls = ['data:,x']\n"
        "    def parse(self, response):\n        yield {'text': response.text}\n"
    )
    done = installed.scrapy("crawl", "own", "-O", "own.jsonl", settings="shop.plain")
    assert done.returncode == 0, done.stderr
    assert (installed.project / "own.jsonl").read_text() == '{"text": "x"}\n'
    assert "INFO: Spider closed (finished)" in done.stderr


def test_a_lab_runs(installed: Installed) -> None:
    folder = installed.project
    page, other = "http://a.test/", "http://a.test/1"
    write_warc(folder / "web.warc.gz", [html(page, "主页", (other, "漏洞")), html(other, "漏洞")])
    (folder / "truth.csv").write_text(f"url,relevant\n{page},0\n{other},1\n")
    (folder / "start.txt").write_text(page)
    done = installed.scrapy(
        "lab", "security", "--replay", "web.warc.gz", "--truth", "truth.csv", "--seeds",
        "start.txt", "--policies", "breadth", "--folds", "0", "--budget", "2", "--out", "lab",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"breadth", done.stdout)
    assert {path.name for path in (folder / "lab").iterdir()} >= {"table.md", "harvest.png"}


@pytest.mark.usefixtures("demo")
def test_shipped_models_are_used_and_missed(installed: Installed) -> None:
    crawl = ("crawl", "tunnel", "-a", "topic=security", "-a", "max_pages=1", "-a",
             "seeds=http://bulletins.demo.test/list/")  # fmt: skip
    done = installed.scrapy(*crawl)
    assert done.returncode == 0, done.stderr
    assert "lexicon" not in done.stdout
    models = installed.packages / "focuscrawl" / "models"
    models.rename(models.with_name("elsewhere"))
    try:
        done = installed.scrapy(*crawl)
    finally:
        models.with_name("elsewhere").rename(models)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"the models of focuscrawl are not installed (no folder {models})" in done.stdout


# No project.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("crawl maize", "there is no Scrapy project here"),
        ("report -o x.xlsx", "there is no store"),
    ],
)
def test_outside_any_project_a_mistake_is_one_line(
    installed: Installed, arguments: str, said: str
) -> None:
    done = installed.scrapy(*arguments.split(), folder=installed.outside)
    assert said in one_line(done.stderr)
    assert done.returncode == 2


def test_the_demo_crawls_outside_any_project(installed: Installed, tmp_path: Path) -> None:
    done = installed.scrapy("demo", "--crawl", "--days", "2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data/demo/demo.xlsx").is_file()


def test_the_settings_of_the_package_serve_as_a_project(installed: Installed) -> None:
    done = installed.scrapy("list", folder=installed.outside, settings="focuscrawl.settings")
    assert done.stdout.split() == SPIDERS
